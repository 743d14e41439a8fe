import Streams

/// The last step before the observer. It drops ignored and repeated events, and holds the pending ones while the
/// observer is paused.
final class EventReporter {
  private var observer: Observer<FileEvent, FileWatchError>?
  private let ignoring: IgnoringStage
  private var coalescing = CoalescingStage()
  // The remaining events of one kernel event. While the observer is paused, no more is read from the backlog.
  private var waiting: [FileEvent] = []
  private var delivered = 0
  private var isDelivering = false
  private(set) var isPaused: Bool
  /// True when nothing is reported any more.
  private(set) var isStopped = false

  init(_ observer: Observer<FileEvent, FileWatchError>, _ ignoring: IgnoringStage) {
    self.observer = observer
    self.ignoring = ignoring
    isPaused = observer.isPaused
  }

  /// Begins a batch. Only events that were read together are merged, because the observer has handled the earlier ones.
  func beginBatch() { coalescing.begin() }

  /// Reports an event for a name in a directory, unless it is ignored or repeats the previous event.
  func report(_ kind: FileEvent.Kind, _ name: NameBytes, in directory: Directory, isDirectory: Bool) {
    if coalescing.repeats(kind, isSamePath: { directory.isPath($0, of: name) }) { return }
    let path = directory.path(of: name)
    if directory.onlyName == nil, ignoring.hides(path, in: directory, isDirectory) { return }
    report(FileEvent(kind, path, isDirectory: isDirectory))
  }

  /// Reports an event, regardless of the ignore rules.
  func report(_ event: FileEvent) {
    coalescing.note(event)
    if isPaused || !waiting.isEmpty {
      waiting.append(event)
    } else {
      observer?.next(event)
    }
  }

  func pause() { isPaused = true }

  /// Delivers the pending events, until the observer pauses again.
  func resume() {
    isPaused = false
    // The observer may pause and resume during a delivery. The delivery under way then continues.
    if isDelivering { return }
    isDelivering = true
    while delivered < waiting.count, !isPaused, let observer {
      delivered += 1
      observer.next(waiting[delivered - 1])
    }
    isDelivering = false
    if delivered >= waiting.count {
      waiting = []
      delivered = 0
    }
  }

  /// Stops reporting and releases the observer.
  func stop() {
    isStopped = true
    observer = nil
    waiting = []
    delivered = 0
  }

  /// Stops reporting and fails the observer.
  func fail(_ error: FileWatchError) {
    let observer = observer
    stop()
    observer?.failed(error)
  }
}
