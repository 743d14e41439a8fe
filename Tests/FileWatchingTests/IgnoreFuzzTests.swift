import FileWatching
import Glibc
import StreamsTesting
import TestSupport
import Testing

/// Generated trees with generated rules: the watcher reports exactly the paths that git does not ignore.
///
/// The tests are serialized, because each one has an inotify instance, of which a user has 128.
@Suite(.noLiveResources, .serialized, .timeLimit(.minutes(60)))
struct IgnoreFuzzTests {
  /// A tenth of the cases of other fuzz tests, because each decision takes several system calls.
  @Test func `the decisions are git's own`() async throws {
    var decisions = 0
    var ignored = 0
    var seed = Effort.seed
    while decisions < Effort.cases / 10 || seed == Effort.seed {
      let current = seed
      let counts = Lock((decisions: 0, ignored: 0, failed: false))
      try await withWatcher { watcher in
        let run = IgnoreRun(UInt64(current), watcher)
        let problem = run.run()
        if let problem { Issue.record("seed \(current): \(problem)") }
        counts.withLock { $0 = (run.decisions, run.ignored, problem != nil) }
      }
      let (some, someIgnored, failed) = counts.withLock { $0 }
      if failed { return }
      decisions += some
      ignored += someIgnored
      seed += 1
    }
    // Rules that never match would agree, too.
    if decisions >= 1_000 { #expect(ignored > decisions / 10 && ignored < decisions * 9 / 10) }
  }
}

/// One repository and one watcher: every path is touched, and the events are compared with `git check-ignore`. Then the rules
/// change, and the comparison is repeated.
private final class IgnoreRun {
  private let watcher: TestWatcher
  private let exchange = TestTree()
  private var random: SeededGenerator
  private(set) var decisions = 0
  private(set) var ignored = 0

  private static let names = [
    "a", "b", "ab", "foo", "foo.o", "bar.c", "build", "doc", "a b", "x ", "x[1]", "é", "#c", "!d", "\\e", "a*b", "-",
    "]",
    "Z", "_9",
  ]
  private static let pieces = [
    "a", "b", "ab", "foo", "*", "*", "?", "**", "[a-f]", "[!a]", "[^b-z]", "[[:alpha:]]", "[[:digit:]_]", "[]a]",
    "[a\\]]",
    "[\\!a]", "[z-a]", "[a-]", "[--0]", "[[:punct:]]", "[[:space:]]", "\\*", "\\e", "\\#", "\\\\", ".o", ".c", "build",
    "doc",
    "é", "[é]", "x", " ", "\\ ", "[1]", "[[]", "#", "!", "-", "[[:upper:]]", "o", "[", "\\", "[[:foo:]]", "[a-\\f]",
    "[/]",
    "[[:]", "9", "[[:alnum:]]", "[[:blank:]]", "[[:cntrl:]]", "[[:graph:]]", "[[:lower:]]", "[[:print:]]",
    "[![:xdigit:]]",
  ]

  init(_ seed: UInt64, _ watcher: TestWatcher) {
    self.watcher = watcher
    random = SeededGenerator(seed)
  }

  private var tree: TestTree { watcher.tree }

  private func chance(_ one: Int, in many: Int) -> Bool { Int.random(in: 0..<many, using: &random) < one }

