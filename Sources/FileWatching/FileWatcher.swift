import EventLoops
import Glibc
import Streams

/// One observation of `Operation.fileEvents`: the stages between the kernel's queue and the observer.
///
///     kernel ─→ pairing ─→ tree ─→ ignoring ─→ coalescing ─→ observer
///                  │         ↑          (EventReporter)
///                  ├─→ scanning, watching     new directories
///                  ├─→ rescanning             what was dropped, or could not be followed
///     timer ──→ polling ─→ rescanning         what is not reported
///
/// - `PairingStage` gives what the kernel has reported in order, with both halves of a rename as one.
/// - `TreeStage` knows what is in the watched directories, and changes as names come, go, and move.
/// - `ScanningStage` walks into directories, and `WatchingStage` has each of them watched.
/// - `FollowingStage` follows symbolic links to files, if links are followed.
/// - `IgnoringStage` leaves out what is ignored, and `CoalescingStage` what repeats.
/// - `PollingStage` keeps what is not watched, and `RescanningStage` compares it, and what the kernel has dropped, with the
///   tree.
///
/// Each stage knows the stages that it uses and not the watcher, so it can be made and tested without one.
///
/// How nothing is lost. A directory is watched first and listed then, so what happens in between is found twice and not
/// never; each directory's names are kept (`NameTable`), and what is known already is not reported again. Events are handled
/// strictly in the order of the kernel's queue. By the time one is handled the file system may have moved on: a directory is
/// therefore opened relative to its verified parent and identified by its watch's number, and where a path leads elsewhere
/// than it should, the directory is marked dirty and compared with the file system once all events have been handled.
///
/// Ownership: libuv ===> PollHandle ===> FileWatcher, until `stop()`; the subscription ===> FileWatcher ===> observer.
/// FileWatcher ===> RootFollower ===> Directory ===> its children. WatchTable ===> each watched Directory.
final class FileWatcher {
  /// While the observer is paused this many bytes of kernel events are kept for it, some 30,000 events. Beyond that they
  /// are dropped and made good by a rescan, like those that the kernel itself drops.
  static let pausedBound = 1_048_576

  let options: FileWatchOptions
  let pairing: PairingStage
  let tree: TreeStage
  let scanning: ScanningStage
  let watching: WatchingStage
  let ignoring: IgnoringStage
  let following: FollowingStage
  let reporter: EventReporter
  let polling: PollingStage
  let rescanning: RescanningStage
  let repairs = Repairs()
  private(set) var roots: [RootFollower] = []
  /// All that happened before this has been read.
  private var isCompleteUntil = timespec.fileTime
  private var isDrained = true
  private var timeOfRead = timespec.fileTime
  private var mustRescan = false
  private var isHandling = false

  var isStopped: Bool { reporter.isStopped }

  init(_ options: FileWatchOptions, _ observer: Observer<FileEvent, FileWatchError>) throws(FileWatchError) {
    let scheduler = Loop.current.scheduler
    let inotify = try INotify(keepsLoopAlive: options.keepsLoopAlive)
    self.options = options
    pairing = PairingStage(scheduler)
    polling = PollingStage(options, scheduler)
    ignoring = IgnoringStage(options)
    reporter = EventReporter(observer, ignoring)
    watching = WatchingStage(inotify, polling, options)
    following = FollowingStage(options, watching, polling, reporter, repairs)
    scanning = ScanningStage(options, watching, ignoring, following, reporter, repairs)
    tree = TreeStage(options, watching, ignoring, following, scanning, reporter, repairs)
    rescanning = RescanningStage(tree)
  }

  /// Watches everything, and reports what happens from here on until `stop()`.
  func start(_ paths: [BytePath]) {
    pairing.onDue = { [unowned self] in if !reporter.isPaused { handleAll() } }
    polling.onDue = { [unowned self] in
      poll()
      return roots.contains(where: \.isPolled) || following.isPolled
    }
    do throws(FileWatchError) {
      try watching.inotify.start { [self] in onReadable($0) }
      for path in paths {
        let root = try RootFollower(path, self)
        roots.append(root)
        try root.start()
        if isStopped { return }
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
    reporter.stop()
    watching.inotify.close()
    pairing.removeAll()
    polling.stop()
    for root in roots { root.stop() }
    roots = []
    following.stop()
    repairs.removeAll()
    watching.table.removeAll()
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
      if mustRescan || pairing.count > Self.pausedBound {
        mustRescan = true
        pairing.removeAll()
      }
    } else {
      handleAll()
    }
  }

  /// Reads what the queue holds.
  private func read() {
    let time = timespec.fileTime
    var error: Int32 = 0
    isDrained = pairing.fill(from: watching.inotify.descriptor, error: &error)
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
      while !isStopped, !reporter.isPaused, let step = pairing.next(mayPair: isPairable) { try handle(step) }
      if isStopped || reporter.isPaused || pairing.count > 0 { return }
      try rescanning.repair()
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
      for root in roots where root.isPolled && !isStopped { try root.check() }
      try following.compare()
      try rescanning.compare(polling.directories())
      if !isStopped { noticeLimit() }
    } catch {
      fail(error)
    }
  }

  /// Whether it matters where what departs arrives: it is known, and not ignored.
  private func isPairable(_ event: RawEvent) -> Bool {
    var user = watching.table[event.watch]
    while let watch = user {
      if let directory = watch as? Directory, directory.admits(event.name), directory.entries.find(event.name) != nil {
        // What is ignored is not reported wherever it goes, and what arrives from there has just come into being.
        if !ignoring.hides(event.name, in: directory, isDirectory: event.isDirectory) { return true }
      }
      user = watch.next
    }
    return false
  }

  private func noticeLimit() {
    polling.noticeLimit(watches: watching.table.count, links: following.unwatchedCount)
  }

  // MARK: Making good what was dropped

  /// The kernel, or a pause, has dropped events: compares everything with the file system.
  func rescan() throws(FileWatchError) {
    mustRescan = false
    let since = isCompleteUntil
    // What happened before the comparison is part of it.
    repeat {
      read()
      pairing.removeAll()
    } while !isDrained && !isStopped
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
