import Glibc

/// The stage that rescans: it compares the tree with the file system and reports each difference. The same comparison
/// serves polled directories, events that the kernel dropped, and directories that could not be reached.
final class RescanningStage {
  private let watching: WatchingStage
  private let ignoring: IgnoringStage
  private let scanning: ScanningStage
  private let tree: TreeStage
  private let reporter: EventReporter
  private let repairs: Repairs
  /// The directories of a tree that have not been compared yet.
  private var uncompared: [Directory] = []

  init(_ tree: TreeStage) {
    self.tree = tree
    watching = tree.watching
    ignoring = tree.ignoring
    scanning = tree.scanning
    reporter = tree.reporter
    repairs = tree.repairs
  }

  /// Compares a whole tree. Also reports files that have been changed since `since`.
  func compareTree(_ top: Directory, since: timespec) throws(FileWatchError) {
    uncompared = [top]
    while !reporter.isStopped, let directory = uncompared.popLast() { try compare(directory, since: since) }
    try scanning.finishWalks()
  }

  /// Compares the directories that could not be reached, after all events have been handled.
  func repair() throws(FileWatchError) {
    if !repairs.doubts.isEmpty { try resolveDoubts() }
    if !repairs.unconsidered.isEmpty { try tree.reconsider() }
    // A comparison may reveal further directories to compare. If a directory still cannot be reached, later events will
    // explain it.
    for _ in 0..<3 where !repairs.dirty.isEmpty {
      let directories = repairs.dirty
      repairs.dirty = []
      for directory in directories {
        directory.isDirty = false
        if !reporter.isStopped { try compare(directory, since: nil) }
      }
      try scanning.finishWalks()
    }
  }

  /// Checks the names that should no longer exist.
  private func resolveDoubts() throws(FileWatchError) {
    var rest = repairs.doubts[...]
    repairs.doubts = []
    while let directory = rest.first?.directory {
      let names = rest.prefix { $0.directory === directory }
      rest = rest.dropFirst(names.count)
      if !directory.isAttached || directory.isDirty { continue }
      let isAsKnown = try watching.withVerified(directory) { descriptor throws(FileWatchError) in
        for (_, name) in names where !(try isKnown(name, in: directory, descriptor)) { return false }
        return true
      }
      if isAsKnown != true { repairs.markDirty(directory) }
    }
  }

  /// Returns false if the name exists although the tree does not have it. Reports a file that has another inode than the
  /// one in the tree: an exchange has put it there.
  private func isKnown(_ name: [UInt8], in directory: Directory, _ descriptor: Int32) throws(FileWatchError) -> Bool {
    try name.withUnsafeBufferPointer { name throws(FileWatchError) in
      guard let status = FileStatus(of: name, in: descriptor) else { return true }
      guard let position = directory.entries.find(name) else { return false }
      let known = directory.entries.number(at: position)
      if directory.isPolled || directory.entries.kind(at: position) != .file || known == 0 || known == status.inode {
        return true
      }
      directory.entries.setNumber(status.inode, at: position)
      try tree.changed(name, in: directory)
      reporter.report(.modified, name, in: directory, isDirectory: false)
      return true
    }
  }

  /// Opens a directory by its path, watches it again, and compares it.
  func compare(_ directory: Directory, since: timespec?) throws(FileWatchError) {
    if !directory.isAttached { return }
    let descriptor = openDirectory(directory.location, O_RDONLY | (directory.isTop ? 0 : watching.linkFlag))
    if descriptor < 0 {
      let error = errno
      try watching.passOver(error, "open", { directory.path }, retrying: directory)
      // A later event will explain it.
      if error != EACCES, !FileWatchError.isTransient(error), !directory.isTop, !directory.isPolled {
        repairs.markDirty(directory)
      }
      return
    }
    defer { close(descriptor) }
    var isBound = directory.isPolled
    if !isBound { isBound = try watching.bind(directory, descriptor, path: { directory.path }) }
    if isBound {
      try compare(directory, descriptor, since: since)
    }
  }

