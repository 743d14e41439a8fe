import EventLoops
import Streams

/// The main loop with other queues, and with standard input.
@MainActor let queueProbes: [String: () -> Void] = [
  "delayed-crossing": {
    let worker = Queue(label: "worker")
    let bag = DisposeBag()
    IntStream.sequence(1...3).observe(on: worker) { numbers, bag in
      numbers.delay(for: .milliseconds(20)).observe { print($0) }.dispose(in: bag)
    }.dispose(in: bag)
    Loop.main.run()
    print("returned")
  },
  "source-queue-closes": {
    let near = Queue(label: "near")
    near.async {
      _ = IntStream.interval(.milliseconds(1)).observe(on: Queue.main) { stream, _ in
        // Used by one task, which runs on the main thread, where it is made.
        nonisolated(unsafe) var iterator = stream.values().makeAsyncIterator()
        Task { @MainActor in
          for _ in 0..<3 { print(await iterator.next(isolation: MainActor.shared) != nil) }
          near.shutdown()
          while await iterator.next(isolation: MainActor.shared) != nil {}
          print("ended")
        }
      }
    }
    _ = try? near.sync {}
    Loop.main.run()
    print("returned")
  },
  "first-line": {
    let first = Streams.Operation.standardInput.lines().take(1).observeNext { print($0) }
    Loop.main.run()
    print("returned")
    withExtendedLifetime(first) {}
  },
  "standard-input": {
    let bag = DisposeBag()
    Streams.Operation.standardInput.lines().observe(
      next: { print($0) }, termination: { print($0.failure.map { "failed: \($0)" } ?? "end") }
    ).dispose(in: bag)
    Loop.main.run()
    print("returned")
  },
]
