import EventLoops
import Glibc
import Streams

/// One observation of `Operation.fileEvents`: from the kernel's queue to the observer.
///
/// How nothing is lost. A directory is watched first and listed then, so what happens in between is told twice and not
/// never; each directory's names are kept (`NameTable`), and what is known already is not reported again. Events are handled
/// strictly in the order of the kernel's queue. By the time one is handled the file system may have moved on: a directory is
/// therefore opened relative to its verified parent and identified by its watch's number, and where a path leads elsewhere
/// than it should, the directory is marked dirty and compared with the file system once all events have been handled. The
/// same comparison makes good what the kernel drops when its queue overflows.
///
/// Ownership: libuv ===> PollHandle ===> FileWatcher, until `stop()`; the subscription ===> FileWatcher ===> observer.
/// FileWatcher ===> RootFollower ===> Directory ===> its children. WatchTable ===> each watched Directory.
final class FileWatcher {
  /// While the observer is paused this many bytes of kernel events are kept for it, some 30,000 events. Beyond that they
  /// are dropped and made good by a rescan, like those that the kernel itself drops.
  static let pausedBound = 1_048_576
  /// How long a departure waits for its arrival. The kernel queues them one after the other, but a thread may be interrupted
  /// between the two.
  static let holdTime = Duration.milliseconds(5)

  let options: FileWatchOptions
  let ignoring: IgnoreStage
  let reporter: EventReporter
  let reader = DirectoryReader()
  let scheduler: any Scheduler
  private(set) var inotify: INotify!
  private(set) var watches: WatchTable!
  private(set) var roots: [RootFollower] = []
  var backlog = EventBacklog()
  /// Directories to compare with the file system when all events have been handled.
  var dirty: [Directory] = []
  /// Names that should be gone, to be looked for when all events have been handled.
  var doubts: [(directory: Directory, name: [UInt8])] = []
  /// Directories that have been listed, but whose entries have not been walked yet: the tree is too deep to hold all
  /// directories open.
  var unfinished: [(directory: Directory, isReported: Bool)] = []
  /// Directories for which other ignore rules may hold, with all below them, from now on.
  var unconsidered: [Directory] = []
  /// What is left to compare of a tree.
  var uncompared: [Directory] = []
  /// Directories that are polled; also some that have been taken out of the tree since.
  var polled: [Directory] = []
  var pollTimer: (any Disposable)?
  /// The directories that have been reported as unreadable.
  var unreadable: Set<BytePath> = []
  /// The kinds of file systems that have been reported as polled.
  var polledFileSystems: Set<String> = []
  /// The number of directories that are polled for want of watches.
  var unwatched = 0
  var hasNoticedLimit = false
  /// All that happened before this has been read.
  private var isCompleteUntil = timespec.fileTime
  private var isDrained = true
  private var timeOfRead = timespec.fileTime
  private var mustRescan = false
  private var hold: (any Disposable)?
  /// Departures before this offset have waited long enough.
  private var settled = 0
  private var isHandling = false
  private(set) var isStopped = false

  init(_ paths: [BytePath], _ options: FileWatchOptions, _ observer: Observer<FileEvent, FileWatchError>) {
    self.options = options
    ignoring = IgnoreStage(options)
    reporter = EventReporter(observer, ignoring)
    scheduler = Loop.current.scheduler
    do throws(FileWatchError) {
      inotify = try INotify(keepsLoopAlive: options.keepsLoopAlive) { [self] in onReadable($0) }
      watches = WatchTable(inotify)
      for path in paths {
        let root = try RootFollower(path, self)
        roots.append(root)
        try root.start()
      }
      noticeLimit()
    } catch {
      fail(error)
    }
  }

  // MARK: Ending

  /// Ends the watching. Nothing is reported from here on.
  func stop() {
    if isStopped { return }
    isStopped = true
    hold?.dispose()
    hold = nil
    reporter.stop()
    inotify?.close()
    for root in roots { root.stop() }
    roots = []
    dirty = []
    doubts = []
    unfinished = []
    unconsidered = []
    pollTimer?.dispose()
    pollTimer = nil
    polled = []
    uncompared = []
    watches?.removeAll()
  }

