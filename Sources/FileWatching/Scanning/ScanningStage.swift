import EventLoops
import Glibc

/// The stage that scans: it walks into directories, at the start and when new ones are found. It watches and lists each
/// one, and reads its rules.
final class ScanningStage {
  private static let directoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK
  /// The most directories that are held open while walking down a tree.
  private static let openBound = 32
  /// The number of directories between two reports of the progress.
  private static let progressStep = 1_000

  private let options: FileWatchOptions
  private let watching: WatchingStage
  private let ignoring: IgnoringStage
  private let following: FollowingStage
  private let reporter: EventReporter
  private let repairs: Repairs
  private let reader: DirectoryReader
  /// Directories that have been listed, but whose entries have not been walked yet, because the tree is too deep to
  /// hold all directories open.
  private var unfinished: [(directory: Directory, isReported: Bool)] = []
  /// The number of directories scanned so far.
  private(set) var count = 0

  init(
    _ options: FileWatchOptions, _ watching: WatchingStage, _ ignoring: IgnoringStage, _ following: FollowingStage,
    _ reporter: EventReporter, _ repairs: Repairs
  ) {
    self.options = options
    self.watching = watching
    self.ignoring = ignoring
    self.following = following
    self.reporter = reporter
    self.repairs = repairs
    reader = DirectoryReader(followsLinks: options.followsLinks)
  }

  /// Scans the topmost directory of a tree, which is already watched and open as `descriptor`.
  func scan(_ top: Directory, _ descriptor: Int32, isReported: Bool) throws(FileWatchError) {
    try read(top, descriptor)
    if isReported { reporter.report(FileEvent(.created, top.path, isDirectory: true)) }
    try walk(top, descriptor, depth: 1, isReported)
    try finishWalks()
  }

  /// The symbolic links of the last listing, if links are followed.
  var listedLinks: [[UInt8]] { reader.links }

  /// Lists the directory that is open as `descriptor`. A topmost directory that stands for a file lists one name only.
  func list(_ directory: Directory, _ descriptor: Int32) -> NameTable {
    guard let onlyName = directory.onlyName else { return reader.list(descriptor) }
    var table = NameTable()
    onlyName.withUnsafeBufferPointer { name in
      if let status = FileStatus(of: name, in: descriptor) {
        table.insert(
          name, status.isDirectory ? .directory : .file, status.isDirectory ? NameTable.noChild : status.inode)
      }
    }
    return table
  }

  private func read(_ directory: Directory, _ descriptor: Int32) throws(FileWatchError) {
    directory.entries = reader.list(descriptor)
    if try !noticeFailure(of: directory) { try following.update(directory, reader.links, isComplete: true) }
    stampFiles(in: directory, descriptor)
    ignoring.load(directory, descriptor, directory.entries)
    count += 1
    if count % Self.progressStep == 0 { options.onProgress(count) }
  }

  /// Reports that the last listing ended early. Returns false if it is complete.
  func noticeFailure(of directory: Directory) throws(FileWatchError) -> Bool {
    if directory.onlyName != nil || reader.failure == 0 { return false }
    try watching.passOver(reader.failure, "getdents64", { directory.path }, retrying: directory)
    return true
  }

  /// Returns true if the directories in a directory are watched, unless they are ignored.
  func looksInto(directoriesIn directory: Directory) -> Bool {
    if !options.recursive { return false }
    return options.maximumDepth == .max || directory.depth + 2 <= options.maximumDepth
  }

  /// Returns true if the directory `name` in a directory must be watched.
  func mayEnter(_ name: NameBytes, in directory: Directory) -> Bool {
    !reporter.isStopped && looksInto(directoriesIn: directory)
      && !ignoring.hides(name, in: directory, isDirectory: true)
  }

