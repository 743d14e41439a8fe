import Glibc

/// Comparing what is known with the file system, where events were dropped or could not be followed.
extension FileWatcher {
  /// Compares a whole tree. Files that have been changed since `since` are reported too.
  func compareTree(_ top: Directory, since: timespec) throws(FileWatchError) {
    uncompared = [top]
    while !isStopped, let directory = uncompared.popLast() { try compare(directory, since: since) }
    try finishWalks()
  }

  /// Compares the directories that could not be reached, now that all events have been handled.
  func repair() throws(FileWatchError) {
    if !doubts.isEmpty { try resolveDoubts() }
    if !unconsidered.isEmpty { try reconsider() }
    // Comparing one may have shown that another is to be compared. What cannot be reached even then is explained by events
    // that are still to come.
    for _ in 0..<3 where !dirty.isEmpty {
      let directories = dirty
      dirty = []
      for directory in directories {
        directory.isDirty = false
        if !isStopped { try compare(directory, since: nil) }
      }
      try finishWalks()
    }
  }

  /// Looks for names that should be gone.
  private func resolveDoubts() throws(FileWatchError) {
    var rest = doubts[...]
    doubts = []
    while let directory = rest.first?.directory {
      let names = rest.prefix { $0.directory === directory }
      rest = rest.dropFirst(names.count)
      if !directory.isAttached || directory.isDirty { continue }
      let isAsKnown = try withVerified(directory) { descriptor in
        names.allSatisfy { _, name in
          name.withUnsafeBufferPointer {
            directory.entries.find($0) != nil || FileStatus(of: $0, in: descriptor) == nil
          }
        }
      }
      if isAsKnown != true { markDirty(directory) }
    }
  }

  /// Opens a directory by its path, makes it watch what is there, and compares.
  func compare(_ directory: Directory, since: timespec?) throws(FileWatchError) {
    if !directory.isAttached { return }
    let descriptor = openDirectory(directory.location, O_RDONLY | (directory.root == nil ? O_NOFOLLOW : 0))
    if descriptor < 0 {
      let error = errno
      try passOver(error, "open", { directory.path })
      // An event that explains it is still to come.
      if error != EACCES, directory.root == nil, !directory.isPolled { markDirty(directory) }
      return
    }
    defer { close(descriptor) }
    var isBound = directory.isPolled
    if !isBound { isBound = try bind(directory, descriptor, path: { directory.path }) }
    if isBound {
      try compare(directory, descriptor, since: since)
    }
  }

  /// Compares a directory with the file system and reports each difference. With `since`, all below it too, and files that
  /// have been changed since then.
  private func compare(_ directory: Directory, _ descriptor: Int32, since: timespec?) throws(FileWatchError) {
    let listing = list(directory, descriptor)
    if !directory.isPolled {
      // What has happened to the files of rules is not known.
      let hadRules = directory.rules != nil
      ignoring.load(directory, descriptor, listing)
      if hadRules || directory.rules != nil { markReconsidered(directory) }
    }
    for name in directory.entries.names {
      try name.withUnsafeBufferPointer { name throws(FileWatchError) in
        if listing.find(name) == nil { try disappeared(name, from: directory) }
      }
    }
    var position = 0
    while !isStopped, let found = listing.entry(from: position) {
      position = listing.end(of: found)
      try listing.name(at: found).withUnsafeBufferPointer { name throws(FileWatchError) in
        try compare(name, listing.kind(at: found), listing.number(at: found), in: directory, descriptor, since)
      }
    }
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
      // It is compared by itself.
      if child.isPolled { return }
      if case .found(child.number) = try probe(name, in: directory, descriptor) {
        if since != nil { uncompared.append(child) }
        return
      }
    }
    try disappeared(name, from: directory)
    let stamp = directory.isPolled && kind == .file ? FileStatus(of: name, in: descriptor)?.stamp : nil
    directory.entries.insert(name, kind, stamp ?? inode)
    if directory.isPolled { try changed(name, in: directory) }
    reporter.report(.created, name, in: directory, isDirectory: kind == .directory)
    if kind == .directory { try enterKnown(name, in: directory, descriptor) }
  }

  private func enterKnown(_ name: NameBytes, in directory: Directory, _ descriptor: Int32) throws(FileWatchError) {
    if isStopped || !looksInto(directoriesIn: directory) || isHidden(name, in: directory, true) { return }
    try enter(name, in: directory, descriptor, depth: 0, true)
  }

  /// No times are kept: a file has changed if its stamps are later than the last event that was surely read.
  private func compareFile(
    _ name: NameBytes, _ position: Int, _ inode: UInt64, in directory: Directory, _ descriptor: Int32, _ since: timespec
  ) {
    let known = directory.entries.number(at: position)
    guard let status = FileStatus(of: name, in: descriptor) else { return }
    directory.entries.setNumber(inode, at: position)
    if (known != 0 && known != inode) || status.modified.mayFollow(since) {
      reporter.report(.modified, name, in: directory, isDirectory: false)
    } else if status.changed.mayFollow(since) {
      // Without the inode it may as well be another file that was moved here.
      reporter.report(known == 0 ? .modified : .attributes, name, in: directory, isDirectory: false)
    }
  }

  /// A topmost directory that stands for a file knows one name only.
  private func list(_ directory: Directory, _ descriptor: Int32) -> NameTable {
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
}
