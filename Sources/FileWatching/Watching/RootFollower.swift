import EventLoops
import Glibc

/// Watches a directory for one name: a step on the way to a root.
class Sentinel: StepWatch {
  fileprivate(set) final unowned(unsafe) var root: RootFollower?

  init(_ root: RootFollower, _ step: PathStep) {
    self.root = root
    super.init(step)
  }

  override func detach() { root = nil }

  func changed(_ event: RawEvent) throws(FileWatchError) {
    if isReplaced(by: event) { try root?.check() }
  }

  /// Called when the directory itself has moved or been removed.
  func directoryChanged() throws(FileWatchError) { try root?.check() }
}

/// Follows a watched path, even if it disappears, reappears, or becomes another directory of the same name.
///
/// A directory is followed through its topmost `Directory`. A sentinel in the directory above reports when the name
/// disappears or stands for another file. A file is followed through a `Directory` that knows only its name, so a save
/// by rename is an ordinary event. While the path does not exist, the sentinel waits in the nearest existing directory
/// on the way, and another one in the directory above reports when that one is removed. Symbolic links on the way, and
/// on the ways of their targets, have sentinels too.
final class RootFollower {
  /// The path as passed by the caller.
  let path: BytePath
  /// The absolute path, so that it does not depend on the working directory.
  private let location: [UInt8]
  /// The path of the topmost directory: the root itself, or the directory that contains the file.
  private(set) var directoryLocation: [UInt8] = []
  /// True if the root is a directory, or was one when it was last seen.
  private(set) var isDirectory = true
  private var top: Directory?
  /// The watches on the way to the root.
  private var sentinels: [Sentinel] = []
  /// The ignore rules outside the root that apply to it, and the files that they were read from.
  private(set) var surroundings: IgnoringStage.Surroundings?
  /// True if a step on the way to the root cannot be watched, or its file system does not report the changes of other systems.
  private var hasNoSentinel = false
  private var areSurroundingsOutdated = false
  /// The watches on the way to each file of rules outside the root.
  private var ruleFiles: [[UInt8]: [RuleFileSentinel]] = [:]
  private unowned let watcher: FileWatcher

  init(_ path: BytePath, _ watcher: FileWatcher) throws(FileWatchError) {
    self.path = path
    self.watcher = watcher
    guard let location = absoluteLocation(path.bytes) else { throw .system(errno, "getcwd", path) }
    self.location = location
  }

  /// Starts following. Throws if the path does not exist.
  func start() throws(FileWatchError) {
    try placeSentinels()
    let error = try follow(isReported: watcher.options.reportsExisting)
    if error != 0 { throw .system(error, "open", path) }
  }

  func stop() {
    for sentinel in sentinels { sentinel.detach() }
    for sentinel in ruleFiles.values.joined() { sentinel.detach() }
    top?.dismantle { _ in }
    top = nil
  }

  /// True if the path must be checked at regular intervals.
  var isPolled: Bool { watcher.options.polling == .always || hasNoSentinel || top?.isPolled ?? false }

  // MARK: Following

  /// Follows the current file or directory at the path. Returns 0, or the error number if there is none.
  private func follow(isReported: Bool) throws(FileWatchError) -> Int32 {
    let descriptor = openDirectory(location, O_RDONLY)
    if descriptor < 0 {
      let error = errno
      if error == ENOTDIR { return try followFile(isReported: isReported) }
      if !FileWatchError.isPassedOver(error) { throw .system(error, "open", path) }
      return error
    }
    defer { close(descriptor) }
    isDirectory = true
    directoryLocation = location
    let prefix = path.bytes.last == BytePath.slash ? path.bytes : path.bytes + [BytePath.slash]
    let directory = Directory(root: self, location: location, prefix: prefix)
    if try !watcher.watching.bind(directory, descriptor, path: { path }) { return errno }
    top = directory
    readSurroundings()
    try watcher.scanning.scan(directory, descriptor, isReported: isReported)
    return 0
  }

  /// Follows a file: watches its directory for its name.
  private func followFile(isReported: Bool) throws(FileWatchError) -> Int32 {
    guard let target = realLocation(location) else { return errno }
    let (above, name) = split(target)
    let descriptor = openDirectory(above, O_RDONLY)
    if descriptor < 0 { return errno }
    defer { close(descriptor) }
    isDirectory = false
    directoryLocation = above
    let length = path.bytes.lastIndex(of: BytePath.slash).map { $0 + 1 } ?? 0
    let directory = Directory(root: self, location: above, prefix: Array(path.bytes[..<length]), onlyName: name)
    if try !watcher.watching.bind(directory, descriptor, path: { path }) { return errno }
    top = directory
    name.withUnsafeBufferPointer { name in
      if let status = FileStatus(of: name, in: descriptor) {
        directory.entries.insert(name, .file, directory.isPolled ? status.stamp : status.inode)
      }
    }
    if isReported { watcher.reporter.report(FileEvent(.created, path)) }
    return 0
  }

  // MARK: Losing and finding

