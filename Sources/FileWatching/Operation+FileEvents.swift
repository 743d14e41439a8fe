public import EventLoops
public import Streams

/// What to watch and what to leave out.
public struct FileWatchOptions {
  /// Whether directories are watched with all that is below them. Default: true.
  public var recursive = true
  /// Whether a path is left out, with all that is below it; an ignored directory gets no watch. Called with the path and
  /// whether it is a directory. Never called for the watched paths themselves. Default: nothing is left out.
  public var isIgnored: (_ path: BytePath, _ isDirectory: Bool) -> Bool = { _, _ in false }

  /// Makes the default options.
  public init() {}
}

extension Operation where Element == FileEvent, Failure == FileWatchError {
  /// The changes below `paths`, directories or files, as they happen, on the loop that observes it.
  public static func fileEvents(at paths: [BytePath], _ options: FileWatchOptions = FileWatchOptions()) -> Operation {
    .never()
  }
}
