import EventLoops
import FileWatching
import Streams

/// Which paths are left out: the default patterns, and those the user gave.
///
/// Pure: a value that answers for a path. An ignored directory gets no watch and nothing below it is looked at, so a path
/// is compared by itself, not by its parents.
nonisolated struct IgnoreRules {
  /// What is left out by default: the stores of version control and of builds with SwiftPM, editors' swap, backup and lock
  /// files, and what file managers leave behind.
  static let defaults = [
    ".git/", ".hg/", ".svn/", ".jj/", ".build/", ".swiftpm/",
    "*.swp", "*.swo", "*.swx", "*~", ".#*", "#*#", "4913", ".*.kate-swp", ".goutputstream-*", ".DS_Store",
  ]

  /// Names of the files with which headwatch itself tells a command what has changed: never reported.
  static let ownFilePrefix = "headwatch-changes-"

  private let roots: [[UInt8]]
  private let globs: [Glob]

  /// Makes rules for what is below `roots`, the watched paths as they were given.
  init(roots: [BytePath], patterns: [String], usesDefaults: Bool) throws(Glob.Invalid) {
    // The longest first: where one root is inside of another, a path belongs to the inner one.
    self.roots = roots.map { root in
      root.bytes.last == UInt8(ascii: "/") ? root.bytes : root.bytes + [UInt8(ascii: "/")]
    }.sorted { $0.count > $1.count }
    var globs: [Glob] = []
    let all = (usesDefaults ? Self.defaults : []) + ["\(Self.ownFilePrefix)*"] + patterns
    for pattern in all { globs.append(try Glob(pattern)) }
    self.globs = globs
  }

  /// Whether `path` is left out, and all that is below it.
  func isIgnored(_ path: BytePath, isDirectory: Bool) -> Bool {
    let relative = relative(path)
    if relative.isEmpty { return false }
    return globs.contains { $0.matches(relative, isDirectory: isDirectory) }
  }

  /// The path below the root it belongs to; empty for a root itself.
  private func relative(_ path: BytePath) -> ArraySlice<UInt8> {
    for root in roots {
      if path.bytes.starts(with: root) { return path.bytes[root.count...] }
      if path.bytes.count == root.count - 1, root.starts(with: path.bytes) { return [] }
    }
    return path.bytes[...]
  }
}