  /// Watches the directory `name` and walks it, if it still exists and must be walked.
  func enter(_ name: NameBytes, in directory: Directory, isReported: Bool) throws(FileWatchError) {
    if !mayEnter(name, in: directory) { return }
    let isOpen = try watching.withVerified(directory) { descriptor throws(FileWatchError) -> Bool in
      try enter(name, in: directory, descriptor, depth: 0, isReported)
      return true
    }
    if isOpen == nil { repairs.markDirty(directory) }
    try finishWalks()
  }

  /// Watches the directory `name` in an open directory, and walks it.
  func enter(
    _ name: NameBytes, in directory: Directory, _ descriptor: Int32, depth: Int, _ isReported: Bool
  ) throws(FileWatchError) {
    let child = withTerminated(name) { openat(descriptor, $0, Self.directoryFlags | watching.linkFlag) }
    if child < 0 {
      let error = errno
      // The target of a link has gone since it was looked at. No event will report that, so the link is looked at again.
      if options.followsLinks, error == ENOENT || error == ENOTDIR { repairs.markDirty(directory) }
      return try watching.passOver(error, "open", { directory.path(of: name) }, retrying: directory)
    }
    defer { close(child) }
    guard let position = directory.entries.find(name), directory.child(at: position) == nil else { return }
    let node = Directory(name: Array(name))
    // The watch comes first, then the listing: changes in between are found twice instead of never.
    if try !watching.bind(node, child, path: { directory.path(of: name) }) { return }
    // The target of a link can have been replaced before it was watched.
    if options.followsLinks, FileStatus(of: name, in: descriptor)?.isLink == true,
      FileStatus(of: name, in: descriptor, followsLinks: true)?.inode != FileStatus(of: child)?.inode
    {
      repairs.markDirty(directory)
      return watching.drop(node)
    }
    // A link that leads to a directory above it would never end.
    if options.followsLinks, directory.isBelow(node, child) { return watching.drop(node) }
    directory.attach(node, at: position)
    try read(node, child)
    if depth < Self.openBound {
      try walk(node, child, depth: depth + 1, isReported)
    } else {
      unfinished.append((node, isReported))
    }
  }

  /// Walks the entries of a directory that has just been listed.
  func walk(_ directory: Directory, _ descriptor: Int32, depth: Int, _ isReported: Bool) throws(FileWatchError) {
    var position = 0
    while !reporter.isStopped, let found = directory.entries.entry(from: position) {
      position = directory.entries.end(of: found)
      let isDirectory = directory.entries.kind(at: found) == .directory
      if !isReported, !isDirectory { continue }
      let name = directory.entries.name(at: found)
      try name.withUnsafeBufferPointer { name throws(FileWatchError) in
        if isReported { reporter.report(.created, name, in: directory, isDirectory: isDirectory) }
        if isDirectory, mayEnter(name, in: directory) {
          try enter(name, in: directory, descriptor, depth: depth, isReported)
        }
      }
    }
  }

  /// Walks the directories that were too deep.
  func finishWalks() throws(FileWatchError) {
    while !reporter.isStopped, let (directory, isReported) = unfinished.popLast() {
      let isOpen = try watching.withVerified(directory) { descriptor throws(FileWatchError) -> Bool in
        try walk(directory, descriptor, depth: 0, isReported)
        return true
      }
      if isOpen == nil {
        directory.entries = NameTable()
        repairs.markDirty(directory)
      }
    }
  }

  /// Stores a stamp for each file of a polled directory, instead of its inode.
  private func stampFiles(in directory: Directory, _ descriptor: Int32) {
    if !directory.isPolled { return }
    var position = 0
    while let found = directory.entries.entry(from: position) {
      position = directory.entries.end(of: found)
      if directory.entries.kind(at: found) != .file { continue }
      let stamp = directory.entries.name(at: found).withUnsafeBufferPointer {
        FileStatus.stamp(of: $0, in: descriptor, options)
      }
      directory.entries.setNumber(stamp ?? 0, at: found)
    }
  }
}
