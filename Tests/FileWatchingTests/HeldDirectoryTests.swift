import EventLoops
import FileWatching
import Glibc
import StreamsTesting
import TestSupport
import Testing

/// Directories that are removed while a process uses them, because it has them or a file in them open, or works there. The
/// kernel does not report such a removal to the directory itself before the process has ended its use.
@Suite(.noLiveResources)
struct HeldDirectoryTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var setup: String
    var root: String
    var held: [String]
    var changes: [String]
    var testDescription: String { "\(root): \(changes.joined(separator: ", "))" }
  }

  private static let cases = [
    Case(
      setup: "mkdir sub; touch sub/a", root: "sub/a", held: ["sub/a"],
      changes: ["rm sub/a", "rmdir sub", "mkdir sub", "touch sub/a"]),
    Case(
      setup: "mkdir sub; touch sub/a", root: "sub/a", held: ["sub"],
      changes: ["rm sub/a; rmdir sub", "mkdir sub; touch sub/a"]),
    Case(
      setup: "mkdir sub; touch sub/a", root: "sub/a", held: ["sub"],
      changes: ["rm sub/a", "mv sub away", "mkdir sub", "touch sub/a"]),
    Case(
      setup: "mkdir sub; touch sub/a", root: "sub/a", held: ["sub"],
      changes: ["rm sub/a", "mkdir new", "mv -T new sub", "touch sub/a"]),
    Case(
      setup: "mkdir sub; touch sub/a", root: "sub/a", held: ["sub"],
      changes: ["mv sub/a b", "mkdir new; mv b new/a", "mv -T new sub"]),
    Case(
      setup: "mkdir x; touch x/a", root: "x", held: ["x"],
      changes: ["rm x/a", "rmdir x", "mkdir x", "touch x/a"]),
    Case(
      setup: "mkdir -p build/x; touch build/x/a", root: "build/x", held: ["build"],
      changes: ["rm -r build/x", "rmdir build", "mkdir build", "mkdir build/x", "touch build/x/a"]),
    Case(
      setup: "mkdir -p p/q/r; touch p/q/r/a", root: "p/q/r/a", held: ["p", "p/q", "p/q/r"],
      changes: ["rm p/q/r/a", "rmdir p/q/r", "rmdir p/q", "rmdir p", "mkdir p", "mkdir -p p/q/r; touch p/q/r/a"]),
    Case(
      setup: "mkdir -p p/q/r; touch p/q/r/a", root: "p/q/r/a", held: ["p/q"],
      changes: ["rm -r p/q", "mkdir p/q", "rmdir p/q", "mkdir p/q", "mkdir p/q/r", "touch p/q/r/a"]),
    Case(
      setup: "mkdir -p real/one; touch real/one/a; ln -s real/one current", root: "current/a", held: ["real/one"],
      changes: ["rm real/one/a", "rmdir real/one", "mkdir real/one", "touch real/one/a"]),
    Case(
      setup: "mkdir -p real/one; touch real/one/a; ln -s real/one/a link", root: "link", held: ["real", "real/one"],
      changes: ["rm real/one/a", "rmdir real/one", "rmdir real", "mkdir -p real/one", "touch real/one/a"]),
  ]

  @Test(arguments: cases)
  func `a watched path is found again after a held directory on the way is gone`(_ test: Case) async throws {
    try await withWatcher { watcher in
      watcher.tree.shell(test.setup)
      watcher.start([test.root])
      let held = test.held.map { open(watcher.tree.absolute($0), O_RDONLY | O_CLOEXEC) }
      defer { for descriptor in held { close(descriptor) } }
      for change in test.changes {
        watcher.tree.shell(change)
        watcher.settle()
      }
      let texts = watcher.texts()
      #expect(texts.contains { $0.hasPrefix("removed \(test.root)") }, "\(texts)")
      #expect(["created \(test.root)", "created \(test.root)/a"].contains { watcher.count($0) == 1 }, "\(texts)")
      watcher.clear()
      watcher.tree.shell("if [ -d \(test.root) ]; then touch \(test.root)/new; else echo x >>\(test.root); fi")
      watcher.settle()
      #expect(["created \(test.root)/new", "modified \(test.root)"].contains { watcher.count($0) >= 1 })
    }
  }

  @Test func `a watched path is found again while its held directories are made again`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p build/x/y; touch build/x/y/a")
      watcher.start(["build/x/y", "build/x/y/a"])
      let queue = Queue(label: "shell")
      defer { queue.shutdown() }
      let path = watcher.tree.path
      for round in 0..<30 {
        let held = ["build", "build/x"].map { open(watcher.tree.absolute($0), O_RDONLY | O_CLOEXEC) }
        defer { for descriptor in held { close(descriptor) } }
        watcher.clear()
        queue.async { TestTree(at: path).shell("rm -rf build") }
        watcher.run("round \(round)") {
          watcher.count("removed build/x/y/") > 0 && watcher.count("removed build/x/y/a") > 0
        }
        queue.async { TestTree(at: path).shell("mkdir -p build/x/y; touch build/x/y/a") }
        // Once for each of the watched paths.
        watcher.run("round \(round)") { watcher.count("created build/x/y/a") >= 2 }
        if watcher.count("created build/x/y/a") < 2 { return }
        watcher.settle()
      }
    }
  }

  @Test func `a watched path is found after any changes of the held directories on the way`() async throws {
    for seed in Effort.seed..<Effort.seed + max(1, Effort.cases / 1_000) {
      try await withWatcher { watcher in
        var random = SeededGenerator(UInt64(seed) &* 7_919)
        let tree = watcher.tree
        tree.shell("mkdir -p p/q/r; touch p/q/r/a; ln -s p/q link")
        // One path only, because a directory has one mask for all watched paths.
        let root = ["p/q/r", "p/q/r/a", "link/r/a"].randomElement(using: &random)!
        watcher.start([root])
        var isKnown = true
        watcher.onEvent = { event in
          if watcher.relative(event.path) != root { return }
          if event.kind == .created { isKnown = true } else if event.kind == .removed { isKnown = false }
        }
        var held: [Int32] = []
        defer { for descriptor in held { close(descriptor) } }
        var log: [String] = []
        for _ in 0..<40 {
          let name = ["p", "p/q", "p/q/r"].randomElement(using: &random)!
          let path = tree.absolute(name)
          // An operation that is not possible changes nothing.
          let operation = Int.random(in: 0..<9, using: &random)
          switch operation {
          case 0, 1: mkdir(path, 0o755)
          case 2, 3: rmdir(path)
          case 4: close(open(tree.absolute("p/q/r/a"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
          case 5: unlink(tree.absolute("p/q/r/a"))
          case 6: rename(path, tree.absolute("x"))
          case 7: rename(tree.absolute("x"), path)
          default: held.append(open(path, O_RDONLY | O_CLOEXEC))
          }
          log.append("\(operation) \(name)")
          if Bool.random(using: &random) { continue }
          watcher.settle()
          #expect(isKnown == tree.exists(root), "seed \(seed), \(root): \(log)")
          if isKnown != tree.exists(root) { return }
        }
      }
    }
  }

  @Test func `a directory above that was replaced is watched`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p x/sub; touch x/sub/a")
      watcher.start(["x/sub/a"])
      watcher.tree.shell("mv x/sub away; rmdir x; mkdir x; mv away x/sub")
      watcher.settle()
      watcher.clear()
      watcher.tree.shell("mv x y")
      watcher.settle()
      #expect(watcher.texts(without: .attributes) == ["removed x/sub/a"])
    }
  }

  @Test func `a held directory in a tree that is removed and made again is watched`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p sub/deep other; touch sub/deep/a")
      watcher.start()
      let count = watcher.watchCount
      for loss in ["rm -r sub", "rm -r sub/deep; mv -T other sub", "mv sub away; rm -r away"] {
        let held = ["sub", "sub/deep"].map { open(watcher.tree.absolute($0), O_RDONLY | O_CLOEXEC) }
        defer { for descriptor in held { close(descriptor) } }
        watcher.tree.shell(loss)
        watcher.settle()
        watcher.clear()
        watcher.tree.shell("mkdir -p sub/deep other; touch sub/deep/a")
        watcher.settle()
        #expect(watcher.count("created sub/deep/") == 1 && watcher.count("created sub/deep/a") == 1, "\(loss)")
        watcher.clear()
        watcher.tree.touch("sub/deep/b")
        watcher.settle()
        #expect(watcher.texts(without: .modified) == ["created sub/deep/b"], "\(loss)")
        // No watch of a removed directory is left.
        #expect(watcher.watchCount == count, "\(loss)")
      }
    }
  }

  @Test func `a link is followed after the held directory of its target is gone`() async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      outside.shell("mkdir -p sub/deep; touch sub/a")
      watcher.tree.link("file", to: outside.absolute("sub/a"))
      watcher.tree.link("deep", to: outside.absolute("sub/deep"))
      var options = FileWatchOptions()
      options.followsLinks = true
      watcher.start([""], options)
      let held = open(outside.absolute("sub"), O_RDONLY | O_CLOEXEC)
      defer { close(held) }
      for change in ["rm -r sub/a sub/deep", "rmdir sub", "mkdir sub", "mkdir sub/deep; touch sub/deep/b"] {
        outside.shell(change)
        watcher.settle()
      }
      #expect(watcher.texts(without: .attributes, .modified).suffix(2) == ["created deep/", "created deep/b"])
      watcher.clear()
      outside.touch("sub/a")
      watcher.settle()
      #expect(Set(watcher.texts()) == ["modified file"])
    }
  }

  @Test(arguments: ["rm rules/sub/ignore, rmdir rules/sub", "mv rules away"])
  func `a file of rules is read again after a directory on the way is gone`(_ loss: String) async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p root rules/sub; echo '*.o' >rules/sub/ignore")
      var options = FileWatchOptions()
      options.ignoreRules.files = [BytePath(watcher.tree.absolute("rules/sub/ignore"))]
      watcher.start(["root"], options)
      let held = open(watcher.tree.absolute("rules/sub"), O_RDONLY | O_CLOEXEC)
      defer { close(held) }
      for change in loss.split(separator: ", ") {
        watcher.tree.shell(String(change))
        watcher.settle()
      }
      watcher.tree.touch("root/a.o")
      watcher.settle()
      #expect(watcher.texts(without: .modified) == ["created root/a.o"])
      watcher.clear()
      for change in ["mkdir -p rules/sub", "echo '*.c' >rules/sub/ignore", "touch root/b.o root/b.c"] {
        watcher.tree.shell(change)
        watcher.settle()
      }
      #expect(watcher.texts(without: .modified) == ["created root/b.o"])
    }
  }

  @Test func `the directory above wakes the watcher only while a path does not exist`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p above/sub; touch above/sub/a")
      let inode = "ino:\(String(TestTree(at: watcher.tree.absolute("above")).inode, radix: 16)) "
      var mask: Int32? {
        let line = watcher.kernelWatches?.lines.first { $0.contains(inode) }
        let field = line?.split(separator: " ").first { $0.hasPrefix("mask:") }
        return field.flatMap { Int32($0.dropFirst(5), radix: 16) }
      }
      watcher.start(["above/sub/a"])
      #expect(mask == IN_MOVE_SELF)
      watcher.tree.remove("above/sub/a")
      watcher.settle()
      #expect(mask == IN_MOVE_SELF | IN_DELETE | IN_MOVED_TO)
      watcher.tree.touch("above/sub/a")
      watcher.settle()
      #expect(mask == IN_MOVE_SELF)
    }
  }
}
