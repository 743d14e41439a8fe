import FileWatching
import Glibc
import StreamsTesting
import Testing

/// The watcher reports that the kernel has dropped events, and recovers them.
@Suite(.noLiveResources)
struct OverflowTests {
  private let queueSize = Int(readFile("/proc/sys/fs/inotify/max_queued_events").dropLast()) ?? 16_384

  @Test func `an overflow is made good`() async throws {
    let queueSize = queueSize
    try await withWatcher { watcher in
      watcher.tree.shell(
        "mkdir -p flood tree/sub gone/sub; touch tree/deleted tree/written tree/untouched tree/sub/replaced tree/mode; "
          + "touch -d '1 hour ago' tree/written tree/untouched tree/sub/replaced; mkdir tree/moved; touch tree/moved/file"
      )
      var model = Model(of: watcher.tree)
      watcher.onEvent = { model.apply($0, watcher) }
      watcher.start()
      // The loop does not run meanwhile.
      for index in 0..<queueSize + 4_000 { watcher.tree.touch("flood/\(index)") }
      watcher.tree.shell(
        """
        rm tree/deleted; echo x >> tree/written; touch -d '2 hours ago' r; mv r tree/sub/replaced; rm -r gone; \
        mkdir -p new/deep; touch new/deep/file; mv tree/moved tree/elsewhere
        """)
      watcher.settle()
      #expect(watcher.count("overflow ./") == 1)
      #expect(model.difference(from: watcher.tree) == [])
      #expect(model.contradictions == [])
      #expect(watcher.count("modified tree/written") == 1)
      #expect(watcher.count("modified tree/sub/replaced") == 1)
      #expect(watcher.count("modified tree/untouched") == 0)
      #expect(watcher.count("removed tree/deleted") == 1)
      #expect(watcher.count("removed gone/") == 1)
      #expect(watcher.count("created new/deep/file") == 1)
      let created = watcher.events.filter { $0.kind == .created }
      #expect(Set(created).count == created.count)
      watcher.clear()
      watcher.tree.shell("touch new/deep/later tree/elsewhere/later")
      watcher.settle()
      #expect(
        watcher.texts(without: .modified, .attributes) == ["created new/deep/later", "created tree/elsewhere/later"])
    }
  }

  @Test func `a root that goes in an overflow is made good`() async throws {
    let queueSize = queueSize
    try await withWatcher { watcher in
      watcher.tree.shell("mkdir root flood; touch file; touch -d '1 hour ago' file")
      watcher.start(["flood", "root", "file"])
      for index in 0..<queueSize + 4_000 { watcher.tree.touch("flood/\(index)") }
      watcher.tree.shell("rmdir root; echo x > file")
      watcher.settle()
      for text in ["overflow flood/", "overflow root/", "overflow file", "removed root/", "modified file"] {
        #expect(watcher.count(text) == 1, "\(text)")
      }
      watcher.clear()
      watcher.tree.shell("mkdir root; touch root/back; rm file")
      watcher.settle()
      #expect(watcher.count("created root/back") == 1)
      #expect(watcher.count("removed file") == 1)
    }
  }
}