  private func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random)! }

  func run() -> String? {
    tree.shell("mkdir -p .git/objects .git/refs/heads .git/info; echo ref: refs/heads/main >.git/HEAD")
    tree.write(
      ".git/config", "[core]\n\trepositoryformatversion = 0\n\texcludesFile = \"\(exchange.path)/user\" # mine\n")
    exchange.write("user", rules(1))
    tree.write(".git/info/exclude", rules(2))
    for _ in 0..<60 { makeSomething() }
    for directory in [""] + paths.filter(\.isDirectory).map(\.path) where chance(2, in: 5) { writeRules(in: directory) }
    // A root inside the repository also follows the rules above it. An ignored root would be watched nevertheless, because the
    // program asked for it, so none is chosen.
    let root = paths.filter(\.isDirectory).map(\.path).filter { !$0.contains("/") }.first {
      !isIgnored([$0]).contains($0)
    }
    let start = root.flatMap { chance(1, in: 3) ? $0 : nil } ?? ""
    var options = FileWatchOptions()
    options.ignoreRules.usesGit = true
    options.ignoreRules.patterns = [".git/"]
    watcher.start([start], options)
    watcher.settle()
    if let problem = compare(start) { return problem }
    for _ in 0..<2 {
      change(start)
      watcher.settle()
      if let problem = compare(start) { return "after the change: \(problem)" }
    }
    return nil
  }

  private var paths: [(path: String, isDirectory: Bool)] {
    tree.listing().filter { $0.key != ".git" && !$0.key.hasPrefix(".git/") }.map { ($0.key, $0.value) }
      .sorted { $0.path < $1.path }
  }

  private func makeSomething() {
    let parent = pick([""] + paths.filter { $0.isDirectory && $0.path.split(separator: "/").count < 4 }.map(\.path))
    let path = (parent.isEmpty ? "" : parent + "/") + pick(Self.names)
    if tree.exists(path) { return }
    if chance(1, in: 3) { tree.makeDirectory(path) } else { tree.touch(path) }
  }

  private func writeRules(in directory: String) {
    tree.write(directory.isEmpty ? ".gitignore" : "\(directory)/.gitignore", rules(5))
  }

  private func change(_ root: String) {
    for _ in 0..<6 {
      let directories = paths.filter { $0.isDirectory && $0.path != root }.map(\.path)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: tree.write(".git/info/exclude", rules(2))
      case 1: exchange.write("user", rules(1))
      case 2:
        if let directory = directories.randomElement(using: &random), tree.exists("\(directory)/.gitignore") {
          tree.remove("\(directory)/.gitignore")
        }
      case 3:
        if let directory = directories.randomElement(using: &random), !root.hasPrefix(directory) {
          let name = pick(Self.names)
          let above = directory.split(separator: "/").dropLast().joined(separator: "/")
          let target = (above.isEmpty ? "" : above + "/") + name
          if !tree.exists(target) { tree.rename(directory, target) }
        }
      case 4: makeSomething()
      default: writeRules(in: pick([""] + directories))
      }
    }
  }

  private func rules(_ count: Int) -> String {
    var text = chance(1, in: 20) ? "\u{FEFF}" : ""
    for _ in 0..<Int.random(in: 0...count, using: &random) {
      text += rule() + pick(["\n", "\n", "\n", "\r\n", " \n", "\n\n"])
    }
    return text + (chance(1, in: 4) ? rule() : "")
  }

  private func rule() -> String {
    var rule = chance(1, in: 4) ? "!" : ""
    if chance(1, in: 4) { rule += "/" }
    let count = Int.random(in: 1...3, using: &random)
    for index in 0..<count {
      if index > 0 { rule += "/" }
      if chance(1, in: 4) {
        rule += "**"
      } else if chance(1, in: 2) {
        rule += pick(Self.names.filter { !$0.hasSuffix(" ") })
      } else {
        for _ in 0..<Int.random(in: 1...3, using: &random) { rule += pick(Self.pieces) }
      }
    }
    if chance(1, in: 4) { rule += "/" }
    return hasHalfBoundStars(rule) ? "foo" : rule
  }

  /// Before version 2.53, git takes `a**/` for `a` and `**/`, contrary to its manual.
  private func hasHalfBoundStars(_ rule: String) -> Bool {
    let special: Set<Character> = ["*", "?", "[", "\\"]
    guard let first = rule.firstIndex(where: special.contains), first > rule.startIndex else { return false }
    return rule[first...].hasPrefix("**") && rule[rule.index(before: first)] != "/"
  }

  /// The paths that git ignores.
  private func isIgnored(_ paths: [String]) -> Set<String> {
    if paths.isEmpty { return [] }
    exchange.write("in", paths.joined(separator: "\0") + "\0")
    let directory = exchange.path
    tree.shell("git check-ignore --no-index -z --stdin <\(directory)/in >\(directory)/out || test $? = 1")
    return Set(readFile(exchange.absolute("out")).split(separator: "\0").map(String.init))
  }

  private func compare(_ root: String) -> String? {
    // A root is watched because the program asked for it, even if git ignores all of it.
    if !root.isEmpty, !isIgnored([root]).isEmpty { return nil }
    let paths = paths.map(\.path).filter { root.isEmpty || $0.hasPrefix(root + "/") }
    let ignored = isIgnored(paths)
    watcher.clear()
    for path in paths { utimensat(AT_FDCWD, tree.absolute(path), nil, AT_SYMLINK_NOFOLLOW) }
    watcher.settle()
    let reported = Set(watcher.events.filter { $0.kind == .attributes }.map { watcher.relative($0.path) })
    decisions += paths.count
    self.ignored += ignored.count
    let wrong = paths.first { ignored.contains($0) == reported.contains($0) }
    guard let wrong else { return nil }
    let files = ([".git/info/exclude", ".gitignore"] + paths.filter { $0.hasSuffix("/.gitignore") }).map {
      "\($0): \(readFile(tree.absolute($0)).debugDescription)"
    }
    return """
      git \(ignored.contains(wrong) ? "ignores" : "does not ignore") '\(wrong)' below '\(root)'. \
      user: \(readFile(exchange.absolute("user")).debugDescription) \(files.joined(separator: " "))
      """
  }
}
