public import EventLoops

/// A limitation of a watcher that does not end it: something that it skips or does in another way.
public enum FileWatchNotice: Hashable, Sendable, CustomStringConvertible {
  /// A line of a file of ignore rules is not a valid rule. The other lines apply.
  case brokenRule(file: BytePath, line: Int, text: BytePath, reason: PathPattern.Invalid)
  /// A directory below a watched path cannot be read, or not completely; or a file of ignore rules or the path of a
  /// followed link cannot be read. The watcher skips what it cannot read. After an error of the device, it tries to read a
  /// directory or a link again after each poll interval. Reported once.
  case unreadable(BytePath, UVError)
  /// Directories on this file system are polled, because it does not report all changes. Reported once for each kind of
  /// file system, with its first such directory.
  case silentFileSystem(BytePath, String)
  /// Directories are polled because the limit on watches has been reached. Has the number of polled directories, the
  /// value of the sysctl `fs.inotify.max_user_watches`, and the number of watches that this watcher needs.
  case watchLimit(polled: Int, limit: Int?, needed: Int)

  /// The problem, and the fix if there is one.
  public var description: String {
    switch self {
    case .brokenRule(let file, let line, let text, let reason):
      "\(file):\(line): the rule '\(text)' \(reason) and is left out"
    case .unreadable(let path, let error): "\(path) is left out: \(error.message)"
    case .silentFileSystem(let path, let name):
      "\(path) is polled, because its file system (\(name)) does not report all changes"
    case .watchLimit(let polled, let limit, let needed):
      """
      the limit on inotify watches has been reached\(limit.map { " (fs.inotify.max_user_watches is \($0))" } ?? ""), so \
      \(polled) \(polled == 1 ? "directory is" : "directories are") polled. \(needed) watches are needed. \
      Raise it with: sudo sysctl fs.inotify.max_user_watches=\(max((limit ?? 0) * 2, needed * 2))
      """
    }
  }
}
