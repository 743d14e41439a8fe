import FileWatching
import Glibc
import StreamsTesting
import TestSupport
import Testing

/// Watched paths that are or contain symbolic links, while the links, their targets, and the directories on the way change.
///
/// One after the other: each has an inotify instance, of which a user has 128.
@Suite(.noLiveResources, .serialized, .timeLimit(.minutes(60)))
struct RootLinkFuzzTests {
  @Test(arguments: [
    (["link -> real"], "link", "rm -rf real", "mkdir real; touch real/file"),
    (["link -> real"], "link", "mv real away", "mv away real; touch real/file"),
    (["link -> e/b"], "link", "rm -rf e", "mkdir e; touch e/b"),
    (["link -> b"], "link", "ln -sfn c link", "touch c"),
    (["cur -> r1"], "cur/file", "ln -sfn r2 cur", "touch r2/file"),
    (["cur -> r1"], "cur/sub", "ln -sfn r2 cur", "mkdir -p r2/sub; touch r2/sub/file"),
    (["one -> two", "two -> r1"], "one/file", "ln -sfn r2 two", "touch r2/file"),
  ])
  func `a watched path is found again through its links`(
    _ links: [String], _ root: String, _ loss: String, _ return: String
  ) async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p real e r1/sub r2; touch e/b b r1/file real/file")
      for link in links {
        let words = link.split(separator: " ").map(String.init)
        watcher.tree.link(words[0], to: words[2])
      }
      watcher.start([root])
      watcher.tree.shell(loss)
      watcher.settle()
      #expect(watcher.texts(without: .attributes).contains { $0.hasPrefix("removed \(root)") }, "\(watcher.texts())")
      watcher.clear()
      watcher.tree.shell(`return`)
      watcher.run { watcher.texts().contains { $0.hasPrefix("created \(root)") } }
      watcher.settle()
      watcher.clear()
      watcher.tree.shell("if [ -d \(root) ]; then echo x >\(root)/probe; else echo x >>\(root); fi")
      watcher.run { watcher.texts().contains { $0.hasPrefix("created \(root)/probe") || $0 == "modified \(root)" } }
    }
  }

  /// A hundredth of the cases of other fuzz tests, because each step waits for the kernel's events.
  @Test func `what is reported leads to what is there`() async throws {
    for seed in Effort.seed..<Effort.seed + max(1, Effort.cases / 400) {
      let failure = Lock<String?>(nil)
      try await withWatcher { watcher in
        let problem = RootLinkRun(seed, watcher).run()
        failure.withLock { $0 = problem }
      }
      if let problem = failure.withLock({ $0 }) {
        Issue.record("seed \(seed): \(problem)")
        return
      }
    }
  }
}

private final class RootLinkRun {
  private let watcher: TestWatcher
  private let outside = TestTree()
  private var random: SeededGenerator
  private let root: String
  /// The paths that the events so far say are there.
  private var known: Set<String> = []
  private var log: [String] = []

  private static let names = ["a", "b", "c", "a/a", "a/b", "b/a", "b/c", "c/b"]
  private static let targets = names + ["../a", "../b", ".", "../c/b", "a/../b"]

  init(_ seed: Int, _ watcher: TestWatcher) {
    self.watcher = watcher
    random = SeededGenerator(UInt64(seed))
    root = Self.names.randomElement(using: &random)!
  }

  private func pick(_ texts: [String]) -> String { texts.randomElement(using: &random)! }

  func run() -> String? {
    for _ in 0..<6 { change() }
    if !watcher.tree.exists(root) { watcher.tree.shell("rm -rf \(root); mkdir -p \(root) || true") }
    if !watcher.tree.exists(root) { return nil }
    var options = FileWatchOptions()
    options.reportsExisting = true
    watcher.start([root], options)
    for _ in 0..<10 {
      watcher.settle()
      if let problem = compare() { return problem }
      change()
    }
    watcher.settle()
    return compare()
  }

  /// Changes something. A command that cannot be run changes nothing.
  private func change() {
    let (one, other) = (pick(Self.names), pick(Self.names))
    let command =
      switch Int.random(in: 0..<7, using: &random) {
      case 0: "mkdir \(one)"
      case 1: "rm -rf \(one)"
      case 2: "mv -T \(one) \(other)"
      case 3: "ln -s \(pick(Self.targets)) \(one)"
      case 4: "ln -sfn \(pick(Self.targets)) \(one)"
      case 5: "[ -L \(one) ] || touch \(one)"
      default: "mkdir -p \(one) && touch \(one)/\(pick(["a", "b", "c"]))"
      }
    log.append(command)
    watcher.tree.shell("{ \(command); } 2>/dev/null || true")
  }

  private func compare() -> String? {
    for event in watcher.events {
      let path = watcher.relative(event.path)
      switch event.kind {
      case .created: known.insert(path)
      case .removed: forget(path)
      case .renamed(let newPath):
        let new = watcher.relative(newPath)
        let moved = known.filter { $0 == path || $0.hasPrefix(path + "/") }
        forget(new)
        known.subtract(moved)
        for old in moved { known.insert(new + old.dropFirst(path.count)) }
      case .modified, .attributes, .overflow: break
      }
    }
    watcher.clear()
    // The root is followed if it is a link, and links below it are not.
    let listing = outside.absolute("listing")
    watcher.tree.shell("find -H \(root) >\(listing) 2>/dev/null || true; test -e \(root) || : >\(listing)")
    let there = Set(readFile(listing).split(separator: "\n").map(String.init))
    if known == there { return nil }
    return "\(root): reported \(known.sorted()), there \(there.sorted()), after \(log.joined(separator: "; "))"
  }

  private func forget(_ path: String) { known = known.filter { $0 != path && !$0.hasPrefix(path + "/") } }
}
