import FileWatching
import Glibc
import StreamsTesting
import Testing

/// Writes, and events that repeat themselves.
@Suite(.noLiveResources)
struct WriteTests {
  @Test func `an append to an open file is reported`() async throws {
    try await withWatcher { watcher in
      watcher.tree.touch("log")
      let file = open(watcher.tree.absolute("log"), O_WRONLY | O_APPEND | O_CLOEXEC)
      defer { close(file) }
      watcher.start()
      for _ in 0..<3 {
        watcher.clear()
        #expect(write(file, "line\n", 5) == 5)
        watcher.settle()
        #expect(watcher.texts(without: .attributes) == ["modified log"])
      }
    }
  }

  @Test func `what is read together is not repeated`() async throws {
    try await withWatcher { watcher in
      watcher.tree.touch("old")
      watcher.start()
      watcher.tree.write("old")
      watcher.tree.write("new")
      chmod(watcher.tree.absolute("old"), 0o600)
      watcher.tree.remove("new")
      watcher.settle()
      #expect(watcher.texts() == ["modified old", "created new", "attributes old", "removed new"])
    }
  }

  @Test func `ten thousand writes are not lost`() async throws {
    try await withWatcher { watcher in
      var names: [String] = []
      for index in 0..<1_000 { names.append("file\(index)") }
      for name in names { watcher.tree.touch(name) }
      watcher.start()
      var seen: [BytePath: Int] = [:]
      watcher.onEvent = { if $0.kind == .modified { seen[$0.path, default: 0] += 1 } }
      for _ in 0..<10 {
        for name in names { watcher.tree.write(name, "x") }
        watcher.settle()
      }
      #expect(watcher.events.allSatisfy { $0.kind == .modified })
      #expect(seen.count == 1_000)
      #expect(seen.values.allSatisfy { $0 >= 10 })
    }
  }
}
