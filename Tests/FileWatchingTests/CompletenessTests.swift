import FileWatching
import Glibc
import StreamsTesting
import Testing

/// No entry that is created is lost, and none is reported twice.
@Suite(.noLiveResources)
struct CompletenessTests {
  /// To replace the mask of a watch, the kernel first sets an empty one, and drops the events of that moment.
  @Test func `no mask is replaced when a directory is looked at again`() async throws {
    try await withWatcher { watcher in
      watcher.tree.makeDirectory("a")
      watcher.start()
      let descriptor = try #require(watcher.kernelWatches).descriptor
      // A bit that the watcher does not set, and that a replacement would remove.
      for name in ["", "a"] {
        #expect(inotify_add_watch(descriptor, watcher.tree.absolute(name), UInt32(IN_ACCESS | IN_MASK_ADD)) > 0)
      }
      for step in ["mkdir b a/c", "mv b a/b", "mv a d; rmdir d/c"] {
        watcher.tree.shell(step)
        watcher.settle()
      }
      let masks = try #require(watcher.kernelWatches).lines.compactMap { line in
        line.split(separator: " ").first { $0.hasPrefix("mask:") }.flatMap { UInt32($0.dropFirst(5), radix: 16) }
      }
      #expect(masks.count { $0 & UInt32(IN_ACCESS) != 0 } == 2)
    }
  }

  @Test func `files made right after their directories are reported once`() async throws {
    try await withWatcher { watcher in
      watcher.start()
      // The loop runs at the same time, so directories are found at any stage.
      watcher.tree.shell(
        """
        (for i in $(seq 200); do mkdir -p $i/b/c/d; for d in $i $i/b $i/b/c $i/b/c/d; do echo x > $d/file; done; done) & \
        echo $! > /dev/null
        """)
      watcher.run("800 files") { watcher.events.count { $0.kind == .created && !$0.isDirectory } >= 800 }
      watcher.settle()
      let created = watcher.events.filter { $0.kind == .created }.map(watcher.text)
      #expect(created.count == 1600)
      #expect(Set(created).count == 1600)
      #expect(watcher.events.allSatisfy { $0.kind == .created || $0.kind == .modified })
    }
  }

  @Test func `files made while the loop did not run are reported once`() async throws {
    try await withWatcher { watcher in
      watcher.start()
      for index in 0..<200 {
        var path = "\(index)"
        for name in ["", "/b", "/c", "/d"] {
          path += name
          watcher.tree.makeDirectory(path)
          watcher.tree.write(path + "/file")
        }
      }
      watcher.settle()
      let created = watcher.events.filter { $0.kind == .created }.map(watcher.text)
      #expect(created.count == 1600)
      #expect(Set(created).count == 1600)
    }
  }

  @Test func `a copied tree is reported`() async throws {
    try await withWatcher { watcher in
      let source = TestTree()
      source.shell("for i in $(seq 100); do mkdir $i; for j in $(seq 20); do echo x > $i/$j; done; done")
      watcher.start()
      watcher.tree.shell("cp -r \(source.path) copy")
      watcher.settle()
      let created = watcher.events.filter { $0.kind == .created }.map(watcher.text)
      #expect(created.count == 2101)
      #expect(Set(created).count == 2101)
      watcher.clear()
      watcher.tree.write("copy/57/new")
      watcher.settle()
      #expect(watcher.texts().first == "created copy/57/new")
    }
  }

  @Test func `a directory of 500 levels is watched`() async throws {
    try await withWatcher { watcher in
      watcher.start()
      // The path is too long for one call, so it is made level by level.
      watcher.tree.shell(
        """
        bash -c 'for i in $(seq 500); do mkdir directory-$i; cd -P directory-$i 2>/dev/null || cd ./directory-$i; done; echo x > deepest'
        """)
      watcher.run("the deepest file") {
        watcher.events.last?.path.lastComponent == "deepest"
          || watcher.events.contains { $0.path.lastComponent == "deepest" }
      }
      #expect(watcher.events.count { $0.isDirectory && $0.kind == .created } == 500)
      watcher.clear()
      watcher.tree.shell("find . -name deepest -execdir sh -c 'echo y > next' ';'")
      watcher.run("the file next to it") { watcher.events.contains { $0.path.lastComponent == "next" } }
      watcher.settle()
      #expect(watcher.events.count { $0.kind == .created } == 1)
    }
  }

  @Test func `a deep tree that is there at the start is watched`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell(
        "bash -c 'for i in $(seq 500); do mkdir directory-$i; cd ./directory-$i; done; echo x > deepest'")
      watcher.start()
      watcher.tree.shell("find . -name deepest -execdir sh -c 'echo y > next' ';'")
      watcher.run("the file next to it") { watcher.events.contains { $0.path.lastComponent == "next" } }
      watcher.settle()
      #expect(watcher.events.count { $0.kind == .created } == 1)
    }
  }

  @Test func `names are bytes`() async throws {
    try await withWatcher { watcher in
      watcher.start()
      watcher.tree.shell(
        #"mkdir "$(printf 'a\377b')"; touch "$(printf 'a\377b/line\nline')" "$(printf 'a\377b/\200')""#)
      watcher.settle()
      let names = watcher.events.filter { $0.kind == .created }.map(\.path.lastComponent.bytes)
      #expect(
        names == [[97, 255, 98], Array("line\nline".utf8), [128]]
          || names == [[97, 255, 98], [128], Array("line\nline".utf8)])
      #expect(watcher.events.first?.path.string == nil)
    }
  }

  @Test func `symbolic links are not followed`() async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      watcher.tree.makeDirectory("a")
      watcher.tree.link("a/loop", to: "..")
      watcher.start()
      watcher.tree.link("outside", to: outside.path)
      outside.touch("unseen")
      watcher.tree.touch("a/file")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created outside", "created a/file"])
    }
  }

  @Test func `a directory becomes a file and back`() async throws {
    try await withWatcher { watcher in
      watcher.tree.makeDirectory("a")
      watcher.start()
      watcher.tree.shell("rmdir a; echo x > a; rm a; mkdir a; echo x > a/b")
      watcher.settle()
      #expect(
        watcher.texts(without: .modified, .attributes) == [
          "removed a/", "created a", "removed a", "created a/", "created a/b",
        ])
      watcher.clear()
      watcher.tree.write("a/c")
      watcher.settle()
      #expect(watcher.texts().first == "created a/c")
    }
  }
}
