import FileWatching
import StreamsTesting
import Testing

/// Renames are paired, and a renamed entry is followed under its new name.
@Suite(.noLiveResources)
struct MoveTests {
  @Test func `a rename is one event`() async throws {
    try await withWatcher { watcher in
      watcher.tree.write("a")
      watcher.start()
      watcher.tree.rename("a", "b")
      watcher.settle()
      #expect(watcher.texts(without: .modified) == ["renamed a b"])
    }
  }

  @Test func `a rename that replaces is one event`() async throws {
    try await withWatcher { watcher in
      watcher.tree.write("a")
      watcher.tree.write("b")
      watcher.start()
      watcher.tree.rename("a", "b")
      watcher.tree.write("b", "more")
      watcher.settle()
      #expect(watcher.texts().prefix(2) == ["renamed a b", "modified b"])
    }
  }

  @Test func `a renamed directory is followed with all below`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p a/x/y b")
      watcher.start()
      watcher.tree.rename("a", "b/c")
      watcher.tree.touch("b/c/x/y/file")
      watcher.settle()
      #expect(watcher.texts(without: .modified) == ["renamed a/ b/c", "created b/c/x/y/file"])
      watcher.clear()
      watcher.tree.rename("b", "d")
      watcher.settle()
      watcher.tree.touch("d/c/x/second")
      watcher.settle()
      #expect(watcher.texts(without: .modified) == ["renamed b/ d", "created d/c/x/second"])
    }
  }

  @Test func `a directory that is renamed before it could be read is followed`() async throws {
    try await withWatcher { watcher in
      watcher.tree.makeDirectory("target")
      watcher.start()
      watcher.tree.shell("mkdir -p a/deep; mv a b; touch b/file; mv b target/c; touch target/c/deep/file")
      watcher.settle()
      let events = watcher.texts(without: .modified, .attributes)
      #expect(events.prefix(3) == ["created a/", "renamed a/ b", "renamed b/ target/c"])
      #expect(
        Set(events.dropFirst(3)) == ["created target/c/deep/", "created target/c/file", "created target/c/deep/file"])
      #expect(events.count == 6)
    }
  }

  /// The directory that replaces `d` contains, when it is listed, the directory from which it has come: the events for that
  /// one are older than its place.
  @Test func `a directory that contains its former place is known under its name`() async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      watcher.tree.makeDirectory("a")
      var model = Model(of: watcher.tree)
      watcher.onEvent = { model.apply($0, watcher) }
      watcher.start()
      let (top, elsewhere) = (watcher.tree.path, outside.path)
      watcher.tree.shell("mkdir d; mv a \(elsewhere)/a; mkdir \(elsewhere)/a/c; mv -T \(elsewhere)/a/c d")
      watcher.tree.shell("mkdir d/d; mv \(elsewhere)/a \(top)/d/d/a")
      watcher.settle()
      #expect(model.difference(from: watcher.tree) == [], "\(watcher.texts())")
      watcher.clear()
      watcher.tree.touch("d/d/a/file")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created d/d/a/file"])
    }
  }

  @Test func `swapped directories are followed`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p a/from-a b/from-b")
      watcher.start()
      watcher.tree.shell("mv a c; mv b a; mv c b; touch a/from-b/1 b/from-a/2")
      watcher.settle()
      #expect(
        watcher.texts(without: .modified, .attributes) == [
          "renamed a/ c", "renamed b/ a", "renamed c/ b", "created a/from-b/1", "created b/from-a/2",
        ])
    }
  }

  @Test(arguments: [true, false])
  func `exchanged directories are followed`(whileRunning: Bool) async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p a/from-a b/from-b")
      var model = Model(of: watcher.tree)
      watcher.onEvent = { model.apply($0, watcher) }
      watcher.start()
      watcher.tree.exchange("a", "b")
      if whileRunning { watcher.settle() }
      watcher.tree.shell("touch a/from-b/1 b/from-a/2")
      watcher.settle()
      #expect(model.difference(from: watcher.tree) == [])
      watcher.clear()
      watcher.tree.shell("touch a/from-b/3 b/from-a/4")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created a/from-b/3", "created b/from-a/4"])
    }
  }

  @Test func `exchanged files are both there`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir d; echo a > a; echo b > d/b")
      var model = Model(of: watcher.tree)
      watcher.onEvent = { model.apply($0, watcher) }
      watcher.start()
      watcher.tree.exchange("a", "d/b")
      watcher.settle()
      #expect(model.difference(from: watcher.tree) == [])
      // Each has the content of the other.
      let last = ["a", "d/b"].map { name in watcher.texts().last { $0.hasSuffix(" \(name)") } }
      #expect(last == ["modified a", "created d/b"])
    }
  }

  @Test func `a tree that is moved in is reported`() async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      outside.shell("mkdir -p t/u; touch t/1 t/u/2")
      watcher.start()
      outside.shell("mv t \(watcher.tree.path)/t")
      watcher.settle()
      #expect(Set(watcher.texts()) == ["created t/", "created t/u/", "created t/1", "created t/u/2"])
      #expect(watcher.events.count == 4)
    }
  }

  @Test func `a tree that is moved out is silent from then on`() async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      watcher.tree.shell("mkdir -p t/u/v; touch t/u/v/file")
      watcher.start()
      let before = watcher.watchCount
      watcher.tree.shell("mv t \(outside.path)/t; echo x > \(outside.path)/t/u/v/file; touch \(outside.path)/t/new")
      watcher.settle()
      #expect(watcher.texts() == ["removed t/"])
      outside.shell("touch t/later t/u/v/later")
      watcher.settle()
      #expect(watcher.texts() == ["removed t/"])
      #expect(watcher.watchCount == before - 3)
      outside.shell("mv t \(watcher.tree.path)/s")
      watcher.settle()
      #expect(watcher.count("created s/u/v/later") == 1)
      watcher.tree.touch("s/u/v/last")
      watcher.settle()
      #expect(watcher.count("created s/u/v/last") == 1)
    }
  }

  @Test func `a move from one root to another is a rename`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p a/x b")
      watcher.start(["a", "b"])
      watcher.tree.rename("a/x", "b/y")
      watcher.tree.touch("b/y/file")
      watcher.settle()
      #expect(watcher.texts(without: .modified) == ["renamed a/x/ b/y", "created b/y/file"])
    }
  }

  @Test func `overlapping roots both report`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir -p a/x")
      watcher.start(["", "a"])
      watcher.tree.touch("a/file")
      watcher.tree.rename("a/x", "a/y")
      watcher.tree.touch("a/y/file")
      watcher.settle()
      for text in ["created a/file", "renamed a/x/ a/y", "created a/y/file"] { #expect(watcher.count(text) == 2) }
    }
  }

  @Test func `renames across an ignore rule`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("touch a.tmp b d; mkdir -p x.tmp/in y/in")
      var options = FileWatchOptions()
      options.isIgnored = { path, _ in path.bytes.suffix(4).elementsEqual(".tmp".utf8) }
      watcher.start([""], options)
      watcher.tree.shell("mv a.tmp c; mv b b.tmp; mv x.tmp x; mv y y.tmp; mv b.tmp d; touch x/in/file y.tmp/in/file")
      watcher.settle()
      #expect(
        Set(watcher.texts(without: .attributes)) == [
          "created c", "removed b", "created x/", "created x/in/", "removed y/", "modified d", "created x/in/file",
        ])
    }
  }
}
