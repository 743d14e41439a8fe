public import EventLoops

/// The reason why watching failed.
public enum FileWatchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A path to watch does not exist or cannot be read.
  case cannotWatch(BytePath, UVError)
  /// The system's limit on watches has been reached. `limit` is the value of the sysctl `fs.inotify.max_user_watches`,
  /// or nil if it cannot be read.
  case watchLimit(BytePath, limit: Int?)
  /// The system's limit on watchers has been reached: the sysctl `fs.inotify.max_user_instances`, or the process's
  /// limit on open files.
  case instanceLimit(UVError)

  /// The problem and the fix.
  public var description: String {
    switch self {
    case .cannotWatch(let path, let error):
      "cannot watch \(path): \(error.message)"
    case .watchLimit(let path, let limit):
      """
      cannot watch \(path): the limit on inotify watches has been reached\(limit.map { " (fs.inotify.max_user_watches is \($0))" } ?? ""). \
      Raise it with: sudo sysctl fs.inotify.max_user_watches=\((limit ?? 65_536) * 4)
      """
    case .instanceLimit(let error):
      """
      cannot start watching: \(error.message). Raise the limit on open files (ulimit -n) or the one on watchers \
      (sudo sysctl fs.inotify.max_user_instances=1024), or close some
      """
    }
  }
}
