import Glibc
import Streams
import StreamsTesting
import Testing

@testable import FileWatching

/// Files that are compared repeatedly, because no event reports their changes.
@Suite(.noLiveResources, .serialized)
struct PollingTests {
  private static func options(_ polling: FileWatchOptions.Polling = .always) -> FileWatchOptions {
    var options = FileWatchOptions()
    options.polling = polling
    options.pollInterval = .milliseconds(2)
    return options
  }

  @Test func `every kind of change is found`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      tree.shell("mkdir -p a/b; touch a/file a/b/gone same")
      watcher.start([""], Self.options())
      #expect(watcher.watchCount == 0)
      for (script, expected) in [
        ("echo x >a/file", ["modified a/file"]), ("chmod 600 a/file", ["attributes a/file"]),
        ("rm a/b/gone", ["removed a/b/gone"]),
        ("mkdir -p c/d; touch c/d/new", ["created c/", "created c/d/", "created c/d/new"]),
        ("echo y >new; mv new a/file", ["modified a/file"]), ("rm -r a/b", ["removed a/b/"]),
        ("rm -r c; touch c", ["removed c/", "created c"]), ("true", []),
      ] as [(String, [String])] {
        watcher.clear()
        tree.shell(script)
        watcher.settle()
        #expect(watcher.texts() == expected, "\(script)")
      }
    }
  }

  @Test func `a root and a file are followed`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      tree.shell("mkdir d; touch f")
      watcher.start(["d", "f"], Self.options())
      tree.shell("rm -r d; rm f")
      watcher.settle()
      #expect(watcher.texts().sorted() == ["removed d/", "removed f"])
      watcher.clear()
      tree.shell("mkdir d; touch d/x f")
      watcher.settle()
      #expect(Set(watcher.texts()) == ["created d/", "created d/x", "created f"])
      watcher.clear()
      tree.shell("echo x >new; mv new f; echo x >d/x")
      watcher.settle()
      #expect(watcher.texts().sorted() == ["modified d/x", "modified f"])
    }
  }

  @Test(arguments: 201...206)
  func `the events tell the tree`(seed: UInt64) async throws {
    try await withWatcher { watcher in
      #expect(watcher.compareEventsWithTree(seed: seed, bursts: 30, Self.options()) == [])
    }
  }

  @Test func `a removed path on a silent file system is looked for repeatedly`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p remote/d")
      let remote = TestTree(at: watcher.tree.absolute("remote")).inode
      var looks: Int?
      var options = Self.options(.automatic)
      options.fileSystemType = { descriptor in
        guard FileStatus(of: descriptor)!.inode == remote else { return FileSystemType.of(descriptor) }
        looks = looks.map { $0 + 1 }
        if looks == 3 { watcher.loop.stop() }
        return 0x6969
      }
      watcher.start(["remote/d"], options)
      watcher.tree.removeDirectory("remote/d")
      watcher.settle()
      // No event follows, so each of these is a look at the regular interval.
      looks = 0
      watcher.run("three looks") { false }
      #expect((looks ?? 0) >= 3)
    }
  }

  @Test func `a file system that is silent is polled by itself`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      tree.shell("mkdir -p remote/deep local")
      var remote: Set<UInt64> = []
      for name in ["remote", "remote/deep"] { remote.insert(TestTree(at: tree.absolute(name)).inode) }
      var options = Self.options(.automatic)
      options.fileSystemType = { descriptor in
        remote.contains(FileStatus(of: descriptor)!.inode) ? 0x6573_5546 : FileSystemType.of(descriptor)
      }
      var notices: [FileWatchNotice] = []
      options.onNotice = { notices.append($0) }
      watcher.start([""], options)
      #expect(notices == [.silentFileSystem(BytePath(tree.absolute("remote")), "FUSE")])
      // The tree and local; the barrier; the directories above it.
      #expect(watcher.watchCount == 3 + tree.ancestors)
      tree.shell("touch remote/deep/file local/file")
      watcher.run { watcher.texts().contains("created remote/deep/file") }
      watcher.clear()
      tree.shell("mv remote/deep/file remote/file; mv remote elsewhere")
      watcher.run {
        watcher.texts().contains("created elsewhere/file") || watcher.texts().contains("created remote/file")
      }
      watcher.clear()
      tree.shell("echo more >elsewhere/file")
      watcher.run { watcher.texts().contains("modified elsewhere/file") }
    }
  }

  @Test func `rules apply to what is polled`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      tree.makeDirectory("a")
      var options = Self.options()
      options.ignoreRules.fileNames = [".ignore"]
      watcher.start([""], options)
      tree.write("a/.ignore", "*.o\n")
      watcher.settle()
      watcher.clear()
      tree.shell("touch a/x.o a/x.c")
      watcher.settle()
      #expect(watcher.texts() == ["created a/x.c"])
      tree.remove("a/.ignore")
      watcher.settle()
      watcher.clear()
      tree.shell("touch a/y.o")
      watcher.settle()
      #expect(watcher.texts() == ["created a/y.o"])
    }
  }

  @Test func `while paused nothing is compared and then all`() async throws {
    try await withWatcher { watcher in
      watcher.start([""], Self.options())
      watcher.subscription?.pause()
      watcher.tree.shell("touch a; mkdir b")
      watcher.turn()
      #expect(watcher.events.isEmpty)
      watcher.subscription?.resume()
      watcher.settle()
      #expect(Set(watcher.texts()) == ["created a", "created b/"])
    }
  }
}