  private func fail(_ error: FileWatchError) {
    if isStopped { return }
    reporter.fail(error)
    stop()
  }

  // MARK: Pausing

  func pause() { reporter.pause() }

  func resume() {
    reporter.resume()
    if !isHandling { handleAll() }
  }

  // MARK: Reading

  private func onReadable(_ result: Result<PollEvents, UVError>) {
    if isStopped { return }
    if case .failure(let error) = result {
      fail(.cannotWatch(roots.first?.path ?? BytePath(bytes: []), error))
      return
    }
    read()
    if reporter.isPaused {
      // The kernel's queue must not fill up meanwhile, and ours must not grow for ever.
      if mustRescan || backlog.count > Self.pausedBound {
        mustRescan = true
        backlog.removeAll()
      }
    } else {
      handleAll()
    }
  }

  /// Reads what the queue holds.
  private func read() {
    let time = timespec.fileTime
    var error: Int32 = 0
    isDrained = backlog.fill(from: inotify.descriptor, error: &error)
    timeOfRead = time
    if error != 0 { fail(.system(error, "read", roots.first?.path ?? BytePath(bytes: []))) }
  }

  // MARK: Handling

  private func handleAll() {
    isHandling = true
    defer { isHandling = false }
    do throws(FileWatchError) {
      reporter.beginBatch()
      if mustRescan { try rescan() }
      while !isStopped, !reporter.isPaused, let event = backlog.next() {
        if mustWait(event) {
          holdBack()
          return
        }
        backlog.advance(over: event)
        try handle(event)
      }
      if isStopped || reporter.isPaused { return }
      endHold()
      backlog.shrink()
      try repair()
      if isStopped { return }
      noticeLimit()
      if isDrained { isCompleteUntil = timeOfRead }
    } catch {
      fail(error)
    }
  }

  /// Compares what is polled, unless the observer is paused.
  func poll() {
    if isStopped || reporter.isPaused || isHandling { return }
    isHandling = true
    defer { isHandling = false }
    do throws(FileWatchError) {
      reporter.beginBatch()
      try comparePolled()
      if !isStopped { noticeLimit() }
    } catch {
      fail(error)
    }
  }

  /// Whether a departure has to wait for an arrival that may still come.
  private func mustWait(_ event: RawEvent) -> Bool {
    guard event.mask.contains(.movedFrom), event.offset >= settled, !backlog.hasArrival(event.cookie) else {
      return false
    }
    var user = watches[event.watch]
    while let watch = user {
      if let directory = watch as? Directory, directory.admits(event.name), directory.entries.find(event.name) != nil {
        // What is ignored is not reported wherever it goes, and what arrives from there has just come into being.
        if !isHidden(event.name, in: directory, event.isDirectory) { return true }
      }
      user = watch.next
    }
    return false
  }

  /// Stops handling until more has been read or the time is over.
  private func holdBack() {
    if hold != nil { return }
    let end = backlog.endOffset
    hold = scheduler.schedule(after: Self.holdTime) { [unowned self] in
      hold = nil
      settled = end
      if !reporter.isPaused { handleAll() }
    }
  }

  /// The backlog is empty: offsets begin anew.
  private func endHold() {
    settled = 0
    hold?.dispose()
    hold = nil
  }

  // MARK: Making good what was dropped

  /// The kernel, or a pause, has dropped events: compares everything with the file system.
  func rescan() throws(FileWatchError) {
    mustRescan = false
    let since = isCompleteUntil
    // What happened before the comparison is part of it.
    repeat {
      read()
      backlog.removeAll()
    } while !isDrained && !isStopped
    settled = 0
    hold?.dispose()
    hold = nil
    isCompleteUntil = timeOfRead
    for root in roots {
      if isStopped { return }
      reporter.report(FileEvent(.overflow, root.path, isDirectory: root.isDirectory))
      try root.rescan(since: since)
    }
  }
}

@available(*, unavailable)
extension FileWatcher: Sendable {}
