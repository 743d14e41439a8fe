import EventLoops
import FileWatching
import Glibc
import Streams
import StreamsTesting
import TestSupport
import Testing

/// Ten threads that change one tree at the same time, as fast as they can.
@Suite(.noLiveResources, .serialized, .timeLimit(.minutes(30)))
struct WritersRaceTests {
  /// At the end, no entry is missing, and none is stale. Takes `Effort.seconds`, in rounds that begin with the tree of the
  /// previous round.
  @Test func `the events tell the tree that ten writers leave`() async throws {
    try await withWatcher { watcher in
      var model = Model(of: watcher.tree)
      var events = 0
      watcher.onEvent = {
        model.apply($0, watcher)
        events += 1
      }
      watcher.start()
      let queues = (0..<10).map { Queue(label: "writer \($0)") }
      defer { for queue in queues { queue.shutdown() } }
      let path = watcher.tree.path
      let end = ContinuousClock.now + .seconds(Effort.seconds)
      var round = 0
      repeat {
        round += 1
        let done = Inlet<Void>(capacity: queues.count, whenFull: .dropNewest)
        var running = queues.count
        let subscription = done.stream.observeNext { _ in
          running -= 1
          if running == 0 { watcher.loop.stop() }
        }
        for (index, queue) in queues.enumerated() {
          let seed = UInt64(Effort.seed + round * queues.count + index)
          queue.async {
            var writer = Writer(path, seed)
            for _ in 0..<150 { writer.write() }
            done.send(())
          }
        }
        watcher.run("the writers") { running == 0 }
        subscription.dispose()
        watcher.settle()
        if !model.matches(watcher.tree, "round \(round), reported \(watcher.texts().suffix(40))") { return }
        watcher.clear()
      } while ContinuousClock.now < end
      #expect(events > round * 100)
    }
  }
}

/// Performs random operations on random names, whether or not they are possible.
private struct Writer {
  private let root: String
  private var random: SeededGenerator

  init(_ root: String, _ seed: UInt64) {
    self.root = root
    random = SeededGenerator(seed)
  }

  private mutating func path(_ depth: Int) -> String {
    (0..<depth).reduce(root) { path, _ in
      path + "/" + ["a", "b", "c", "d"].randomElement(using: &random)!
    }
  }

  mutating func write() {
    let depth = Int.random(in: 1...4, using: &random)
    let path = path(depth)
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2: mkdir(path, 0o755)
    case 3, 4:
      let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
      if file >= 0 {
        _ = Glibc.write(file, "x", 1)
        close(file)
      }
    case 5: unlink(path)
    case 6: rmdir(path)
    case 7: exchange(path, self.path(depth))
    // The new name has the same depth, or the tree would become deeper and deeper.
    default: rename(path, self.path(depth))
    }
  }
}
