import CUV
import Streams

extension ByteStreamHandle {
  /// Ends it in peace, also with a peer that still sends: what is queued is written, the other side is told that there is no
  /// more, and the handle closes when the other side has finished, too; after `patience` at the latest.
  ///
  /// ```swift
  /// connection.write("your request is too long\n")
  /// connection.close(within: .seconds(5))
  /// ```
  ///
  /// For last words. A TCP connection that is closed while something has not been read is reset by the system, and what was
  /// written last may be lost then: `close()` does not read. Here what still comes is read, and dropped where nobody observes it.
  /// After `close()` and `dispose()` it does nothing.
  public final func close(within patience: Duration) {
    if isDisposed || state.contains(.closes) { return }
    loop.check()
    close(within: patience, on: loop.scheduler)
  }

  /// Closes a connection that nothing retains. Keeps the loop alive only until the peer's system has acknowledged everything.
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

  /// Whether the peer's system has all that was written, and the end; or never will. What a Unix socket has written is there
  /// at once.
  private var hasArrived: Bool {
    if writeStatus != 0 { return true }
    guard state.contains(.isFinished), let descriptor = try? descriptor() else { return false }
    return !(self is TCPHandle) || headwater_unacknowledged(descriptor) == 0
  }

  private func close(within patience: Duration, on scheduler: any Scheduler) {
    // Nothing more can be said.
    if writeStatus != 0 { return dispose() }
    finish()
    state.insert(.drains)
    // Where somebody reads, this one is turned away, and another one comes when he leaves.
    startReading(ByteReader())
    if isDisposed { return }
    let timer = scheduler.schedule(after: patience) { [weak self] in self?.dispose() }
    onClosed { timer.dispose() }
  }
}
