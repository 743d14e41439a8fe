import EventLoops
import Glibc

/// Watches a directory for one name: the next step on the way to a root.
class Sentinel: Watch {
  fileprivate(set) final unowned(unsafe) var root: RootFollower?
  final let name: [UInt8]

  init(_ root: RootFollower, _ name: [UInt8]) {
    self.root = root
    self.name = name
  }

  func changed(_ name: NameBytes) throws(FileWatchError) {
    if self.name.elementsEqual(name) { try root?.check() }
  }

  /// Called when the directory itself has moved or been removed.
  func directoryChanged() throws(FileWatchError) { try root?.check() }
}

/// Follows a watched path, even if it disappears, reappears, or becomes another directory of the same name.
///
/// A directory is followed through its topmost `Directory`. A sentinel in the directory above reports when the name
/// disappears or stands for another file. A file is followed through a `Directory` that knows only its name, so a save
/// by rename is an ordinary event. While the path does not exist, the sentinel waits in the nearest existing directory
/// on the way. Symbolic links on the way, and on the ways of their targets, have sentinels too.
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
  private var sentinel: Sentinel?
  /// Sentinels for the names before the last one: renamed directories and changed links make all paths invalid.
  private var ancestors: [Sentinel] = []
  /// The steps that `sentinel` and `ancestors` watch.
  private var steps: [PathStep] = []
  /// The ignore rules outside the root that apply to it, and the files that they were read from.
  private(set) var surroundings: IgnoringStage.Surroundings?
  /// True if no watch is left for a sentinel.
  private var hasNoSentinel = false
  private var areSurroundingsOutdated = false
  private var ruleFiles: [Sentinel] = []
  private unowned let watcher: FileWatcher

  init(_ path: BytePath, _ watcher: FileWatcher) throws(FileWatchError) {
    self.path = path
    self.watcher = watcher
    location = absoluteLocation(path.bytes)
  }

  /// Starts following. Throws if the path does not exist.
  func start() throws(FileWatchError) {
    try placeSentinel()
    let error = try follow(isReported: watcher.options.reportsExisting)
    if error != 0 { throw .system(error, "open", path) }
  }

  func stop() {
    sentinel?.root = nil
    for sentinel in ancestors + ruleFiles { sentinel.root = nil }
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
    if try isFollowed(top) {
      // Another link can lead to the same file.
      try placeSentinel()
      return
    }
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
    while !watcher.isStopped {
      let place = try placeSentinel()
      if try follow(isReported: true) == 0 { return }
      // The next step may have appeared before the sentinel watched for it.
      if try placeSentinel() == place { return }
    }
  }

  /// Watches the directory of the last step on the way to the root, which is the root itself or the first name that does
  /// not exist. Returns the number of the watch.
  @discardableResult
  private func placeSentinel() throws(FileWatchError) -> Int32 {
    if watcher.options.polling == .always { return -1 }
    let steps = PathStep.all(to: location)
    for (index, step) in steps.enumerated().reversed() {
      let descriptor = openDirectory(step.directory, openPathOnly)
      if descriptor < 0 { continue }
      defer { close(descriptor) }
      let number = watcher.watching.inotify.watch(descriptor, INotify.sentinelMask)
      hasNoSentinel = number < 0 && errno == ENOSPC && watcher.options.polling != .never
      if number < 0, !hasNoSentinel, !FileWatchError.isPassedOver(errno) {
        throw .system(errno, "inotify_add_watch", path)
      }
      if listen(step.name, number) || self.steps != steps {
        self.steps = steps
        watch(steps[..<index])
      }
      if hasNoSentinel { watcher.polling.schedule() }
      return number
    }
    return -1
  }

  /// Installs a sentinel at the watch with this number. Returns false if it is already installed.
  private func listen(_ name: [UInt8], _ number: Int32) -> Bool {
    if let sentinel, sentinel.number == number, sentinel.name == name { return false }
    let old = sentinel
    sentinel = nil
    if number >= 0 {
      let new = Sentinel(self, name)
      watcher.watching.table.bind(new, to: number)
      sentinel = new
    }
    if let old {
      old.root = nil
      watcher.watching.table.unbind(old)
    }
    return true
  }

  /// Watches the directories further above for renames, and those of symbolic links for the links. If a directory cannot
  /// be watched, only its renames are missed, so it is skipped.
  private func watch(_ steps: ArraySlice<PathStep>) {
    let old = ancestors
    ancestors = []
    for step in steps {
      let descriptor = openDirectory(step.directory, openPathOnly)
      if descriptor < 0 { continue }
      defer { close(descriptor) }
      let mask = step.isLink ? INotify.sentinelMask : INotify.ancestorMask
      let number = watcher.watching.inotify.watch(descriptor, mask)
      if number >= 0 {
        let ancestor = Sentinel(self, step.name)
        watcher.watching.table.bind(ancestor, to: number)
        ancestors.append(ancestor)
      } else if step.isLink, errno == ENOSPC, watcher.options.polling != .never {
        hasNoSentinel = true
      }
    }
    for ancestor in old {
      ancestor.root = nil
      watcher.watching.table.unbind(ancestor)
    }
  }

  // MARK: Ignore rules

  /// Reads the rules outside the root, and watches their files for changes.
  private func readSurroundings() {
    areSurroundingsOutdated = false
    let old = ruleFiles
    ruleFiles = []
    for path in watcher.ignoring.surroundings(of: location)?.sources ?? [] { waitForRules(at: path) }
    // Read again, because a file may have changed before it was watched.
    surroundings = watcher.ignoring.surroundings(of: location)
    for sentinel in old {
      sentinel.root = nil
      watcher.watching.table.unbind(sentinel)
    }
  }

  /// Watches the directory of a file of rules, or the nearest existing directory on the way, and those of links on the way.
  private func waitForRules(at path: [UInt8]) {
    let steps = PathStep.all(to: path)
    for (index, step) in steps.enumerated() where step.isLink || index == steps.count - 1 {
      let descriptor = openDirectory(step.directory, openPathOnly)
      if descriptor < 0 { continue }
      defer { close(descriptor) }
      let number = watcher.watching.inotify.watch(descriptor, RuleFileSentinel.mask)
      if number < 0 { continue }
      let sentinel = RuleFileSentinel(self, step.name)
      watcher.watching.table.bind(sentinel, to: number)
      ruleFiles.append(sentinel)
    }
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
