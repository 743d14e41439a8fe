import Streams

extension Operation where Element: ByteStreamHandle, Failure == UVError {
  /// Makes a handle and connects it when observed. Emits it and completes, or fails with the status that `start` passes to its
  /// closure.
  static func connecting(
    to address: SocketAddress, _ call: String, make: @escaping () throws(UVError) -> Element,
    start: @escaping (_ handle: Element, _ done: @escaping (_ status: Int32) -> Void) throws(UVError) -> Void
  ) -> Operation {
    Operation { observer in
      do throws(UVError) {
        let handle = try make()
        let attempt = ConnectAttempt(handle)
        var hasStarted = false
        do throws(UVError) {
          try start(handle) { status in
            var handle = attempt.take()
            if handle == nil { return }
            if status < 0 {
              handle?.dispose()
              return observer.failed(UVError(code: status, call: call, path: address.description))
            }
            if let handle { observer.next(handle) }
            observer.completed()
            // A local socket connects at once, while `start` below refers to the handle.
            if hasStarted { Untaken.dispose(&handle, looksAgain: false) } else { handle?.disposeLaterIfUnused() }
          }
          hasStarted = true
        } catch {
          attempt.dispose()
          throw error
        }
        return attempt
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}

/// A handle that is disposed with the attempt to connect it, until it has been delivered.
private final class ConnectAttempt<Connection: ByteStreamHandle>: Disposable {
  private var handle: Connection?

  init(_ handle: Connection) { self.handle = handle }

  func take() -> Connection? { handle.take() }

  var isDisposed: Bool { handle == nil }

  func dispose() { handle.take()?.dispose() }
}
