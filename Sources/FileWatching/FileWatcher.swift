import EventLoops
import Glibc
import Streams

/// One observation of `Operation.fileEvents`: the stages from the kernel's queue to the observer.
///
///     kernel ─→ pairing ─→ tree ─→ ignoring ─→ coalescing ─→ observer
///                  │         ↑          (EventReporter)
///                  ├─→ scanning, watching     new directories
///                  ├─→ rescanning             dropped events, and changes that could not be followed
///     timer ──→ polling ─→ rescanning         file systems without events
///
/// - `PairingStage` returns the kernel's events in order, with both halves of a rename as one.
/// - `TreeStage` has the content of the watched directories, and follows names that are added, removed, and moved.
/// - `ScanningStage` walks into directories, and `WatchingStage` watches each of them.
/// - `FollowingStage` follows symbolic links to files, if links are followed.
/// - `IgnoringStage` drops ignored changes, and `CoalescingStage` repeated ones.
/// - `PollingStage` has the directories that are not watched, and `RescanningStage` compares them, and directories with dropped events,
///   with the tree.
///
/// Each stage refers to the stages that it uses and not to the watcher, so it can be created and tested without one.
///
/// How no change is lost: a directory is watched first and listed afterwards, so a change in between is found twice instead of never. Each
/// directory stores its names (`NameTable`), and a known name is not reported again. Events are handled strictly in the order of the
/// kernel's queue. When an event is handled, the file system can have changed further. So a directory is opened relative to its verified
/// parent and identified by the number of its watch. If a path leads elsewhere, the directory is marked dirty, and compared with the file
/// system after all events have been handled.
///
/// Ownership: libuv ===> PollHandle ===> FileWatcher, until `stop()`; the subscription ===> FileWatcher ===> observer.
/// FileWatcher ===> RootFollower ===> Directory ===> its children. WatchTable ===> each watched Directory.
final class FileWatcher {
  /// The number of bytes of kernel events, some 30,000 events, that are held for a paused observer. Further events are dropped, and a rescan
  /// replaces them, as for events that the kernel drops.
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
  /// Nil if all directories are polled, or the system does not report mounts.
  private var mounts: Mounts?
  /// The points at which a file system has been mounted or unmounted, and that have not been compared yet.
  private var changedMounts: [[UInt8]] = []
  private(set) var roots: [RootFollower] = []
  /// All events before this time have been read.
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

