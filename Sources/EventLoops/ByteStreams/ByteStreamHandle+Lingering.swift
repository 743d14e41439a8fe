import CUV
import Streams

extension ByteStreamHandle {
  /// Closes the connection gracefully, even if the peer still sends. The queued bytes are written, then the writing
  /// side is closed, and the handle closes when the peer has finished too, or after `patience` at the latest.
  ///
  /// ```swift
  /// connection.write("your request is too long\n")
  /// connection.close(within: .seconds(5))
  /// ```
  ///
  /// Use it to send a last message. The system resets a TCP connection that is closed with unread bytes, and the last
  /// bytes written may be lost. `close()` does not read, so it has that risk. This method reads the remaining bytes,
  /// and drops them if there is no observer. Does nothing after `close()` or `dispose()`.
  public final func close(within patience: Duration) {
    if isDisposed || ending == .closing { return }
    loop.check()
    close(within: patience, on: loop.scheduler)
  }

  /// Closes a connection that nothing retains. Keeps the loop alive only until the peer's system has acknowledged
  /// everything.
  final func linger() {
    close(within: .seconds(30), on: loop.backgroundScheduler)
    letLoopEnd(after: .milliseconds(1))
  }

  private func letLoopEnd(after delay: Duration) {
    if isDisposed || !keepsLoopAlive { return }
    if hasArrived {
      keepsLoopAlive = false
    } else {
      _ = loop.scheduler.schedule(after: delay) { [self] in letLoopEnd(after: min(delay * 2, .milliseconds(250))) }
    }
  }

  /// True if the peer's system has received all bytes and the end, or never will. Bytes written to a Unix socket arrive
  /// at once.
  private var hasArrived: Bool {
    if writeStatus != 0 { return true }
    guard writing == .finished, let descriptor = try? descriptor() else { return false }
    return !(self is TCPHandle) || headwater_unacknowledged(descriptor) == 0
  }

  private func close(within patience: Duration, on scheduler: any Scheduler) {
    // Writing has failed: no byte can be sent any more.
    if writeStatus != 0 { return dispose() }
    finish()
    ending = .draining
    // If another reader is active, this one is refused. Another one starts when that reader stops.
    startReading(ByteReader())
    if isDisposed { return }
    let timer = scheduler.schedule(after: patience) { [weak self] in self?.dispose() }
    onClosed { timer.dispose() }
  }
}

/// Closes a connection some time after its last reference has gone.
///
/// Nothing announces that moment, so the reference count is read at growing intervals, as long as the connection is
/// unused. An interval is about as long as the connection has been unused, so a short use is followed by a short wait.
final class ReferenceCheck {
  private let loop: Loop
  // Not a reference to the handle, which would count.
  private let memory: UnsafeMutablePointer<uv_handle_t>
  private var interval = Duration.milliseconds(100)
  private var timer: (any Disposable)?

  init(_ handle: ByteStreamHandle) {
    loop = handle.loop
    memory = handle.raw
  }

  /// Reads the count after the next interval. Does nothing if it waits already.
  func wait() {
    if timer != nil { return }
    timer = loop.backgroundScheduler.schedule(after: interval) { [self] in
      timer = nil
      interval = min(interval * 2, .seconds(30))
      // Calls `wait` if the connection is still unused and retained.
      Handle.disposeIfUnused(memory)
    }
  }

  /// Stops before the memory of the handle is freed.
  func stop() { timer.take()?.dispose() }
}
