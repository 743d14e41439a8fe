import Glibc
import StreamsTesting
import Testing

@testable import FileWatching

/// Symbolic links that are followed on request.
@Suite(.noLiveResources)
struct LinkTests {
  private static func options(_ polling: FileWatchOptions.Polling = .automatic) -> FileWatchOptions {
    var options = FileWatchOptions()
    options.followsLinks = true
    options.polling = polling
    options.pollInterval = .milliseconds(2)
    return options
  }

  @Test(arguments: [FileWatchOptions.Polling.automatic, .always])
  func `directories behind links are watched under the path of the link`(polling: FileWatchOptions.Polling) async throws
  {
    try await withWatcher { watcher in
      let outside = TestTree()
      outside.shell("mkdir -p deep/er; touch file")
      watcher.tree.link("link", to: outside.path)
      watcher.tree.link("plain", to: outside.absolute("file"))
      watcher.start([""], Self.options(polling))
      outside.shell("touch deep/er/new; mkdir more; touch more/new; rm file")
      watcher.settle()
      #expect(
        Set(watcher.texts(without: .modified, .attributes)) == [
          "created link/deep/er/new", "created link/more/", "created link/more/new", "removed link/file",
        ])
      watcher.clear()
      // A link that is made while the tree is watched, and a link that is removed.
      outside.shell("mkdir ../$(basename $PWD)-2 && touch ../$(basename $PWD)-2/there")
      defer { outside.shell("rm -r ../$(basename $PWD)-2") }
      watcher.tree.link("second", to: "\(outside.path)-2")
      watcher.settle()
      #expect(Set(watcher.texts(without: .attributes)) == ["created second/", "created second/there"])
      watcher.clear()
      watcher.tree.remove("link")
      watcher.settle()
      #expect(watcher.texts(without: .attributes) == ["removed link/"])
      watcher.clear()
      outside.touch("unseen")
      watcher.settle()
      #expect(watcher.texts() == [])
    }
  }

  @Test(arguments: [FileWatchOptions.Polling.automatic, .always])
  func `loops end`(polling: FileWatchOptions.Polling) async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      watcher.tree.makeDirectory("a")
      watcher.tree.link("a/up", to: "..")
      watcher.tree.link("a/self", to: ".")
      watcher.tree.link("a/out", to: outside.path)
      outside.link("back", to: watcher.tree.path)
      watcher.start([""], Self.options(polling))
      watcher.tree.touch("a/file")
      outside.touch("other")
      watcher.settle()
      #expect(Set(watcher.texts(without: .modified, .attributes)) == ["created a/file", "created a/out/other"])
    }
  }

  @Test func `a directory behind a link that goes is removed and comes back`() async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      outside.shell("mkdir -p above/target; touch above/target/file")
      watcher.tree.link("link", to: outside.absolute("above/target"))
      watcher.start([""], Self.options())
      outside.shell("rm -r above/target")
      watcher.settle()
      #expect(watcher.texts(without: .attributes).suffix(2) == ["removed link/", "created link"])
      watcher.clear()
      outside.shell("mkdir above/target; touch above/target/file")
      watcher.settle()
      #expect(
        watcher.texts(without: .attributes, .modified) == ["removed link", "created link/", "created link/file"])
      // The target is replaced together with its parent, and then by a rename.
      for script in ["rm -r above; mkdir -p above/target", "mv above/target x; mv x above/target"] {
        outside.shell(script)
        watcher.settle()
        watcher.clear()
        outside.touch("above/target/new")
        watcher.settle()
        #expect(watcher.texts(without: .attributes) == ["created link/new"], "\(script)")
        outside.remove("above/target/new")
        watcher.settle()
      }
      watcher.clear()
      watcher.tree.shell("rm link; mkdir ../x-$$; ln -s ../x-$$ link; touch link/new; rm -r ../x-$$")
      watcher.settle()
      #expect(watcher.count("removed link/") >= 1)
    }
  }

  @Test(arguments: [FileWatchOptions.Polling.automatic, .always])
  func `a file behind a link is reported under the path of the link`(polling: FileWatchOptions.Polling) async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      outside.shell("mkdir deep; echo 1 >deep/file; ln -s deep/file step")
      // The link leads through another link, and through a relative path.
      watcher.tree.link("link", to: outside.absolute("step"))
      watcher.tree.shell("mkdir a; echo >a/own; ln -s own a/same; ln -s nowhere dangling")
      watcher.start([""], Self.options(polling))
      func expect(_ script: String, _ expected: Set<String>, in tree: TestTree) {
        watcher.clear()
        tree.shell(script)
        watcher.settle()
        #expect(Set(watcher.texts(without: .attributes)) == expected, "\(script)")
      }
      expect("echo two >>deep/file", ["modified link"], in: outside)
      expect("echo three >deep/new; mv deep/new deep/file", ["modified link"], in: outside)
      expect("echo four >>deep/file", ["modified link"], in: outside)
      expect("rm deep/file", ["modified link"], in: outside)
      expect("echo four >deep/file", ["modified link"], in: outside)
      // A link on the way leads elsewhere.
      expect("echo five >other; ln -sfn other step", ["modified link"], in: outside)
      expect("echo six >>other", ["modified link"], in: outside)
      expect("echo seven >>deep/file", [], in: outside)
      expect("rm other step", ["modified link"], in: outside)
      expect("echo >step", ["modified link"], in: outside)
      expect("echo eight >>a/own", ["modified a/own", "modified a/same"], in: watcher.tree)
      // The link itself.
      expect("rm link", ["removed link"], in: watcher.tree)
      expect("echo nine >>step", [], in: outside)
    }
  }

  @Test(arguments: ["../c", "OUTSIDE/c", "../c/in"])
  func `a link to a directory through another link leads where that one leads`(_ target: String) async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      outside.shell("mkdir -p one/in two/in; touch one/x one/in/x two/z two/in/z; ln -s one c")
      watcher.tree.makeDirectory("w")
      watcher.tree.link("c", to: outside.absolute("c"))
      watcher.tree.link("w/a", to: target.replacing("OUTSIDE", with: outside.path))
      watcher.start(["w"], Self.options())
      for (name, file) in [("two", "z"), ("one", "x"), ("two", "z")] {
        watcher.clear()
        outside.shell("ln -s \(name) new; mv -T new c")
        watcher.settle()
        #expect(watcher.texts(without: .attributes).contains("created w/a/\(file)"), "\(watcher.texts())")
        watcher.clear()
        outside.shell("touch \(name)/later \(name)/in/later; rm \(name)/later \(name)/in/later")
        watcher.settle()
        #expect(watcher.texts(without: .attributes, .modified).contains("created w/a/later"), "\(watcher.texts())")
      }
    }
  }

  @Test func `a link is followed from where it is`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell(
        "mkdir -p a/b t; echo >a/target; echo >target; ln -s ../target a/b/link; ln -s ../target t/link")
      watcher.start([""], Self.options())
      func expect(_ script: String, _ expected: Set<String>) {
        watcher.clear()
        watcher.tree.shell(script)
        watcher.settle()
        // A file that is created and then filled may cause two events.
        let texts = watcher.texts(without: .attributes)
        let made = texts.filter { $0.hasPrefix("created") }.map { "modified \($0.dropFirst(8))" }
        #expect(Set(texts.filter { !$0.hasPrefix("created") && !made.contains($0) }) == expected, "\(script)")
      }
      expect("echo 1 >>a/target", ["modified a/target", "modified a/b/link"])
      expect("mv a/b b", ["renamed a/b/ b"])
      expect("echo 2 >>a/target", ["modified a/target"])
      expect("echo 3 >>target", ["modified target", "modified b/link", "modified t/link"])
      expect("mv b/link a/moved", ["renamed b/link a/moved"])
      expect("echo 4 >>target", ["modified target", "modified a/moved", "modified t/link"])
      expect("rm -r t", ["removed t/", "removed t/link"])
      expect("echo 5 >>target", ["modified target", "modified a/moved"])
      // Another link and then a file replace the link.
      expect("touch a/own; ln -s own a/x; mv a/x a/moved", ["renamed a/x a/moved"])
      expect("echo 6 >>a/own", ["modified a/own", "modified a/moved"])
      expect("touch a/file; mv a/file a/moved", ["renamed a/file a/moved"])
      expect("echo 8 >>a/own", ["modified a/own"])
    }
  }

  @Test func `a new link is followed`() async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      outside.shell("echo >file")
      watcher.start([""], Self.options())
      watcher.tree.shell(
        "mkdir new; ln -s '\(outside.absolute("file"))' new/link; ln -s '\(outside.absolute("later"))' late")
      watcher.settle()
      watcher.clear()
      outside.shell("echo x >>file; mkdir later; touch later/file")
      watcher.settle()
      #expect(
        Set(watcher.texts(without: .attributes)) == [
          "modified new/link", "removed late", "created late/", "created late/file",
        ])
      let count = watcher.watchCount
      watcher.tree.shell("rm -r new late")
      watcher.settle()
      // The watches of their targets have been removed, too.
      #expect(watcher.watchCount < count - 1)
    }
  }

  @Test func `what is dropped at the end of a link is found`() async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      outside.shell("touch -d '1 hour ago' written kept; touch gone; mkdir directory")
      for name in ["written", "kept", "gone", "directory", "later"] {
        watcher.tree.link(name, to: outside.absolute(name))
      }
      watcher.start([""], Self.options())
      watcher.subscription?.pause()
      for round in 0..<2 {
        for index in 0..<6_000 { outside.touch("file-with-a-rather-long-name-\(round)-\(index)") }
        watcher.turn()
      }
      outside.shell("echo x >>written; rm -r gone directory; mkdir later")
      watcher.turn()
      watcher.subscription?.resume()
      watcher.settle()
      let expected: Set = [
        "overflow ./", "modified written", "modified gone", "removed directory/", "created directory", "removed later",
        "created later/",
      ]
      #expect(Set(watcher.texts(without: .attributes)) == expected)
    }
  }

  @Test func `the end of a link is polled where nothing is reported`() async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      outside.shell("mkdir remote; touch remote/file")
      watcher.tree.link("link", to: outside.absolute("remote/file"))
      let remote = TestTree(at: outside.absolute("remote")).inode
      var options = Self.options()
      options.fileSystemType = { FileStatus(of: $0)!.inode == remote ? 0x6573_5546 : FileSystemType.of($0) }
      var notices: [FileWatchNotice] = []
      options.onNotice = { notices.append($0) }
      watcher.start([""], options)
      #expect(notices == [.silentFileSystem(BytePath(watcher.tree.absolute("link")), "FUSE")])
      for script in ["echo x >remote/file", "rm remote/file", "echo >remote/file"] {
        watcher.clear()
        outside.shell(script)
        watcher.run(script) { watcher.texts().contains("modified link") }
      }
      watcher.tree.remove("link")
      watcher.settle()
      watcher.clear()
      outside.shell("echo y >>remote/file")
      watcher.settle()
      #expect(watcher.texts() == [])
    }
  }

  @Test func `links to each other end`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("ln -s b a; ln -s a b; ln -s c c")
      watcher.start([""], Self.options())
      watcher.tree.touch("file")
      watcher.settle()
      #expect(watcher.texts().contains("created file"))
    }
  }
}
