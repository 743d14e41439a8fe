import CStreams
import CUV
import Callbacks
public import Streams

/// Wakes a loop from any thread and runs a closure there.
///
/// Calls in quick succession are merged into one: a call says that something has happened, not how often. This is the
/// bare wake-up. To send elements to a loop, use an `Inlet`; to run jobs there, use `Queue.async`.
public final class AsyncHandle: Handle {
  private let action: () -> Void
  /// The sender, which any thread may use.
  public let sender = AsyncSender()

  /// Makes a handle that calls `action` on the loop's thread after `sender` has been used.
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

  /// Stops and closes the handle. Later calls of `send()` do nothing and return false. Idempotent.
  public override func dispose() {
    sender.close()
    super.dispose()
  }
}

/// The end of an `AsyncHandle` that any thread may use.
public final class AsyncSender: Sendable {
  // Sendable: the pointer is only passed to uv_async_send, under the lock. Any thread may call that function.
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

  /// Makes the handle call back. Any thread may call it. Returns false once the handle is closing.
  ///
  /// Holds a lock for the length of one libuv call, so a signal handler must not call it. Observe the signal with a
  /// `SignalHandle` instead, or write to a pipe.
  @discardableResult
  public func send() -> Bool {
    target.withLock { target in
      guard let target else { return false }
      #if DEBUG
      headwater_pass(target.handle, HEADWATER_ACCESSES)
      #endif
      return uv_async_send(target.handle) == 0
    }
  }
}

extension Operation where Element == Void, Failure == UVError {
  /// Emits an element on the loop after any thread has called `AsyncSender.send()`. Sends in quick succession, or while
  /// the observer is paused, are merged into one element.
  ///
  /// ```swift
  /// Operation.wakeUps { sender in
  ///   DispatchQueue.global().async { sender.send() }
  /// }.observeNext { print("woken") }.dispose(in: bag)
  /// ```
  ///
  /// Calls `start` with a new sender for each observer. Keeps the loop alive. Never completes.
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

#if DEBUG
extension Loop {
  /// True if a sender was used and its handle has not called back yet. For tests that schedule the loop's thread.
  var hasWakeUp: Bool {
    var next = firstHandle
    while let handle = next {
      if let handle = handle as? AsyncHandle, handle.pointer(uv_async_t.self).pointee.pending != 0 { return true }
      next = handle.nextHandle
    }
    return false
  }
}
#endif
