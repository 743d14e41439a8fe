import EventLoops
import FileWatching
import Glibc
import StreamsTesting
import Testing

/// Watched paths that are removed, come back, are replaced, or do not exist.
@Suite(.noLiveResources)
struct RootTests {
  @Test func `a deleted root is picked up when it comes back`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p root/a; touch root/a/file")
      watcher.start(["root"])
      watcher.tree.shell("rm -r root")
      watcher.settle()
      #expect(watcher.texts() == ["removed root/a/file", "removed root/a/", "removed root/"])
      watcher.clear()
      watcher.tree.shell("mkdir -p root/b; touch root/b/new")
      watcher.run { watcher.count("created root/b/new") == 1 }
      #expect(watcher.texts(without: .attributes) == ["created root/", "created root/b/", "created root/b/new"])
      watcher.clear()
      watcher.tree.touch("root/b/later")
      watcher.settle()
      #expect(watcher.texts(without: .modified) == ["created root/b/later"])
    }
  }

  @Test func `a root in a directory that cannot be read is picked up when it comes back`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p shut/root; chmod 755 shut/root; chmod 711 shut")
      // The superuser reads everything, so this thread accesses files as the user nobody.
      _ = setfsuid(65_534)
      defer { _ = setfsuid(0) }
      var options = FileWatchOptions()
      options.pollInterval = .milliseconds(20)
      watcher.start(["shut/root"], options)
      watcher.tree.shell("rmdir shut/root")
      watcher.run { watcher.texts() == ["removed shut/root/"] }
      watcher.clear()
      watcher.tree.shell("mkdir shut/next; chmod 755 shut/next; touch shut/next/file; mv shut/next shut/root")
      watcher.run { watcher.texts() == ["created shut/root/", "created shut/root/file"] }
    }
  }

  @Test func `a root whose parents go is picked up when they come back`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p x/y/root")
      watcher.start(["x/y/root"])
      for _ in 0..<3 {
        watcher.clear()
        watcher.tree.shell("rm -r x")
        watcher.settle()
        #expect(watcher.texts(without: .attributes).last == "removed x/y/root/")
        watcher.clear()
        watcher.tree.makeDirectory("x")
        watcher.settle()
        watcher.tree.shell("mkdir -p x/y/root/in; touch x/y/root/in/file")
        watcher.run { watcher.count("created x/y/root/in/file") == 1 }
        #expect(
          watcher.texts(without: .attributes) == [
            "created x/y/root/", "created x/y/root/in/", "created x/y/root/in/file",
          ])
      }
    }
  }

  @Test func `a root is not reported under an old path`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p x/y/z/root; touch x/y/z/root/file")
      watcher.start(["x/y/z/root", "x/y/z/root/file"])
      watcher.tree.shell("mv x w; touch w/y/z/root/unseen")
      watcher.settle()
      #expect(Set(watcher.texts(without: .attributes)) == ["removed x/y/z/root/", "removed x/y/z/root/file"])
      watcher.clear()
      watcher.tree.shell("mv w x; touch x/y/z/root/seen")
      watcher.settle()
      #expect(watcher.count("created x/y/z/root/") == 1)
      #expect(watcher.count("created x/y/z/root/seen") == 1)
      #expect(watcher.count("created x/y/z/root/file") == 2)
    }
  }

  @Test func `a root that is replaced is followed`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir root other; touch other/file")
      watcher.start(["root"])
      watcher.tree.shell("mv root away; mv other root; touch away/unseen root/seen")
      watcher.settle()
      #expect(watcher.texts(without: .attributes).first == "removed root/")
      #expect(watcher.count("created root/") == 1)
      #expect(watcher.count("created root/file") == 1)
      #expect(watcher.count("created root/seen") == 1)
      #expect(watcher.events.count { $0.kind == .created } == 3)
    }
  }

  @Test func `a root becomes a file and back`() async throws {
    try await withWatcher { watcher in
      watcher.tree.makeDirectory("root")
      watcher.start(["root"])
      watcher.tree.shell("rmdir root; echo x > root")
      watcher.settle()
      // A file that is found early may be taken for the removed directory until its own event is read.
      #expect(watcher.texts(without: .attributes, .modified).first == "removed root/")
      #expect(watcher.texts(without: .attributes, .modified).last == "created root")
      watcher.clear()
      watcher.tree.shell("rm root; mkdir root")
      watcher.settle()
      watcher.tree.touch("root/file")
      watcher.settle()
      #expect(watcher.texts(without: .attributes, .modified).first == "removed root")
      #expect(watcher.texts(without: .attributes, .modified).suffix(2) == ["created root/", "created root/file"])
    }
  }

  @Test(arguments: ["rm c; mkdir c", "mkdir d; mv c e; mv d c"])
  func `a watched link to a file keeps its path if its target becomes a directory`(_ change: String) async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("touch c; ln -s c b")
      watcher.start(["b"])
      watcher.tree.shell("\(change); touch c/old")
      watcher.settle()
      #expect(watcher.texts(without: .attributes, .modified) == ["removed b", "created b/", "created b/old"])
      watcher.clear()
      watcher.tree.shell("touch c/new; mv c/new c/moved")
      watcher.settle()
      #expect(watcher.texts(without: .attributes, .modified) == ["created b/new", "renamed b/new b/moved"])
    }
  }

  @Test func `a root that is a symbolic link is followed`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir one two; touch two/there; ln -s one current")
      watcher.start(["current"])
      watcher.tree.touch("one/file")
      watcher.settle()
      #expect(watcher.texts(without: .modified) == ["created current/file"])
      watcher.clear()
      watcher.tree.shell("ln -s two next; mv -T next current")
      watcher.settle()
      watcher.tree.touch("two/file")
      watcher.tree.touch("one/unseen")
      watcher.settle()
      #expect(
        watcher.texts(without: .modified) == [
          "removed current/", "created current/", "created current/there", "created current/file",
        ])
    }
  }

  @Test func `a file is followed through replacement and return`() async throws {
    try await withWatcher { watcher in
      watcher.tree.write("file")
      watcher.start(["file"])
      for _ in 0..<3 {
        watcher.clear()
        watcher.tree.write("file.tmp", "new")
        watcher.tree.rename("file.tmp", "file")
        watcher.settle()
        #expect(Set(watcher.texts()) == ["modified file"])
        watcher.clear()
        watcher.tree.write("file", "written")
        watcher.settle()
        #expect(Set(watcher.texts()) == ["modified file"])
      }
      watcher.clear()
      watcher.tree.remove("file")
      watcher.settle()
      #expect(watcher.texts() == ["removed file"])
      watcher.tree.write("file")
      watcher.settle()
      #expect(watcher.texts().prefix(2) == ["removed file", "created file"])
      watcher.clear()
      watcher.tree.rename("file", "away")
      watcher.tree.write("unseen")
      watcher.settle()
      #expect(watcher.texts(without: .modified) == ["removed file"])
    }
  }

  @Test func `a file whose directory goes is picked up when it comes back`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir d; echo x > d/file")
      watcher.start(["d/file"])
      watcher.tree.shell("rm -r d")
      watcher.settle()
      #expect(watcher.texts() == ["removed d/file"])
      watcher.clear()
      watcher.tree.shell("mkdir d; touch d/other; echo x > d/file")
      watcher.run { watcher.count("created d/file") == 1 }
      watcher.clear()
      watcher.tree.write("d/file", "more")
      watcher.settle()
      #expect(Set(watcher.texts()) == ["modified d/file"])
    }
  }

  @Test func `a root below an ignored path is watched`() async throws {
    try await withWatcher { watcher in
      watcher.tree.makeDirectory("root")
      var options = FileWatchOptions()
      options.isIgnored = { path, _ in
        !path.lastComponent.description.hasPrefix("file") && !path.description.contains("barrier")
      }
      watcher.start(["root"], options)
      watcher.tree.shell("touch root/file root/other")
      watcher.settle()
      #expect(watcher.texts(without: .attributes, .modified) == ["created root/file"])
    }
  }
}
