import EventLoops
import FileWatching
import Streams

/// The paths that patterns select. The last pattern that matches a path decides. Without patterns, all paths are
/// selected.
nonisolated struct PathSelection {
  private let roots: [[UInt8]]
  private var patterns: [(pattern: PathPattern, isNegated: Bool)] = []

  /// Creates a selection of paths below `roots`. The patterns in `files` precede `patterns`. Throws if a file cannot be
  /// read or a pattern is invalid.
  init(roots: [BytePath] = [], patterns: [String] = [], files: [String] = []) throws {
    // Longest first: if one root is inside another one, a path belongs to the inner root.
    self.roots = roots.map { root in
      root.bytes.last == UInt8(ascii: "/") ? root.bytes : root.bytes + [UInt8(ascii: "/")]
    }.sorted { $0.count > $1.count }
    for file in files {
      for (index, line) in try PathList.lines(of: file).enumerated() {
        if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
        do { try append(line) } catch let error as PathPattern.Invalid {
          throw UsageError("\(file):\(index + 1): the pattern '\(String(decoding: line, as: UTF8.self))' \(error).")
        }
      }
    }
    for pattern in patterns { try append(Array(pattern.utf8)) }
  }

  private mutating func append(_ line: [UInt8]) throws {
    let isNegated = line.first == UInt8(ascii: "!")
    patterns.append((try PathPattern(isNegated ? line[1...] : line[...]), isNegated))
  }

  /// Whether there are no patterns, so that all paths are selected.
  var isEverything: Bool { patterns.isEmpty }

  func contains(_ path: BytePath, isDirectory: Bool) -> Bool {
    if patterns.isEmpty { return true }
    let relative = relative(path)
    let last = patterns.last { $0.pattern.matches(relative, isDirectory: isDirectory) }
    // If all patterns are negated, paths that match none are selected.
    return last.map { !$0.isNegated } ?? patterns.allSatisfy(\.isNegated)
  }

  /// Returns the path relative to its root. If the root is a file, returns the name of the file.
  private func relative(_ path: BytePath) -> BytePath {
    for root in roots where path.bytes.starts(with: root) { return BytePath(bytes: Array(path.bytes[root.count...])) }
    return path.lastComponent
  }
}
