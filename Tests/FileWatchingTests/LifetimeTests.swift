import EventLoops
import FileWatching
import Glibc
import Streams
import StreamsTesting
import Testing

/// A watcher is cold until observed, silent when disposed, and complete when paused.
@Suite(.noLiveResources)
struct LifetimeTests {
  @Test func `nothing happens until it is observed`() async throws {
    try await withWatcher { watcher in
      let operation = Operation.fileEvents(at: [BytePath(watcher.tree.path)])
      #expect(watcher.watchCount == 0)
      _ = operation
    }
  }

  @Test func `disposal closes the descriptor and silences`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir a b c")
      watcher.start()
      #expect(watcher.watchCount == 5 + watcher.tree.ancestors)
      watcher.tree.touch("a/file")
      watcher.subscription?.dispose()
      watcher.tree.touch("b/file")
      watcher.loop.run()
      #expect(watcher.events == [])
      #expect(watcher.watchCount == 0)
    }
  }

  @Test func `disposal in a delivery is final`() async throws {
    try await withWatcher { watcher in
      watcher.start()
      watcher.onEvent = { _ in watcher.subscription?.dispose() }
      watcher.tree.shell("mkdir -p a/b/c; touch 1 2 3 a/b/c/file")
      watcher.loop.run()
      #expect(watcher.events.count == 1)
      #expect(watcher.watchCount == 0)
    }
  }

  @Test func `shutdown of the loop closes the descriptor`() async throws {
    try await onOwnThread {
      let watcher = TestWatcher()
      watcher.start()
      #expect(watcher.watchCount > 0)
      watcher.loop.shutdown()
      #expect(watcher.watchCount == 0)
      watcher.subscription?.dispose()
    }
  }

  @Test func `while it is paused events wait`() async throws {
    try await withWatcher { watcher in
      watcher.start()
      watcher.subscription?.pause()
      watcher.tree.shell("mkdir a; touch a/1 a/2; rm a/1")
      watcher.turn()
      #expect(watcher.events == [])
      watcher.subscription?.resume()
      watcher.settle()
      #expect(Set(watcher.texts(without: .modified, .attributes)) == ["created a/", "created a/2"])
    }
  }

  @Test func `pausing in a delivery stops after it`() async throws {
    try await withWatcher { watcher in
      watcher.start()
      watcher.onEvent = { _ in watcher.subscription?.pause() }
      watcher.tree.shell("mkdir -p a/b; touch a/b/1 a/b/2")
      watcher.turn()
      #expect(watcher.events.count == 1)
      watcher.subscription?.resume()
      #expect(watcher.events.count == 2)
      watcher.onEvent = { _ in }
      watcher.subscription?.resume()
      watcher.settle()
      #expect(watcher.events.count { $0.kind == .created } == 4)
    }
  }

  @Test func `too much during a pause is made good by a rescan`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir old; touch old/gone old/kept; touch -d '1 hour ago' old/kept")
      var model = Model(of: watcher.tree)
      watcher.onEvent = { model.apply($0, watcher) }
      watcher.start()
      watcher.subscription?.pause()
      for round in 0..<2 {
        // More events than a paused watcher retains, in portions that fit into the kernel's queue.
        for index in 0..<6_000 { watcher.tree.touch("file-with-a-rather-long-name-\(round)-\(index)") }
        watcher.turn()
      }
      watcher.tree.shell("rm old/gone; mkdir new; touch new/file")
      watcher.turn()
      #expect(watcher.events == [])
      watcher.subscription?.resume()
      watcher.settle()
      #expect(watcher.count("overflow ./") == 1)
      #expect(model.difference(from: watcher.tree) == [])
      #expect(model.contradictions == [])
      #expect(watcher.count("modified old/kept") == 0)
      watcher.clear()
      watcher.tree.touch("new/second")
      watcher.settle()
      #expect(watcher.texts(without: .modified) == ["created new/second"])
    }
  }
}