  /// Watches the paths, and reports their changes from here on until `stop()`.
  func start(_ paths: [BytePath]) {
    pairing.onDue = { [unowned self] in if !reporter.isPaused { handleAll() } }
    polling.onDue = { [unowned self] in
      poll()
      return roots.contains(where: \.isPolled) || following.isPolled
    }
    do throws(FileWatchError) {
      try watching.inotify.start { [self] in onReadable($0) }
      try startMounts()
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

  /// Ends the watching. No change is reported afterwards.
  func stop() {
    if isStopped { return }
    reporter.stop()
    release()
  }

  private func fail(_ error: FileWatchError) {
    if isStopped { return }
    reporter.fail(error)
    release()
  }

  /// Closes and releases everything, after the reporter has been stopped.
  private func release() {
    watching.inotify.close()
    mounts?.close()
    mounts = nil
    changedMounts = []
    pairing.removeAll()
    polling.stop()
    for root in roots { root.stop() }
    roots = []
    following.stop()
    repairs.removeAll()
    watching.table.removeAll()
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
      // The kernel's queue must not fill up during a pause, and this queue must not grow without a limit.
      if mustRescan || pairing.count > Self.pausedBound {
        mustRescan = true
        pairing.removeAll()
      }
    } else {
      handleAll()
    }
  }

  /// Reads all events of the queue.
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
      if !changedMounts.isEmpty { try compareMounts() }
      try rescanning.repair()
      if isStopped { return }
      noticeLimit()
      if isDrained { isCompleteUntil = timeOfRead }
    } catch {
      fail(error)
    }
  }

  /// Compares the polled directories, unless the observer is paused.
  func poll() {
    if isStopped || reporter.isPaused || isHandling { return }
    isHandling = true
    defer { isHandling = false }
    do throws(FileWatchError) {
      reporter.beginBatch()
      for root in roots where root.isPolled && !isStopped { try root.check() }
      try following.compare()
      for directory in polling.takeFailed() { repairs.markDirty(directory) }
      try rescanning.compare(polling.directories())
      if !isStopped { noticeLimit() }
    } catch {
      fail(error)
    }
  }

  /// Returns whether the arrival of a departed name matters: the name is known and not ignored.
  private func isPairable(_ event: RawEvent) -> Bool {
    var user = watching.table[event.watch]
    while let watch = user {
      if let directory = watch as? Directory, directory.admits(event.name), directory.entries.find(event.name) != nil {
        // A move of an ignored name is not reported, and its arrival elsewhere counts as a new file.
        if !ignoring.hides(event.name, in: directory, isDirectory: event.isDirectory) { return true }
      }
      user = watch.next
    }
    return false
  }

  private func noticeLimit() {
    polling.noticeLimit(watches: watching.table.count, links: following.unwatchedCount)
  }

  // MARK: Mounts

  /// Begins before the first directory is watched, so that no mount is missed.
  private func startMounts() throws(FileWatchError) {
    if options.polling == .always { return }
    do throws(UVError) {
      let mounts = try Mounts(keepsLoopAlive: options.keepsLoopAlive)
      self.mounts = mounts
      try mounts.start { [unowned self] result in
        switch result {
        case .success(let points):
          changedMounts += points
          if !reporter.isPaused, !isHandling { handleAll() }
        case .failure(let error): noticeMounts(error)
        }
      }
    } catch {
      // libuv's errors are the negative ones of the system.
      if [EMFILE, ENFILE, ENOMEM].contains(-error.code.rawValue) { throw .instanceLimit(error) }
      noticeMounts(error)
    }
  }

  private func noticeMounts(_ error: UVError) {
    mounts?.close()
    mounts = nil
    options.onNotice(.unreadable(BytePath(Mounts.path), error))
  }

  /// Compares the directories above the mount points with the file system, because another directory is there now.
  private func compareMounts() throws(FileWatchError) {
    let points = changedMounts
    changedMounts = []
    // Links lead out of the roots. Otherwise, no directory outside of them is opened, which may block.
    var tops: [[UInt8]]?
    if !options.followsLinks {
      tops = []
      for root in roots { if let top = try topLocation(root) { tops?.append(top) } }
    }
    for point in points {
      let (above, name) = split(point)
      if name.isEmpty { continue }
      if let tops, !tops.contains(where: { isLocation(above, inside: $0) }) { continue }
      let descriptor = openDirectory(above, openPathOnly)
      defer { if descriptor >= 0 { close(descriptor) } }
      let number = watching.inotify.watch(descriptor)
      if number < 0 {
        // At the limit on watches, the directories there are polled.
        if !FileWatchError.isPassedOver(errno), errno != ENOSPC {
          throw .system(errno, "inotify_add_watch", BytePath(bytes: above))
        }
        continue
      }
      for case let directory as Directory in watching.table.users(of: number) { repairs.markDirty(directory) }
      watching.table.dropIfUnused(number)
    }
    for root in roots where !isStopped { try root.check() }
  }

  /// The location of the topmost directory of a root. Nil if there is none.
  private func topLocation(_ root: RootFollower) throws(FileWatchError) -> [UInt8]? {
    if root.directoryLocation.isEmpty { return nil }
    if let location = realLocation(root.directoryLocation) { return location }
    try watching.passOver(errno, "realpath", { root.path })
    return nil
  }

  // MARK: Dropped events

  /// Compares everything with the file system, after the kernel or a pause has dropped events.
  func rescan() throws(FileWatchError) {
    mustRescan = false
    let since = isCompleteUntil
    // Earlier changes are part of the comparison.
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
