import FileWatching
import Glibc
import StreamsTesting
import TestSupport
import Testing

/// Watched paths that are or contain symbolic links, and links that are followed, while the links, their targets, and the directories
/// on the way change.
///
/// One after the other: each has an inotify instance, of which a user has 128.
@Suite(.noLiveResources, .serialized, .timeLimit(.minutes(60)))
struct LinkFuzzTests {
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

  /// Far fewer cases than other fuzz tests have, because each step waits for the kernel's events.
  @Test(arguments: [false, true])
  func `what is reported leads to what is there`(followsLinks: Bool) async throws {
    for seed in Effort.seed..<Effort.seed + max(1, Effort.cases / 500) {
      let failure = Lock<String?>(nil)
      try await withWatcher { watcher in
        let run = LinkRun(seed, watcher)
        let problem = followsLinks ? run.followLinks() : run.watchRoot()
        failure.withLock { $0 = problem }
      }
      if let problem = failure.withLock({ $0 }) {
        Issue.record("seed \(seed): \(problem)")
        return
      }
    }
  }
}

private final class LinkRun {
  private let watcher: TestWatcher
  private let outside = TestTree()
  private var random: SeededGenerator
  /// The paths that the events so far say are there.
  private var known: Set<String> = []
  private var log: [String] = []

  private static let names = ["a", "b", "c", "a/a", "a/b", "b/a", "b/c", "c/b"]
  private static let targets = names + ["../a", "../b", ".", "../c/b", "a/../b"]

  init(_ seed: Int, _ watcher: TestWatcher) {
    self.watcher = watcher
    random = SeededGenerator(UInt64(seed))
  }

  private func pick(_ texts: [String]) -> String { texts.randomElement(using: &random)! }

  /// Runs a command. One that cannot be run changes nothing.
  private func run(_ command: String) {
    log.append(command)
    watcher.tree.shell("{ \(command); } 2>/dev/null || true")
  }

  // MARK: A root with links on its way

  func watchRoot() -> String? {
    let root = pick(Self.names)
    for _ in 0..<6 { change() }
    if !watcher.tree.exists(root) { watcher.tree.shell("rm -rf \(root); mkdir -p \(root) || true") }
    if !watcher.tree.exists(root) { return nil }
    var options = FileWatchOptions()
    options.reportsExisting = true
    watcher.start([root], options)
    // The root is followed if it is a link, and links below it are not.
    let list = "find -H \(root)"
    for _ in 0..<10 {
      watcher.settle()
      if let problem = compare(root, list) { return problem }
      change()
    }
    watcher.settle()
    return compare(root, list)
  }

  private func change() {
    let (one, other) = (pick(Self.names), pick(Self.names))
    switch Int.random(in: 0..<7, using: &random) {
    case 0: run("mkdir \(one)")
    case 1: run("rm -rf \(one)")
    case 2: run("mv -T \(one) \(other)")
    case 3: run("ln -s \(pick(Self.targets)) \(one)")
    case 4: run("ln -sfn \(pick(Self.targets)) \(one)")
    case 5: run("[ -L \(one) ] || touch \(one)")
    default: run("mkdir -p \(one) && touch \(one)/\(pick(["a", "b", "c"]))")
    }
  }

  // MARK: A tree whose links are followed

  func followLinks() -> String? {
    watcher.tree.shell("mkdir -p a/c b")
    var options = FileWatchOptions()
    options.followsLinks = true
    options.reportsExisting = true
    watcher.start([""], options)
    // The kernel's events are handled after all of a burst has happened, so they tell of states that are over.
    for _ in 0..<8 {
      watcher.settle()
      if let problem = compare(".", "find -L . -mindepth 1 -printf '%P\\n'") { return problem }
      for _ in 0..<Int.random(in: 1...8, using: &random) { changeTargets() }
    }
    watcher.settle()
    return compare(".", "find -L . -mindepth 1 -printf '%P\\n'")
  }

  private func changeTargets() {
    let (one, other) = (
      pick(["l", "m", "a/l", "a/m", "a/c/l", "b/l"]), pick(["l", "m", "a/l", "a/m", "a/c/l", "b/l"])
    )
    let (target, second) = (outside.absolute(pick(["x", "y", "z"])), outside.absolute(pick(["x", "y", "z"])))
    let link = outside.absolute("link")
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: run("ln -sfn \(target) \(one)")
    case 9: run("ln -sfn \(link) \(one)")
    case 10: run("ln -sfn \(target) \(link)")
    case 11: run("rm \(link)")
    case 2: run("mv -T \(one) \(other)")
    case 3: run("rm \(one)")
    case 4: run("mkdir \(target)")
    case 5: run("rm -rf \(target)")
    case 6: run("mv -T \(target) \(second)")
    case 7: run("touch \(target)")
    default: run("touch \(target)/\(pick(["p", "q"]))")
    }
  }

  // MARK: The model

  private func compare(_ root: String, _ list: String) -> String? {
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
    known.remove(".")
    let listing = outside.absolute("listing")
    watcher.tree.shell("\(list) >\(listing) 2>/dev/null || true; test -e \(root) || : >\(listing)")
    let there = Set(readFile(listing).split(separator: "\n").map(String.init))
    if known == there { return nil }
    return "\(root): reported \(known.sorted()), there \(there.sorted()), after \(log.joined(separator: "; "))"
  }

  private func forget(_ path: String) { known = known.filter { $0 != path && !$0.hasPrefix(path + "/") } }
}
