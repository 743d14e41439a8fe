/// The handling of renames: departures and arrivals, paired by the kernel's cookie.
extension TreeStage {
  /// Handles a name that has left a watched directory, after its arrival elsewhere, if there is one, has been read.
  func departed(_ event: RawEvent, _ arrival: RawEvent?) throws(FileWatchError) {
    let targets = arrival.map { watching.table.users(of: $0.watch) } ?? []
    var taken: [Directory] = []
    for source in watching.table.users(of: event.watch) {
      if reporter.isStopped { return }
      guard let directory = source as? Directory else {
        try changed(source, event)
        continue
      }
      if !directory.isAttached || !directory.admits(event.name) { continue }
      // The kernel reports an exchange (`RENAME_EXCHANGE`) as two moves, each of which replaces a file. The first one has taken the file that
      // the second one moves back, and the old name of the second still exists.
      repairs.doubts.append((directory, Array(event.name)))
      if let arrival, let target = target(of: event.name, in: directory, arrival.name, among: targets, taken) {
        taken.append(target)
        try moved(event.name, from: directory, to: arrival.name, in: target, event.isDirectory)
      } else {
        try disappeared(event.name, from: directory)
      }
    }
    if let arrival, !reporter.isStopped { try arrived(arrival, besides: taken) }
  }

  /// Handles a name that has arrived by a rename. The directories in `taken` have handled it.
  func arrived(_ event: RawEvent, besides taken: [Directory]) throws(FileWatchError) {
    for watch in watching.table.users(of: event.watch) {
      if reporter.isStopped { return }
      if let directory = watch as? Directory {
        if directory.admits(event.name), !taken.contains(where: { $0 === directory }) {
          try appeared(event.name, in: directory, event.isDirectory, isMove: true)
        }
      } else {
        try changed(watch, event)
      }
    }
  }

  /// Handles an event for a watch that is not a directory of the tree.
  func changed(_ watch: Watch, _ event: RawEvent) throws(FileWatchError) {
    if let sentinel = watch as? Sentinel {
      try sentinel.changed(event)
    } else if let step = watch as? LinkStep {
      try following.changed(step, event)
    }
  }

  /// Returns the user of the arrival's directory with the same root as the departure, or another one. A directory cannot arrive in itself,
  /// and nothing can replace a directory that it comes from: such a node was listed since then, at its later position.
  private func target(
    of name: NameBytes, in source: Directory, _ newName: NameBytes, among targets: [Watch], _ taken: [Directory]
  ) -> Directory? {
    let moving = source.child(name)
    let top = source.top
    var other: Directory?
    for watch in targets {
      guard let directory = watch as? Directory, directory.isAttached, directory.admits(newName) else { continue }
      if taken.contains(where: { $0 === directory }) { continue }
      if let moving, directory.isInside(moving) { continue }
      if let replaced = directory.child(newName), source.isInside(replaced) { continue }
      if directory.top === top { return directory }
      other = other ?? directory
    }
    return other
  }

  private func moved(
    _ name: NameBytes, from source: Directory, to newName: NameBytes, in target: Directory, _ isDirectory: Bool
  ) throws(FileWatchError) {
    guard let position = source.entries.find(name),
      (source.entries.kind(at: position) == .directory) == isDirectory
    else {
      // It was listed since then, at its later position.
      try disappeared(name, from: source)
      try appeared(newName, in: target, isDirectory, isMove: true)
      return
    }
    let wasHidden = ignoring.hides(name, in: source, isDirectory: isDirectory)
    let isHidden = ignoring.hides(newName, in: target, isDirectory: isDirectory)
    if isDirectory {
      try movedDirectory(name, position, from: source, to: newName, in: target, crossesRule: wasHidden || isHidden)
      return
    }
    let oldPath = source.path(of: name)
    let inode = source.entries.number(at: position)
    source.entries.remove(at: position)
    let isReplacing = replace(newName, in: target)
    target.entries.insert(newName, .file, inode)
    following.disappeared(name, from: source)
    try following.appeared(newName, in: target)
    try changed(name, in: source)
    try changed(newName, in: target)
    switch (wasHidden, isHidden) {
    case (false, false): reporter.report(FileEvent(.renamed(to: target.path(of: newName)), oldPath))
    case (false, true): reporter.report(FileEvent(.removed, oldPath))
    case (true, _): reporter.report(isReplacing ? .modified : .created, newName, in: target, isDirectory: false)
    }
  }

  private func movedDirectory(
    _ name: NameBytes, _ position: Int, from source: Directory, to newName: NameBytes, in target: Directory,
    crossesRule: Bool
  ) throws(FileWatchError) {
    let node = source.child(at: position)
    let isDeeper = options.maximumDepth != .max && source.depth != target.depth
    if crossesRule || isDeeper || target.onlyName != nil {
      try disappeared(name, from: source)
      try appeared(newName, in: target, true, isMove: true)
      return
    }
    if let node {
      // The node can be a directory that was found under the old name later. The number of the watch shows this.
      if case .found(let number) = try probe(newName, in: target),
        number != node.number || number < 0 && !node.isPolled
      {
        try disappeared(name, from: source)
        try appeared(newName, in: target, true, isMove: true)
        return
      }
      if let present = target.child(newName), present !== node, present.number == node.number {
        // A listing has found it at its new position.
        try disappeared(name, from: source)
        return
      }
    }
    let oldPath = source.path(of: name)
    _ = source.detachChild(at: position)
    source.entries.remove(at: position)
    _ = replace(newName, in: target)
    target.entries.insert(newName, .directory, NameTable.noChild)
    if let node, let position = target.entries.find(newName) {
      target.attach(node, at: position)
      try following.moved(node)
      if ignoring.mayDecideOtherwise(below: source, target) { repairs.markReconsidered(node) }
    }
    reporter.report(FileEvent(.renamed(to: target.path(of: newName)), oldPath, isDirectory: true))
    // It was moved before it could be entered.
    if node == nil { try scanning.enter(newName, in: target, isReported: true) }
  }

  /// Removes the name that a move has replaced. Returns whether there was one.
  private func replace(_ name: NameBytes, in directory: Directory) -> Bool {
    guard let position = directory.entries.find(name) else { return false }
    watching.drop(directory.detachChild(at: position))
    directory.entries.remove(at: position)
    following.disappeared(name, from: directory)
    return true
  }
}
