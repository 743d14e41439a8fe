import EventLoops
import Glibc

/// The stage that follows symbolic links. Changes of a file are reported under the path of the link. A link to a directory is a directory of
/// the tree; here, only the way to the directory is followed.
///
/// The path to the target can contain other links. The directory of each link on the path, and of the target, is watched for that name, so
/// that a file is followed when it is replaced. If there is no such directory, the nearest one above is watched.
final class FollowingStage {
  private let options: FileWatchOptions
  private let watching: WatchingStage
  private let polling: PollingStage
  private let reporter: EventReporter
  private let repairs: Repairs
  private var links: [ObjectIdentifier: [[UInt8]: FollowedLink]] = [:]
  /// The links whose path cannot be watched.
  private var polled: [FollowedLink] = []

  init(
    _ options: FileWatchOptions, _ watching: WatchingStage, _ polling: PollingStage, _ reporter: EventReporter,
    _ repairs: Repairs
  ) {
    self.options = options
    self.watching = watching
    self.polling = polling
    self.reporter = reporter
    self.repairs = repairs
    if options.followsLinks { watching.onDropped = { [unowned self] in unfollowAll(in: $0) } }
  }

  // MARK: The links

  /// Follows the links in a directory that has been listed.
  ///
  /// If `isComplete` is false, events can have been dropped, so each target is compared.
  func update(_ directory: Directory, _ names: [[UInt8]], isComplete: Bool) throws(FileWatchError) {
    guard options.followsLinks, directory.onlyName == nil, !directory.isPolled else { return }
    var old = links[ObjectIdentifier(directory)] ?? [:]
    for name in names {
      if let link = old.removeValue(forKey: name) {
        if !isComplete { try look(at: link, isChange: false) }
      } else {
        try follow(name, in: directory)
      }
    }
    for link in old.values { unfollow(link) }
  }

  /// Follows a new link in place of one with this name. Does nothing if the name is not a link.
  func appeared(_ name: NameBytes, in directory: Directory) throws(FileWatchError) {
    guard options.followsLinks, directory.onlyName == nil, !directory.isPolled else { return }
    disappeared(name, from: directory)
    try follow(Array(name), in: directory)
  }

  /// Stops following a name that was removed.
  func disappeared(_ name: NameBytes, from directory: Directory) {
    if links.isEmpty { return }
    if let link = links[ObjectIdentifier(directory)]?[Array(name)] { unfollow(link) }
  }

  /// Follows the relative links in a renamed directory again, because they lead elsewhere now.
  func moved(_ directory: Directory) throws(FileWatchError) {
    for link in links.values.flatMap(\.values) where link.directory.isInside(directory) {
      try look(at: link, isChange: false)
      if isInTree(link) { repairs.markDirty(link.directory) }
    }
  }

  private func follow(_ name: [UInt8], in directory: Directory) throws(FileWatchError) {
    let link = FollowedLink(directory, name)
    guard link.mayBeLink else { return }
    try place(link)
    let end = link.end
    if end?.isDirectory == true, !isInTree(link) { repairs.markDirty(directory) }
    link.isThere = end.map { !$0.isDirectory } ?? false
    links[ObjectIdentifier(directory), default: [:]][name] = link
  }

  private func unfollow(_ link: FollowedLink) {
    watching.table.end(link.steps)
    link.steps = []
    setPolled(link, false)
    links[ObjectIdentifier(link.directory)]?[link.name] = nil
  }

  private func unfollowAll(in directory: Directory) {
    for link in (links[ObjectIdentifier(directory)] ?? [:]).values { unfollow(link) }
    links[ObjectIdentifier(directory)] = nil
  }

  // MARK: The targets

  /// Handles an event for a name in a directory on the path of a link, or for that directory.
  func changed(_ watch: LinkStep, _ event: RawEvent) throws(FileWatchError) {
    guard let link = watch.link else { return }
    if event.name.isEmpty {
      if !event.mask.isDisjoint(with: [.selfChanged, .watchGone]) { try look(at: link, isChange: true) }
    } else if watch.isReplaced(by: event) {
      try look(at: link, isChange: true)
    } else if link.isThere, watch === link.steps.last, watch.step.name.elementsEqual(event.name) {
      report(event.mask.contains(.attributes) ? .attributes : .modified, link)
    }
  }