  /// Finds out what is at the path now, because something has changed on the way to it.
  func check() throws(FileWatchError) {
    if watcher.isStopped { return }
    guard let top else { return try comeBack() }
    // First, because another link can lead to the same file, and so that no change after the comparison is missed.
    try placeSentinels()
    if try isFollowed(top) { return }
    self.top = nil
    let wasThere = isDirectory || top.entries.count > 0
    let wasDirectory = isDirectory
    watcher.watching.drop(top)
    if wasThere { watcher.reporter.report(FileEvent(.removed, path, isDirectory: wasDirectory)) }
    try comeBack()
  }

  /// Returns true if the path still leads to the followed file or directory.
  private func isFollowed(_ top: Directory) throws(FileWatchError) -> Bool {
    if !isDirectory {
      let directory = openDirectory(location, openPathOnly)
      if directory >= 0 {
        close(directory)
        return false
      }
      guard let step = PathStep.all(to: location).last, step.isEnd,
        step.directory == directoryLocation, step.name == top.onlyName
      else { return false }
    }
    return try watcher.watching.withVerified(top) { _ in true } ?? false
  }

  /// Follows the root if it exists. Otherwise waits for it in the nearest existing directory above.
  private func comeBack() throws(FileWatchError) {
    if watcher.isStopped { return }
    try placeSentinels()
    _ = try follow(isReported: true)
  }

  /// Watches the directories of all steps on the way to the root, each for the events that can change the way.
  private func placeSentinels() throws(FileWatchError) {
    if watcher.options.polling == .always { return }
    let watching = watcher.watching
    sentinels = try watching.table.follow(
      sentinels,
      resolve: { () throws(FileWatchError) in
        hasNoSentinel = false
        var failure: Int32 = 0
        let steps = PathStep.all(to: location) { failure = $0 }
        if failure != 0 { try cannotWait(failure, "lstat") }
        return steps
      },
      watch: { directory, step throws(FileWatchError) in
        if directory >= 0, step.role != .passed, case .fileSystem = watcher.polling.reason(for: directory) {
          hasNoSentinel = true
        }
        let number = watching.inotify.watch(directory, step.mask(awaited: INotify.sentinelMask))
        if number >= 0 { return number }
        // Of the other directories, only renames are missed.
        if step.role != .passed { try cannotWait(errno, "inotify_add_watch") }
        return nil
      }, make: { Sentinel(self, $0) })
    if hasNoSentinel { watcher.polling.schedule() }
  }

  /// Handles the error of a step on the way to the root that cannot be watched. The path is polled instead, because no
  /// event would report that it is there again.
  private func cannotWait(_ errno: Int32, _ call: String) throws(FileWatchError) {
    if FileWatchError.isAbsent(errno) { return }
    let isPassedOver = FileWatchError.isPassedOver(errno)
    if isPassedOver || errno == ENOSPC, watcher.options.polling != .never {
      hasNoSentinel = true
    } else if isPassedOver {
      try watcher.watching.passOver(errno, call, { path })
    } else {
      throw .system(errno, call, path)
    }
  }

  // MARK: Ignore rules

  /// Reads the rules outside the root, and watches their files for changes.
  private func readSurroundings() {
    areSurroundingsOutdated = false
    let old = ruleFiles
    ruleFiles = [:]
    for path in watcher.ignoring.surroundings(of: location)?.sources ?? [] where ruleFiles[path] == nil {
      ruleFiles[path] = waitForRules(at: path, old[path] ?? [])
    }
    // Read again, because a file may have changed before it was watched.
    surroundings = watcher.ignoring.surroundings(of: location)
    for (path, sentinels) in old where ruleFiles[path] == nil { watcher.watching.table.end(sentinels) }
  }

  /// Watches the way to a file of rules. A directory that cannot be watched is skipped, and reported unless the file is one that this
  /// user may not read either.
  private func waitForRules(at path: [UInt8], _ old: [RuleFileSentinel]) -> [RuleFileSentinel] {
    let watching = watcher.watching
    return watching.table.follow(
      old, resolve: { PathStep.all(to: path) },
      watch: { directory, step throws(Never) in
        let number = watching.inotify.watch(directory, step.mask(awaited: RuleFileSentinel.mask))
        if number >= 0 { return number }
        if step.role != .passed, !FileWatchError.isAbsent(errno), errno != EACCES {
          watching.notice(errno, "inotify_add_watch", BytePath(bytes: path))
        }
        return nil
      }, make: { RuleFileSentinel(self, $0) })
  }

  /// Called when a file of ignore rules outside the root has changed.
  func rulesChanged() {
    guard isDirectory, let top else { return }
    // Read at once, because the next events are those of files to which the new rules apply.
    surroundings = watcher.ignoring.surroundings(of: location)
    // The files are watched anew later: that would change the users of the watch whose event is being handled.
    areSurroundingsOutdated = true
    watcher.repairs.markReconsidered(top)
  }

  /// Reads the rules outside the root again if their files have changed.
  func refreshSurroundings() {
    if areSurroundingsOutdated { readSurroundings() }
  }

  // MARK: Comparing

  /// Reports the changes that happened while events were dropped.
  func rescan(since: timespec) throws(FileWatchError) {
    let before = top
    try check()
    if let top, top === before { try watcher.rescanning.compareTree(top, since: since) }
  }
}