  /// Compares a directory with the file system and reports each difference. With `since`, also compares everything
  /// below it, and reports files that have been changed since then.
  private func compare(_ directory: Directory, _ descriptor: Int32, since: timespec?) throws(FileWatchError) {
    let listing = scanning.list(directory, descriptor)
    let links = scanning.listedLinks
    let isIncomplete = try scanning.noticeFailure(of: directory)
    if !directory.isPolled {
      // The changes of the files of rules are unknown.
      let hadRules = directory.rules != nil
      ignoring.load(directory, descriptor, listing)
      if hadRules || directory.rules != nil { repairs.markReconsidered(directory) }
    }
    // A name that has not been read may exist.
    for name in directory.entries.names where !isIncomplete {
      try name.withUnsafeBufferPointer { name throws(FileWatchError) in
        if listing.find(name) == nil { try tree.disappeared(name, from: directory) }
      }
    }
    var position = 0
    while !reporter.isStopped, let found = listing.entry(from: position) {
      position = listing.end(of: found)
      try listing.name(at: found).withUnsafeBufferPointer { name throws(FileWatchError) in
        try compare(name, listing.kind(at: found), listing.number(at: found), in: directory, descriptor, since)
      }
    }
    if !isIncomplete { try tree.following.update(directory, links, isComplete: since == nil) }
  }

  private func compare(
    _ name: NameBytes, _ kind: NameTable.Kind, _ inode: UInt64, in directory: Directory, _ descriptor: Int32,
    _ since: timespec?
  ) throws(FileWatchError) {
    if let position = directory.entries.find(name), directory.entries.kind(at: position) == kind {
      if kind == .file {
        if directory.isPolled {
          try comparePolledFile(name, position, in: directory, descriptor)
        } else if let since {
          compareFile(name, position, inode, in: directory, descriptor, since)
        }
        return
      }
      guard let child = directory.child(at: position) else {
        try enterKnown(name, in: directory, descriptor)
        return
      }
      // A polled directory is compared separately.
      if child.isPolled { return }
      // Without a number, the watch of the child has ended, because its directory has been removed.
      if case .found(child.number) = try watching.probe(name, in: directory, descriptor), child.number >= 0 {
        if since != nil { uncompared.append(child) }
        return
      }
    }
    try tree.disappeared(name, from: directory)
    let stamp = directory.isPolled && kind == .file ? FileStatus.stamp(of: name, in: descriptor, tree.options) : nil
    directory.entries.insert(name, kind, stamp ?? inode)
    if directory.isPolled { try tree.changed(name, in: directory) }
    reporter.report(.created, name, in: directory, isDirectory: kind == .directory)
    if kind == .directory { try enterKnown(name, in: directory, descriptor) }
  }

  private func enterKnown(_ name: NameBytes, in directory: Directory, _ descriptor: Int32) throws(FileWatchError) {
    if !scanning.mayEnter(name, in: directory) { return }
    try scanning.enter(name, in: directory, descriptor, depth: 0, true)
  }

  /// Compares a file without a stored time: it has changed if its times are later than the last event that was surely
  /// read.
  private func compareFile(
    _ name: NameBytes, _ position: Int, _ inode: UInt64, in directory: Directory, _ descriptor: Int32, _ since: timespec
  ) {
    let known = directory.entries.number(at: position)
    let end = tree.options.followsLinks ? FileStatus(of: name, in: descriptor, followsLinks: true) : nil
    guard let status = end ?? FileStatus(of: name, in: descriptor) else { return }
    directory.entries.setNumber(inode, at: position)
    if (known != 0 && known != inode) || status.modified.mayFollow(since) {
      reporter.report(.modified, name, in: directory, isDirectory: false)
    } else if status.changed.mayFollow(since) {
      // If the inode is unknown, it may also be another file that was moved here.
      reporter.report(known == 0 ? .modified : .attributes, name, in: directory, isDirectory: false)
    }
  }

  /// Compares a file in a polled directory with its stored stamp.
  private func comparePolledFile(
    _ name: NameBytes, _ position: Int, in directory: Directory, _ descriptor: Int32
  ) throws(FileWatchError) {
    guard let stamp = FileStatus.stamp(of: name, in: descriptor, tree.options) else { return }
    let known = directory.entries.number(at: position)
    if known == stamp { return }
    directory.entries.setNumber(stamp, at: position)
    let isContent = known >> 32 != stamp >> 32
    if isContent { try tree.changed(name, in: directory) }
    reporter.report(isContent ? .modified : .attributes, name, in: directory, isDirectory: false)
  }

  /// Compares the polled directories.
  func compare(_ polled: [Directory]) throws(FileWatchError) {
    // A comparison may remove other directories from the tree, and add directories that have just been listed.
    for directory in polled where directory.isPolled && directory.isAttached && !reporter.isStopped {
      try compare(directory, since: nil)
    }
    try scanning.finishWalks()
    try repair()
  }
}
