import EventLoops
import FileWatching
import Streams

/// The paths that patterns select: what the last pattern that matches says, and all paths if there are no patterns.
nonisolated struct PathSelection {
  private let roots: [[UInt8]]
  private var patterns: [(pattern: PathPattern, isNegated: Bool)] = []

  /// Makes a selection of what is below `roots`, of patterns and of files that list patterns.
  init(roots: [BytePath] = [], patterns: [String] = [], files: [String] = []) throws {
    // The longest first: where one root is inside of another, a path belongs to the inner one.
    self.roots = roots.map { root in
      root.bytes.last == UInt8(ascii: "/") ? root.bytes : root.bytes + [UInt8(ascii: "/")]
    }.sorted { $0.count > $1.count }
    for file in files {
      for (index, line) in try PathList.lines(of: file).enumerated() where line.first != UInt8(ascii: "#") {
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

  /// Whether it has no patterns.
  var isEverything: Bool { patterns.isEmpty }

  func contains(_ path: BytePath, isDirectory: Bool) -> Bool {
    if patterns.isEmpty { return true }
    let relative = relative(path)
    let last = patterns.last { $0.pattern.matches(relative, isDirectory: isDirectory) }
    // Patterns that only take back select everything else.
    return last.map { !$0.isNegated } ?? patterns.allSatisfy(\.isNegated)
  }

  /// The path below the root that it belongs to; of a root that is a file, its name.
  private func relative(_ path: BytePath) -> BytePath {
    for root in roots where path.bytes.starts(with: root) { return BytePath(bytes: Array(path.bytes[root.count...])) }
    return path.lastComponent
  }
}
