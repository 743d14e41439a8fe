import Streams

/// The last step before the observer: leaves out what is ignored and what repeats, and holds what waits while the observer is
/// paused.
final class EventReporter {
  private var observer: Observer<FileEvent, FileWatchError>?
  private let ignoring: IgnoringStage
  private var coalescing = CoalescingStage()
  // The rest of what one kernel event has led to. More is not read from the backlog while the observer is paused.
  private var waiting: [FileEvent] = []
  private var delivered = 0
  private var isDelivering = false
  private(set) var isPaused: Bool
  /// Nothing is reported any more.
  private(set) var isStopped = false

  init(_ observer: Observer<FileEvent, FileWatchError>, _ ignoring: IgnoringStage) {
    self.observer = observer
    self.ignoring = ignoring
    isPaused = observer.isPaused
  }

  /// What is merged is what was read together: an event of an earlier batch has been seen and acted upon.
  func beginBatch() { coalescing.begin() }

  /// Reports something about a name in a directory, unless it is left out.
  func report(_ kind: FileEvent.Kind, _ name: NameBytes, in directory: Directory, isDirectory: Bool) {
    if coalescing.repeats(kind, isSamePath: { directory.isPath($0, of: name) }) { return }
    let path = directory.path(of: name)
    if directory.onlyName == nil, ignoring.hides(path, in: directory, isDirectory) { return }
    report(FileEvent(kind, path, isDirectory: isDirectory))
  }

  /// Reports something, whatever the rules.
  func report(_ event: FileEvent) {
    coalescing.note(event)
    if isPaused || !waiting.isEmpty {
      waiting.append(event)
    } else {
      observer?.next(event)
    }
  }

  func pause() { isPaused = true }

  /// Delivers what waits, until the observer pauses again.
  func resume() {
    isPaused = false
    // The observer may pause and resume from inside: then the delivery that is under way goes on.
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

  /// Reports nothing more, and releases the observer.
  func stop() {
    isStopped = true
    observer = nil
    waiting = []
    delivered = 0
  }

  /// Reports the end.
  func fail(_ error: FileWatchError) {
    let observer = observer
    stop()
    observer?.failed(error)
  }
}
