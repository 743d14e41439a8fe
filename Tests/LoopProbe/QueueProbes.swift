import Dispatch
import EventLoops
import Glibc
import Streams

/// Kills the process if it has not ended after 20 seconds.
func killIfStuck() { DispatchQueue.global().asyncAfter(deadline: .now() + 20) { kill(getpid(), SIGKILL) } }

/// Repeatedly uses the parts of libuv that exist once in a process: the thread pool, and the lock of its signals.
func useLibrary(on queue: Queue) {
  _ = Files.status(of: "/").observe { _ in }
  Streams.Operation.signal(.user1).observe { _ in }.dispose()
  queue.async { useLibrary(on: queue) }
}

/// The main loop with other queues, and with standard input.
/// Starts processes with closed standard streams, which shows nothing but the exit status: 0, or the number of the check that failed.
@MainActor func startWithClosedStreams() -> Never {
  for descriptor in [0, 1, 2] as [Int32] { close(descriptor) }
  let bag = DisposeBag()
  var events: [Event<ProcessExit, UVError>] = []
  Streams.Operation.process(ProcessCommand("sh", ["-c", "exit 7"])).observe { events.append($0) }.dispose(in: bag)
  Loop.main.run()
  if events != [.next(.exited(7)), .completed] { exit(1) }
  if (0...2).contains(where: { fcntl($0, F_GETFD) != 0 }) { exit(2) }
  var command = ProcessCommand("sh", ["-c", "cat /dev/stdin; echo text"])
  command.output = .pipe
  guard let process = try? ProcessHandle(command) else { exit(3) }
  var lines: [String] = []
  process.output?.bytes.lines().observeNext { lines.append($0) }.dispose(in: bag)
  Loop.main.run()
  exit(lines == ["text"] ? 0 : 4)
}

@MainActor let queueProbes: [String: () -> Void] = [
  "closed-streams": { startWithClosedStreams() },
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
        // Used by one task, which runs on the main thread, where the iterator is made.
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
  "streams-after-shutdown": {
    let (early, late, bag) = (PushOperation<Int, Never>(), PushOperation<Int, Never>(), DisposeBag())
    // One is observed before the main thread has a loop.
    early.observe { print("early", $0) }.dispose(in: bag)
    _ = Loop.main
    late.doOn(disposed: { print("disposed") }).observe { print("late", $0) }.dispose(in: bag)
    Loop.main.shutdown()
    early.next(1)
    late.next(2)
    IntStream.just(3).observe { print("new", $0) }.dispose(in: bag)
    print("open:", bag.count)
    bag.dispose()
  },
  "exit-with-busy-pool": {
    killIfStuck()
    let begun = DispatchSemaphore(value: 0)
    Queue.background.async {
      begun.signal()
      DispatchSemaphore(value: 0).wait()
    }
    begun.wait()
    print("returned")
  },
  "exit-with-busy-queues": {
    killIfStuck()
    for number in 0..<4 {
      let queue = Queue(label: "queue \(number)")
      queue.async { useLibrary(on: queue) }
      for _ in 0..<10 { _ = try? queue.sync {} }
    }
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
