#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The commands of a run, which may contain placeholders for the changed paths.
///
/// If there is a `{}`, all commands run once for each path. A word with `{+}` is repeated for each path.
nonisolated struct RunPlan {
  /// A program and its arguments, as bytes, because file names may not be UTF-8.
  typealias Command = [[UInt8]]

  private static let each = Array("{}".utf8)
  private static let all = Array("{+}".utf8)

  private let commands: [Command]
  private let usesShell: Bool
  /// Whether a command contains `{}`.
  let needsEach: Bool
  /// Whether a command contains `{+}`.
  let needsAll: Bool

  /// Creates a plan. If `isLiteral` is true, there are no placeholders.
  init(_ commands: [[String]], usesShell: Bool = false, isLiteral: Bool = false) {
    self.commands = commands.map { $0.map { Array($0.utf8) } }
    self.usesShell = usesShell
    needsEach = !isLiteral && self.commands.joined().contains { Self.contains($0, Self.each) }
    needsAll = !isLiteral && self.commands.joined().contains { Self.contains($0, Self.all) }
  }

  /// Whether the commands need a changed path.
  var needsPaths: Bool { needsEach || needsAll }

  /// Returns the commands for these paths, as lists. A list runs in order until a command fails.
  func chains(for paths: [[UInt8]]) -> [[Command]] {
    // A program must not mistake a name for an option.
    let paths = paths.map { $0.first == UInt8(ascii: "-") ? Array("./".utf8) + $0 : $0 }
    if needsEach { return paths.map { path in commands.map { command($0, Self.each, [path]) } } }
    if needsAll { return groups(paths).map { paths in commands.map { command($0, Self.all, paths) } } }
    return [commands.map { command($0, [], []) }]
  }

  // MARK: The limit of the system

  /// The paths in groups, each of which a command can be given: in one, unless the system limits it.
  private func groups(_ paths: [[UInt8]]) -> [[[UInt8]]] {
    let room = bound - (commands.map { size($0, []) }.max() ?? 0)
    var groups: [[[UInt8]]] = []
    var left = 0
    for path in paths {
      // The difference that a second path makes, because a blank separates the paths in a script.
      let needed = commands.map { size($0, [path, path]) - size($0, [path]) }.max() ?? 0
      if needed > left || groups.isEmpty {
        groups.append([])
        left = room
      }
      groups[groups.count - 1].append(path)
      left -= needed
    }
    return groups
  }

  /// What a command needs of the system's limit, at most. Each argument ends with a zero, and has a pointer.
  private func size(_ words: Command, _ paths: [[UInt8]]) -> Int {
    let pointer = usesShell ? 0 : MemoryLayout<Int>.size
    return command(words, Self.all, paths).reduce(0) { $0 + $1.count + 1 + pointer }
  }

  /// The most bytes of a command's arguments. Linux limits one argument, such as a script, to 128 KiB, and all of them together with
  /// the environment; half of the latter leaves room for commands that a command starts.
  private var bound: Int { min(usesShell ? 128 << 10 : .max, max(0, sysconf(Int32(_SC_ARG_MAX)) / 2 - 128 << 10)) }

  private func command(_ words: Command, _ placeholder: [UInt8], _ paths: [[UInt8]]) -> Command {
    if usesShell {
      let script = Array(words.joined(separator: [UInt8(ascii: " ")]))
      let quoted = Array(paths.map(Self.quoted).joined(separator: [UInt8(ascii: " ")]))
      return [Array("sh".utf8), Array("-c".utf8), Self.replacing(script, placeholder, by: quoted)]
    }
    var result = words.flatMap { word in
      Self.contains(word, placeholder) ? paths.map { Self.replacing(word, placeholder, by: $0) } : [word]
    }
    // A program without a slash would be searched for in PATH.
    if result.first != words.first, result.first?.contains(UInt8(ascii: "/")) == false {
      result[0] = Array("./".utf8) + result[0]
    }
    return result
  }

  /// Quotes a path, so that the shell reads it as one word.
  private static func quoted(_ path: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "'")
    return [quote] + path.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] } + [quote]
  }

  private static func contains(_ word: [UInt8], _ placeholder: [UInt8]) -> Bool {
    find(placeholder, in: word[...]) != nil
  }

  private static func replacing(_ word: [UInt8], _ placeholder: [UInt8], by path: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = word[...]
    while let start = find(placeholder, in: rest) {
      result += rest[..<start] + path
      rest = rest[(start + placeholder.count)...]
    }
    return result + rest
  }

  private static func find(_ placeholder: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    if placeholder.isEmpty { return nil }
    return bytes.indices.first { bytes[$0...].starts(with: placeholder) }
  }
}