  /// Compares the target of a link. With `isChange`, an existing file counts as changed.
  private func look(at link: FollowedLink, isChange: Bool) throws(FileWatchError) {
    if reporter.isStopped { return }
    let wasThere = link.isThere
    try place(link)
    let end = link.end
    let (isDirectory, isInTree) = (end?.isDirectory ?? false, isInTree(link))
    // A comparison of its directory makes it a directory of the tree, or a file.
    if isDirectory || isInTree {
      link.isThere = false
      if isChange || isDirectory != isInTree { repairs.markDirty(link.directory) }
      return
    }
    link.isThere = end != nil
    if wasThere != link.isThere || (isChange && wasThere) { report(.modified, link) }
  }

  /// True if the link is a directory of the tree.
  private func isInTree(_ link: FollowedLink) -> Bool {
    link.name.withUnsafeBufferPointer { name in
      link.directory.entries.find(name).map { link.directory.entries.kind(at: $0) == .directory } ?? false
    }
  }

  private func report(_ kind: FileEvent.Kind, _ link: FollowedLink) {
    link.name.withUnsafeBufferPointer { reporter.report(kind, $0, in: link.directory, isDirectory: false) }
  }

  // MARK: The path

  /// Watches the path of a link.
  private func place(_ link: FollowedLink) throws(FileWatchError) {
    link.steps = try watching.table.follow(
      link.steps,
      resolve: { () throws(FileWatchError) in
        setPolled(link, false)
        link.isUnwatched = false
        link.isUnresolved = false
        guard let directory = realLocation(link.directory.location) else {
          try cannotResolve(link, errno)
          return []
        }
        var failure: Int32 = 0
        let steps = PathStep.all(to: link.name, from: directory) { failure = $0 }
        if failure != 0 { try cannotResolve(link, failure) }
        // The first step is the link itself, whose directory belongs to the tree.
        return Array(steps.dropFirst())
      },
      watch: { directory, step throws(FileWatchError) in try watch(directory, step, for: link) },
      make: { LinkStep(link, $0) })
  }

  /// Handles the error of a path that cannot be looked up. After an error of the device, it is looked up again later.
  private func cannotResolve(_ link: FollowedLink, _ errno: Int32) throws(FileWatchError) {
    try watching.passOver(errno, "readlink", { link.path })
    if !FileWatchError.isTransient(errno) { return }
    link.isUnresolved = true
    setPolled(link, true)
  }

  /// Watches a directory on the path of a link. Returns nil if it is polled instead, or is not readable.
  private func watch(_ descriptor: Int32, _ step: PathStep, for link: FollowedLink) throws(FileWatchError) -> Int32? {
    if descriptor >= 0, step.role == .awaited, case .fileSystem(let name) = polling.reason(for: descriptor) {
      polling.noticeSilent(name) { link.path }
      setPolled(link, true)
      return nil
    }
    let number = watching.inotify.watch(descriptor, step.mask(awaited: INotify.directoryMask))
    if number >= 0 { return number }
    // Only a rename or the removal of a directory on the path is missed.
    if step.role == .passed || step.role == .removable && FileWatchError.isPassedOver(errno) { return nil }
    if errno == ENOSPC, options.polling != .never {
      link.isUnwatched = true
      setPolled(link, true)
    } else {
      try watching.passOver(errno, "inotify_add_watch") { link.path }
    }
    return nil
  }

  // MARK: Polling

  /// True if there are links whose targets are polled.
  var isPolled: Bool { !polled.isEmpty }

  /// The number of links that are polled because the limit on watches is reached.
  var unwatchedCount: Int { polled.count { $0.isUnwatched } }

  private func setPolled(_ link: FollowedLink, _ isPolled: Bool) {
    if link.isPolled == isPolled { return }
    link.isPolled = isPolled
    if isPolled {
      link.stamp = link.end?.stamp
      polled.append(link)
      polling.schedule()
    } else {
      polled.removeAll { $0 === link }
    }
  }

  /// Compares the targets of links whose path cannot be watched.
  func compare() throws(FileWatchError) {
    for link in polled where link.isPolled && !reporter.isStopped {
      let stamp = link.end?.stamp
      if stamp == link.stamp {
        if !link.isUnresolved { continue }
        try place(link)
        // The target may have changed before it was watched.
        if link.end?.stamp == stamp { continue }
      }
      link.stamp = stamp
      try look(at: link, isChange: true)
    }
  }

  /// Stops following all links.
  func stop() {
    for link in links.values.flatMap(\.values) { for step in link.steps { step.link = nil } }
    links = [:]
    polled = []
  }
}
