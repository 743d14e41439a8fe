public import Streams

/// What to watch and what to leave out.
public struct FileWatchOptions {
  /// Whether directories are watched with all that is below them. Default: true.
  public var recursive = true
  /// How many levels of names below the watched paths are reported; directories at the last level are not looked into. 1 is
  /// the same as not being recursive. Default: all.
  public var maximumDepth = Int.max
  /// Whether symbolic links are followed. A link to a directory is watched with what is below it, under the path of the link,
  /// unless it leads to a directory above it. A link to a file is `modified` when the file is, and when it goes, comes back, or
  /// is replaced. A link that leads nowhere counts as a file until it does. A link to a directory that is renamed is `removed`
  /// and `created`. Costs a watch for each directory that a link to a file leads to. Default: false.
  public var followsLinks = false
  /// Whether what is there at the beginning is reported, as `created`, before `observe` returns. Default: false.
  public var reportsExisting = false
  /// Whether a path is left out, with all that is below it; an ignored directory gets no watch. Called with the path and
  /// whether it is a directory. Never called for the watched paths themselves. Default: nothing is left out.
  public var isIgnored: (_ path: BytePath, _ isDirectory: Bool) -> Bool = { _, _ in false } {
    didSet { hasClosure = true }
  }
  /// Whether `isIgnored` has been set.
  private(set) var hasClosure = false
  /// Which directories are compared with the file system again and again instead of being watched.
  public enum Polling: Hashable, Sendable {
    /// Those on a file system that does not report all changes, such as NFS, 9p, and FUSE, and those for which there is no
    /// watch left. `onNotice` is called.
    case automatic
    /// All.
    case always
    /// None. Reaching the limit on watches is an error.
    case never
  }

  /// What is polled. A directory that is renamed in what is polled is `removed` and `created`. Default: what has to be.
  public var polling = Polling.automatic
  /// The time between two comparisons of what is polled. Default: one second.
  public var pollInterval = Duration.seconds(1)
  /// The number of the file system of an open directory; for tests.
  var fileSystemType: (Int32) -> UInt32 = FileSystemType.of

  /// Rules in the language of .gitignore files, for what is left out besides. Default: none.
  public var ignoreRules = IgnoreRules()
  /// Called with what the watcher leaves out, or does otherwise than it was asked to, without ending. Default: nothing
  /// happens.
  public var onNotice: (FileWatchNotice) -> Void = { _ in }

  /// Called while a tree is scanned, each time that a thousand more directories have been, with their number so far. A scan
  /// takes about one and a half seconds for 100,000 directories. Default: nothing happens.
  public var onProgress: (_ directories: Int) -> Void = { _ in }

  /// Whether `Loop.run()` goes on while the stream is observed. Default: true.
  public var keepsLoopAlive = true

  /// Makes the default options.
  public init() {}
}

extension Operation where Element == FileEvent, Failure == FileWatchError {
  /// The changes below `paths`, directories or files, as they happen, on the loop that observes it.
  ///
  /// Each observer has a watcher of its own, an inotify descriptor with a watch for each directory. Everything is watched
  /// when `observe` returns, and what is there already is not reported. It never completes, and fails when a path does not
  /// exist or cannot be read, and when one of the system's limits is reached, at once or later.
  ///
  /// - Nothing is lost: what comes to be in a directory before it is watched is found by listing it; what the kernel drops
  ///   when its queue overflows is found by comparing, announced by `overflow` for each of `paths`.
  /// - A rename between watched directories is one `renamed`, whatever is below; from or to elsewhere it is `removed`, or
  ///   `created` with all that is below. A file that takes the place of another by a rename from an ignored path, or from
  ///   elsewhere, is `modified`.
  /// - When a directory goes with what is in it, `removed` for the directory may stand for all of it.
  /// - `modified` comes with each write, also when the file stays open; repetitions that are read at once are one event, and
  ///   so are a file's making and its first writes.
  /// - A path that goes is `removed`, waited for, and `created` with what is in it when it comes back. A file is followed
  ///   through being replaced.
  /// - Symbolic links are not followed, but for `paths` themselves, unless `followsLinks` is set. A directory that cannot be
  ///   read is passed over.
  /// - There is no debouncing: events are delivered as soon as they are read. A departure waits up to 5 ms for its arrival.
  ///
  /// Pausing stops the delivery, not the reading, so that the kernel's queue does not overflow meanwhile. Up to 1 MiB of
  /// events wait; more are dropped and made good when resuming, as after an overflow.
  public static func fileEvents(at paths: [BytePath], _ options: FileWatchOptions = FileWatchOptions()) -> Operation {
    Operation { observer in
      let watcher: FileWatcher
      do throws(FileWatchError) {
        watcher = try FileWatcher(options, observer)
      } catch {
        observer.failed(error)
        return BlockDisposable {}
      }
      watcher.start(paths)
      return BlockDisposable({ watcher.stop() }, pause: { watcher.pause() }, resume: { watcher.resume() })
    }
  }
}
