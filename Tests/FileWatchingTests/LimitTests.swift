import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import FileWatching

@_silgen_name("setfsuid") func setfsuid(_ user: UInt32) -> Int32

/// Paths that cannot be watched, and paths that must not be watched.
@Suite(.noLiveResources)
struct LimitTests {
  @Test func `a missing path is an error`() async throws {
    try await withWatcher { watcher in
      watcher.start(["missing"])
      guard case .cannotWatch(let path, let error)? = watcher.error else {
        Issue.record("\(String(describing: watcher.error))")
        return
      }
      #expect(path.string == watcher.tree.absolute("missing"))
      #expect(error.name == "ENOENT")
      #expect(watcher.subscription?.isDisposed == true)
    }
  }

  @Test func `a failure closes the watcher, so that nothing keeps the loop running`() async throws {
    try await onOwnThread {
      let loop = Loop()
      var error: FileWatchError?
      let subscription = Operation.fileEvents(at: ["/proc/self/missing"]).observeFailed { error = $0 }
      #expect(error != nil && subscription.isDisposed)
      #expect(loop.describeWhatKeepsItAlive() == "Nothing keeps the loop alive.")
      loop.shutdown()
    }
  }

  @Test func `the systems limits are named`() throws {
    let path: BytePath = "a"
    guard case .watchLimit(path, let limit?) = FileWatchError.system(ENOSPC, "inotify_add_watch", path) else {
      Issue.record("not a watch limit")
      return
    }
    #expect(limit == Int(readFile("/proc/sys/fs/inotify/max_user_watches").dropLast()))
    // Here, too many open files do not mean that there are too many watchers.
    for (code, name) in [(EMFILE, "EMFILE"), (ENFILE, "ENFILE"), (EACCES, "EACCES")] {
      guard case .cannotWatch(path, let error) = FileWatchError.system(code, "open", path) else {
        Issue.record("not a path that cannot be watched")
        continue
      }
      #expect(error.name == name)
    }
    #expect([ENOSPC, ENOMEM, EMFILE, ENFILE].allSatisfy { !FileWatchError.isPassedOver($0) })
  }

  @Test func `each failure says what is wrong, and which limit to raise`() {
    let full = UVError(code: .tooManyOpenFiles, call: "inotify_init1")
    #expect("\(FileWatchError.cannotWatch("a", full))" == "cannot watch a: too many open files")
    #expect("\(FileWatchError.watchLimit("a", limit: 1000))".contains("max_user_watches is 1000"))
    #expect("\(FileWatchError.watchLimit("a", limit: 1000))".hasSuffix("sysctl fs.inotify.max_user_watches=4000"))
    #expect("\(FileWatchError.watchLimit("a", limit: nil))".hasSuffix("sysctl fs.inotify.max_user_watches=262144"))
    // The kernel does not say which of the two limits has been reached.
    for fix in ["ulimit -n", "fs.inotify.max_user_instances=1024"] {
      #expect("\(FileWatchError.instanceLimit(full))".contains(fix))
    }
  }

  @Test func `a component is appended to a path with one slash`() {
    #expect(BytePath("a").appending("b") == "a/b")
    #expect(BytePath("a/").appending("b") == "a/b")
    #expect(BytePath("/").appending("b") == "/b")
    #expect(BytePath("").appending("b") == "b")
  }

  @Test func `an unreadable directory is passed over`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p open/deep shut/deep; chmod 777 . open open/deep; chmod 700 shut")
      // The superuser reads everything, so this thread accesses files as the user nobody.
      _ = setfsuid(65_534)
      defer { _ = setfsuid(0) }
      var notices: [String] = []
      var options = FileWatchOptions()
      options.onNotice = { notices.append(watcher.relative(BytePath($0.description))) }
      watcher.start([""], options)
      #expect(watcher.error == nil)
      watcher.tree.touch("open/deep/file")
      watcher.settle()
      #expect(watcher.texts(without: .modified) == ["created open/deep/file"])
      watcher.clear()
      _ = setfsuid(0)
      watcher.tree.shell("mkdir shut2; chmod 700 shut2; touch shut2/unseen")
      _ = setfsuid(65_534)
      watcher.settle()
      #expect(watcher.error == nil)
      #expect(watcher.texts(without: .modified, .attributes) == ["created shut2/"])
      #expect(notices == ["shut is left out: permission denied", "shut2 is left out: permission denied"])
    }
  }

  @Test func `a directory that becomes readable is entered`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p shut/deep; chmod 777 .; chmod 700 shut")
      _ = setfsuid(65_534)
      defer { _ = setfsuid(0) }
      watcher.start()
      _ = setfsuid(0)
      watcher.tree.shell("chmod 755 shut")
      _ = setfsuid(65_534)
      watcher.settle()
      #expect(watcher.texts() == ["attributes shut/", "created shut/deep/"])
      watcher.clear()
      _ = setfsuid(0)
      watcher.tree.shell("touch shut/deep/file; chmod 711 shut/deep")
      _ = setfsuid(65_534)
      watcher.settle()
      #expect(watcher.texts(without: .modified) == ["created shut/deep/file", "attributes shut/deep/"])
    }
  }

  @Test func `ignored directories get no watch`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p src/a node_modules; cd node_modules; mkdir $(seq 300)")
      var asked: [String] = []
      var options = FileWatchOptions()
      options.isIgnored = { path, isDirectory in
        asked.append(path.description)
        return path.lastComponent == "node_modules"
      }
      watcher.start([""], options)
      // The tree, src, and src/a; the barrier; the directories above it.
      #expect(watcher.watchCount == 4 + watcher.tree.ancestors)
      #expect(asked.allSatisfy { !$0.contains("node_modules/") })
      watcher.tree.shell("mkdir -p src/node_modules/x; touch node_modules/file src/node_modules/x/file src/a/file")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created src/a/file"])
      #expect(watcher.watchCount == 4 + watcher.tree.ancestors)
    }
  }

  @Test func `only the directory itself when not recursive`() async throws {
    try await withWatcher { watcher in
      watcher.tree.makeDirectory("a")
      var options = FileWatchOptions()
      options.recursive = false
      watcher.start([""], options)
      watcher.tree.shell("touch a/unseen file; mkdir b; touch b/unseen; mv b c")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created file", "created b/", "renamed b/ c"])
    }
  }

  @Test func `no deeper than asked for`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p a/b/c/d")
      var options = FileWatchOptions()
      options.maximumDepth = 2
      watcher.start([""], options)
      for script in ["touch 1 a/2 a/b/3; mkdir -p e/f/g", "mv a/b b", "touch b/4 b/c/5", "mv b e/b", "touch e/b/6"] {
        watcher.tree.shell(script)
        watcher.settle()
      }
      #expect(
        Set(watcher.texts(without: .modified, .attributes)) == [
          "created 1", "created a/2", "created e/", "created e/f/", "removed a/b/", "created b/", "created b/3",
          "created b/c/", "created b/4", "removed b/", "created e/b/",
        ])
      // The tree, a, and e; the barrier; the directories above it.
      #expect(watcher.watchCount == 4 + watcher.tree.ancestors)
    }
  }

  @Test func `what is there is reported on request`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p a/b; touch a/b/file")
      var options = FileWatchOptions()
      options.reportsExisting = true
      options.ignoreRules.patterns = ["*.o"]
      watcher.start([""], options)
      #expect(watcher.texts() == ["created ./", "created a/", "created a/b/", "created a/b/file"])
    }
  }
}
