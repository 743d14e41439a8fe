import CUV
import Callbacks
public import Streams

/// Calls back on the loop after any thread has asked for it.
///
/// Calls that come in quick succession are merged into one: it says that something has happened, not how often. Elements
/// cross threads with an `Inlet`, jobs with `Queue.async`; this is the bare wake-up below both.
public final class AsyncHandle: Handle {
  private let action: () -> Void
  /// What other threads send with.
  public let sender = AsyncSender()

  /// Makes a handle that calls `action` on the loop's thread each time that `sender` has been used.
  public init(on loop: Loop = .current, _ action: @escaping () -> Void) throws(UVError) {
    self.action = action
    try super.init(loop, uv_async_t.self, "uv_async_init") { loop, handle in
      uv_async_init(loop, handle) {
        unsafeDowncast(UntilClosed<Handle>.borrow($0!.pointee.data), to: AsyncHandle.self).fire()
      }
    }
    sender.open(pointer(uv_async_t.self))
  }

  private func fire() { if !isDisposed { action() } }

  /// See `Handle`. Sending afterwards does nothing.
  public override func dispose() {
    sender.close()
    super.dispose()
  }
}

/// The end of an `AsyncHandle` that any thread may use.
public final class AsyncSender: Sendable {
  // Sendable: it is handed to uv_async_send, which any thread may call, under the lock, and to nothing else.
  private struct Target: @unchecked Sendable {
    let handle: UnsafeMutablePointer<uv_async_t>
  }

  private let target = Lock<Target?>(nil)

  init() {}

  func open(_ handle: UnsafeMutablePointer<uv_async_t>) {
    let opened = Target(handle: handle)
    target.withLock { $0 = opened }
  }

  func close() { target.withLock { $0 = nil } }

  /// Has the handle call back. Any thread may call it; false once the handle is closing.
  ///
  /// It holds a lock for the length of one call of libuv, so it is not for signal handlers; those write to a pipe, or are
  /// served by a `SignalHandle`.
  @discardableResult
  public func send() -> Bool {
    target.withLock { target in
      guard let target else { return false }
      return uv_async_send(target.handle) == 0
    }
  }
}

extension Operation where Element == Void, Failure == UVError {
  /// An element after `AsyncSender.send()` on any thread. Those sent in quick succession, or while the observer is paused,
  /// are merged into one.
  ///
  /// ```swift
  /// Operation.wakeUps { sender in
  ///   DispatchQueue.global().async { sender.send() }
  /// }.observeNext { print("woken") }.dispose(in: bag)
  /// ```
  ///
  /// `start` gets the sender of each observer when it observes. It keeps the loop alive, and never completes.
  public static func wakeUps(_ start: @escaping (AsyncSender) -> Void) -> Operation {
    Operation { observer in
      var isPending = false
      do throws(UVError) {
        let handle = try AsyncHandle {
          if observer.isPaused { isPending = true } else { observer.next() }
        }
        start(handle.sender)
        return BlockDisposable(
          { handle.dispose() },
          resume: {
            if !isPending { return }
            isPending = false
            observer.next()
          })
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}
