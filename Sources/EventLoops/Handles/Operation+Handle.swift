import Streams

extension Operation where Failure == UVError {
  /// Emits the events of a handle. The handle is made and started when the operation is observed, stopped while the
  /// observer is paused, and closed at the end. Fails if the handle can be neither made nor started.
  static func observing<Source: Handle>(
    keepsLoopAlive: Bool, _ make: @escaping () throws(UVError) -> Source,
    start: @escaping (Source, Observer<Element, UVError>) throws(UVError) -> Void,
    stop: @escaping (Source) -> Void
  ) -> Operation {
    Operation { observer in
      do throws(UVError) {
        let handle = try make()
        handle.keepsLoopAlive = keepsLoopAlive
        func begin() {
          do throws(UVError) {
            try start(handle, observer)
          } catch {
            observer.failed(error)
          }
        }
        if !observer.isPaused { begin() }
        return BlockDisposable({ handle.dispose() }, pause: { stop(handle) }, resume: begin)
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}

extension Observer where Failure == UVError {
  /// Delivers an element, or the failure that ends the stream.
  func deliver(_ result: Result<Element, UVError>) {
    switch result {
    case .success(let element): next(element)
    case .failure(let error): failed(error)
    }
  }
}
