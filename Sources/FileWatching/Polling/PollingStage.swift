import Streams

/// The stage that polls directories, because their file system does not report changes, or because the limit on watches is reached.
final class PollingStage {
  /// The reason for polling a directory.
  enum Reason {
    case asked
    case fileSystem(String)
    case watchLimit
  }

  private let options: FileWatchOptions
  private let scheduler: any Scheduler
  /// Called after each interval to compare the polled directories. Returns whether anything else must be polled.
  var onDue: () -> Bool = { false }
  private var polled: [Directory] = []
  /// The directories to compare again, because their devices have reported errors.
  private var failed: [Directory] = []
  private var timer: (any Disposable)?
  private var isStopped = false
  /// The kinds of file systems that were reported.
  private var silentFileSystems: Set<String> = []
  /// The number of directories that are polled because of the limit on watches.
  private var unwatched = 0
  private var hasNoticedLimit = false

  init(_ options: FileWatchOptions, _ scheduler: any Scheduler) {
    self.options = options
    self.scheduler = scheduler
  }

  /// Returns the reason for polling an open directory without trying to watch it, or nil.
  func reason(for descriptor: Int32) -> Reason? {
    switch options.polling {
    case .always: return .asked
    case .never: return nil
    case .automatic: return FileSystemType.nameIfSilent(options.fileSystemType(descriptor)).map { .fileSystem($0) }
    }
  }

  /// Adds a directory that is polled.
  func add(_ directory: Directory, _ reason: Reason, path: () -> BytePath) {
    if !directory.isPolled {
      directory.isPolled = true
      polled.append(directory)
      switch reason {
      case .asked: break
      case .watchLimit: unwatched += 1
      case .fileSystem(let name): noticeSilent(name, path)
      }
    }
    schedule()
  }

  /// Reports once that directories on a kind of file system are polled.
  func noticeSilent(_ name: String, _ path: () -> BytePath) {
    if silentFileSystems.insert(name).inserted { options.onNotice(.silentFileSystem(path(), name)) }
  }

  /// Compares a directory again after the interval.
  func retry(_ directory: Directory) {
    if !failed.contains(where: { $0 === directory }) { failed.append(directory) }
    schedule()
  }

  /// Removes and returns the directories to compare again.
  func takeFailed() -> [Directory] {
    defer { failed = [] }
    return failed
  }

  /// Returns the directories that are polled.
  func directories() -> [Directory] {
    polled.removeAll { !$0.isPolled || !$0.isAttached }
    return polled
  }

  /// Polls after the interval, and again while there is anything to poll.
  func schedule() {
    if timer != nil || isStopped { return }
    timer = scheduler.schedule(after: options.pollInterval) { [unowned self] in
      timer = nil
      if onDue() || !polled.isEmpty || !failed.isEmpty { schedule() }
    }
  }

  /// Reports once the number of directories without a watch because of the limit. `watches` is the number of watches, and `links` is the
  /// number of links that need one more.
  func noticeLimit(watches: Int, links: Int) {
    let unwatched = unwatched + links
    if unwatched == 0 || hasNoticedLimit { return }
    hasNoticedLimit = true
    options.onNotice(
      .watchLimit(polled: unwatched, limit: FileWatchError.watchLimit(), needed: watches + unwatched))
  }

  func stop() {
    isStopped = true
    timer?.dispose()
    timer = nil
    polled = []
    failed = []
  }
}
