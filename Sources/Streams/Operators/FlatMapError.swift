extension StreamProtocol {
  /// On failure goes on with the stream that `recover` gives for the error. What that one does, failing included, is final.
  ///
  /// Pausing reaches whichever of the two runs.
  public func flatMapError<Replacement: StreamProtocol>(
    _ recover: @escaping (Failure) -> Replacement
  ) -> Operation<Element, Replacement.Failure> where Replacement.Element == Element {
    Operation(unguarded: { observer in
      let current = SerialDisposable()
      let link = Link(downstream: observer.gate)
      current.inner = link
      link.connect(self, next: observer.onNext) { end in
        guard case .failed(let error) = end else {
          current.dispose()
          observer.completed()
          return
        }
        let replacement = recover(error)
        if observer.gate.isClosed || current.isDisposed { return }
        let link = Link(downstream: observer.gate)
        current.inner = link
        link.connect(replacement, next: observer.onNext) { end in
          current.dispose()
          observer.onTermination(end)
        }
      }
      return current
    })
  }
}
