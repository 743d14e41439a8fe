/// The handling of the kernel's events, for each user of the event's watch.
extension FileWatcher {
  func handle(_ step: PairingStage.Step) throws(FileWatchError) {
    switch step {
    case .departure(let event, let arrival): try tree.departed(event, arrival)
    case .arrival(let event): try tree.arrived(event, besides: [])
    case .event(let event): try handle(event)
    }
  }

  private func handle(_ event: RawEvent) throws(FileWatchError) {
    if event.mask.contains(.overflow) {
      try rescan()
    } else if event.mask.contains(.watchGone) {
      for watch in watching.table.remove(event.watch) { try selfChanged(watch, event) }
    } else {
      guard let only = watching.table[event.watch], only.next != nil else {
        if let only = watching.table[event.watch] { try handle(event, for: only) }
        return
      }
      // Handling an event can end any of the watches.
      for watch in watching.table.users(of: event.watch) where watch.number == event.watch && !isStopped {
        try handle(event, for: watch)
      }
    }
  }

  private func handle(_ event: RawEvent, for watch: Watch) throws(FileWatchError) {
    if event.name.isEmpty {
      if !event.mask.isDisjoint(with: .selfChanged) {
        // The directory above gets no event for the files that an unmount has uncovered.
        if event.mask.contains(.unmounted), let parent = (watch as? Directory)?.parent { repairs.markDirty(parent) }
        try selfChanged(watch, event)
      } else if event.mask.contains(.attributes), let directory = watch as? Directory, directory.onlyName == nil,
        let root = directory.root
      {
        reporter.report(FileEvent(.attributes, root.path, isDirectory: true))
      }
      return
    }
    guard let directory = watch as? Directory else {
      try tree.changed(watch, event)
      return
    }
    if !directory.admits(event.name) { return }
    if event.mask.contains(.created) {
      try tree.appeared(event.name, in: directory, event.isDirectory, isMove: false)
    } else if event.mask.contains(.deleted) {
      try tree.disappeared(event.name, from: directory)
    } else if directory.entries.find(event.name) != nil {
      // An unknown name was removed before it could be listed.
      let kind: FileEvent.Kind = event.mask.contains(.attributes) ? .attributes : .modified
      if kind == .modified { try tree.changed(event.name, in: directory) }
      reporter.report(kind, event.name, in: directory, isDirectory: event.isDirectory)
      if kind == .attributes, event.isDirectory { try tree.mayBeReadable(event.name, in: directory) }
    }
  }

  private func selfChanged(_ watch: Watch, _ event: RawEvent) throws(FileWatchError) {
    if let sentinel = watch as? Sentinel {
      try sentinel.directoryChanged()
    } else if let step = watch as? LinkStep {
      try following.changed(step, event)
    } else if let directory = watch as? Directory {
      // Below the root, the directory above gets an event, unless a symbolic link leads here.
      if options.followsLinks, let parent = directory.parent { repairs.markDirty(parent) }
      try directory.root?.check()
    }
  }
}
