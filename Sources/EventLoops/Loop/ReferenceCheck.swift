import Streams

/// Disposes a connection or a file some time after its last reference has gone.
///
/// Nothing announces that moment, so the reference count is read at growing intervals. An interval is about as long as
/// the checks have taken so far, so a short use is followed by a short wait.
///
/// Ownership: object ===> ReferenceCheck; a waiting timer ===> ReferenceCheck.
final class ReferenceCheck {
  private let loop: Loop
  // Not a reference, which would count.
  private let object: Unmanaged<AnyObject>
  private let type: any SelfRetaining.Type
  private var interval = Duration.milliseconds(100)
  private var timer: (any Disposable)?

  init<Object: SelfRetaining>(_ object: Object, on loop: Loop) {
    self.loop = loop
    self.object = .passUnretained(object)
    type = Object.self
  }

  /// Reads the count after the next interval. Does nothing if it waits already.
  func wait() {
    if timer != nil { return }
    timer = loop.backgroundScheduler.schedule(after: interval) { [self] in
      timer = nil
      interval = min(interval * 2, .seconds(30))
      // Calls `wait` if there is another reference.
      _ = type.disposeIfUnused(object)
    }
  }

  /// Stops before the object is freed.
  func stop() { timer.take()?.dispose() }
}
