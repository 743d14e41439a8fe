import Streams

/// What stands between the watcher and its observer: ignore rules, the merging of repetitions, and what waits while the
/// observer is paused.
final class EventReporter {
  private var observer: Observer<FileEvent, FileWatchError>?
  private let ignoring: IgnoreStage
  private var last: FileEvent?
  // The rest of what one kernel event has led to. More is not read from the backlog while the observer is paused.
  private var waiting: [FileEvent] = []
  private var delivered = 0
  private var isDelivering = false
  private(set) var isPaused: Bool

  init(_ observer: Observer<FileEvent, FileWatchError>, _ ignoring: IgnoreStage) {
    self.observer = observer
    self.ignoring = ignoring
    isPaused = observer.isPaused
  }

  /// What is merged is what was read together: an event of an earlier batch has been seen and acted upon.
  func beginBatch() { last = nil }

  /// Reports something about a name in a directory, unless it is left out.
  func report(_ kind: FileEvent.Kind, _ name: NameBytes, in directory: Directory, isDirectory: Bool) {
    if let last, repeats(last, kind), directory.isPath(last.path, of: name) { return }
    let path = directory.path(of: name)
    if directory.onlyName == nil, ignoring.hides(path, in: directory, isDirectory) { return }
    report(FileEvent(kind, path, isDirectory: isDirectory))
  }

  /// Reports something, whatever the rules.
  func report(_ event: FileEvent) {
    last = event
    if isPaused || !waiting.isEmpty {
      waiting.append(event)
    } else {
      observer?.next(event)
    }
  }

  /// Whether `kind`, following `last` for the same path and read together with it, says nothing new: a file has been made
  /// and filled, or written and closed.
  private func repeats(_ last: FileEvent, _ kind: FileEvent.Kind) -> Bool {
    switch kind {
    case .modified: last.kind == .modified || last.kind == .created
    case .attributes: last.kind == .attributes || last.kind == .created
    default: false
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

  /// Reports nothing more, and lets go of the observer.
  func stop() {
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
