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
