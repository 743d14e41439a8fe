public import Streams

/// The options of a file watcher: the paths to report and the way to watch them.
public struct FileWatchOptions {
  /// Whether directories are watched with everything below them. True by default.
  public var recursive = true
  /// The number of levels below the watched paths that are reported. Directories at the last level are not entered. 1
  /// is the same as not being recursive. Unlimited by default.
  public var maximumDepth = Int.max
  /// Whether symbolic links are followed. False by default. Costs one watch for each directory that contains the target
  /// of a link to a file.
  ///
  /// - A link to a directory is watched with everything below it, under the path of the link, unless it leads to a
  ///   directory above it. If such a link is renamed, it is `removed` and `created`.
  /// - A link to a file is `modified` when the file is, and when the file disappears, reappears, or is replaced.
  /// - A link without a target counts as a file until it has one.
  public var followsLinks = false
  /// Whether existing files are reported as `created` before `observe` returns. False by default.
  public var reportsExisting = false
  /// Returns true for paths to ignore, with everything below them. An ignored directory gets no watch. Called with the
  /// path and whether it is a directory, but never for the watched paths themselves. By default, nothing is ignored.
  public var isIgnored: (_ path: BytePath, _ isDirectory: Bool) -> Bool = { _, _ in false } {
    didSet { hasClosure = true }
  }
  /// True if `isIgnored` has been set.
  private(set) var hasClosure = false
  /// The directories that are compared with the file system at regular intervals instead of being watched.
  public enum Polling: Hashable, Sendable {
    /// Directories on a file system that does not report all changes, such as NFS, 9p, and FUSE, and directories for
    /// which no watch is left. `onNotice` is called.
    case automatic
    /// All directories.
    case always
    /// None. Reaching the limit on watches is an error.
    case never
  }

  /// Which directories are polled. `automatic` by default. A directory that is renamed inside a polled directory is
  /// `removed` and `created`.
  public var polling = Polling.automatic
  /// The time between two comparisons of a polled directory. One second by default.
  public var pollInterval = Duration.seconds(1)
  /// Returns the number of the file system of an open directory. For tests.
  var fileSystemType: (Int32) -> UInt32 = FileSystemType.of

  /// Rules in the language of .gitignore files for paths to ignore, in addition to `isIgnored`. None by default.
  public var ignoreRules = IgnoreRules()
  /// Called when the watcher skips a path or watches it in another way, without ending. Does nothing by default.
  public var onNotice: (FileWatchNotice) -> Void = { _ in }

  /// Called during a scan after every thousand directories, with their number so far. A scan takes about one and a half
  /// seconds for 100,000 directories. Does nothing by default.
  public var onProgress: (_ directories: Int) -> Void = { _ in }

  /// Whether the observed stream keeps `Loop.run()` from returning. True by default.
  public var keepsLoopAlive = true

  /// Makes the default options.
  public init() {}
}

extension Operation where Element == FileEvent, Failure == FileWatchError {
  /// Emits the changes below `paths`, which may be directories or files, on the observing loop.
  ///
  /// Each observer has its own watcher: an inotify descriptor with one watch for each directory. When `observe`
  /// returns, everything is watched. Existing files are not reported. The operation never completes. It fails, at once
  /// or later, if a path does not exist or cannot be read, or if a limit of the system is reached.
  ///
  /// - No change is lost. Files that appear in a directory before it is watched are found by listing it. If the
  ///   kernel's queue overflows, `overflow` is reported for each of `paths`, and a comparison finds the changes.
  /// - A rename between watched directories is one `renamed`, regardless of the contents. A rename from or to an
  ///   unwatched directory is `removed`, or `created` with everything below. A file that replaces another one by a
  ///   rename from an ignored or unwatched path is `modified`.
  /// - When a directory is removed with its contents, one `removed` for the directory may stand for all of them.
  /// - `modified` is reported for each write, even while the file stays open. Repetitions that are read at once are
  ///   merged, and so are the creation of a file and its first writes.
  /// - When a watched path disappears, it is `removed`. The watcher waits for it, and reports `created` with its
  ///   contents when it reappears. A watched file is followed when it is replaced.
  /// - Symbolic links are not followed, except for `paths` themselves, unless `followsLinks` is set. A directory that
  ///   cannot be read is skipped.
  /// - Events are not debounced: they are delivered as soon as they are read. The first half of a rename waits up to 5
  ///   ms for the second half.
  ///
  /// Pausing stops the delivery but not the reading, so that the kernel's queue does not overflow. Up to 1 MiB of
  /// events is held. Further events are dropped, and a comparison finds their changes when the observer resumes, as
  /// after an overflow.
  ///
  /// - Parameters:
  ///   - paths: The paths of directories or files.
  ///   - options: The paths to report and the way to watch them.
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
