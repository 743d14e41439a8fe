// Small programs for tests of the main loop that need the first thread of a process. The tests start them.
import Dispatch
import EventLoops
import Foundation
import Streams

// Foundation has a Stream, too.
typealias IntStream = Streams.Stream<Int>

@MainActor
final class Counter {
  let bag = DisposeBag()
  var count = 0

  func start(_ stream: IntStream) {
    stream.observeNext { [weak self] in self?.count += $0 }.dispose(in: bag)
  }
}

/// Runs the main loop. A task cannot call `run()` itself, because the compiler rejects it there.
@MainActor func runNow() { Loop.main.run() }

/// A stream of the ticks of a timer.
func ticks(every interval: Duration) -> IntStream {
  Stream { observer in
    guard let timer = try? TimerHandle() else { return .none }
    var count = 0
    timer.start(after: interval, every: interval) {
      count += 1
      observer.next(count)
    }
    return timer
  }
}

let probes: [String: () -> Void] = [
  // One idle second, in which a descriptor, a signal, and the main queue are watched.
  "idle": {
    let bag = DisposeBag()
    Streams.Operation.signal(.user1).observeNext { _ in }.dispose(in: bag)
    let timer = try! TimerHandle()
    timer.start(after: .seconds(1)) { Loop.main.stop() }
    // The main queue is used once, so that its descriptor has been readable.
    DispatchQueue.main.async {}
    let before = processorTime()
    Loop.main.run()
    print("used", processorTime() - before)
    bag.dispose()
    Loop.main.shutdown()
  },
  "serves-main-actor": {
    let counter = Counter()
    counter.start(ticks(every: .milliseconds(2)))
    DispatchQueue.main.async { print("block on main:", pthread_equal(pthread_self(), mainThread) != 0) }
    Task { @MainActor in
      print("task on main:", pthread_equal(pthread_self(), mainThread) != 0)
      await Task.detached {}.value
      print("after await on main:", pthread_equal(pthread_self(), mainThread) != 0)
      let timer = try! TimerHandle()
      timer.start(after: .milliseconds(10)) {
        MainActor.assumeIsolated { print("callback isolated: true, ticks:", counter.count > 0) }
        Queue.main.async { Loop.main.stop() }
      }
    }
    Loop.main.run()
    counter.bag.dispose()
    Loop.main.shutdown()
    print("ended")
  },
  "async-body": {
    let text = try! Loop.run {
      try await Task.sleep(for: .milliseconds(5))
      MainActor.assertIsolated()
      return "returned on main: \(HomeThread.isMain)"
    }
    print(text)
    struct Wrong: Error {}
    do {
      try Loop.run { throw Wrong() }
    } catch {
      print("threw \(error)")
    }
  },
  "posts-before-run": {
    Queue.main.async { print("posted before") }
    DispatchQueue.global().async {
      Queue.main.async {
        print("posted from a thread, current:", Queue.current?.label ?? "none")
        Loop.main.stop()
      }
    }
    let timer = try! TimerHandle()
    timer.start(after: .seconds(20)) { exit(3) }
    Loop.main.run()
  },
  // Time-based operators find the main loop, which has not been used before.
  "clock-before-loop": {
    let bag = DisposeBag()
    IntStream.interval(.milliseconds(1)).take(3).observeNext { print("tick", $0) }.dispose(in: bag)
    Loop.main.run()
    print("returned")
  },
  "stop-from-thread": {
    let timer = try! TimerHandle()
    timer.start(after: .seconds(20)) { exit(3) }
    DispatchQueue.global().async { Queue.main.stop() }
    Loop.main.run()
    print("stopped")
  },
  "nested-run": {
    let timer = try! TimerHandle()
    timer.start(after: .zero) { Loop.main.run() }
    Loop.main.run()
  },
  "run-in-task": {
    Task { @MainActor in runNow() }
    dispatchMain()
  },
  "run-in-drained-task": {
    // Foundation drains the main queue on the main thread, and with it the main actor. The task runs inside that drain.
    Task { @MainActor in runNow() }
    RunLoop.main.run()
  },
  "run-in-block": {
    // Foundation drains the main queue here. The block runs inside that drain.
    DispatchQueue.main.async { Loop.main.run() }
    RunLoop.main.run()
  },
  "run-off-main": {
    // Used on another thread on purpose: this is the programmer error that traps.
    nonisolated(unsafe) let loop = Loop.main
    DispatchQueue.global().sync {}
    Thread.detachNewThread { loop.run() }
    sleep(20)
  },
  "main-off-main": {
    Thread.detachNewThread { _ = Loop.main }
    sleep(20)
  },
  "handle-after-shutdown": {
    let loop = Loop.main
    loop.shutdown()
    let timer = try! TimerHandle(on: loop)
    timer.start(after: .zero) {}
    print("not trapped")
  },
  "immediate-after-shutdown": {
    _ = Loop.main
    Loop.main.shutdown()
    ExecutionContext.immediate(on: Queue.main.queue).execute { print("ran") }
    print("ended")
  },
  "bag-dies-elsewhere": {
    // Passed to another thread on purpose, which releases it.
    nonisolated(unsafe) var counter: Counter? = Counter()
    let stream = IntStream { _ in
      BlockDisposable {
        print("disposed on main:", HomeThread.isMain)
        Loop.main.stop()
      }
    }
    let timer = try! TimerHandle()
    timer.start(after: .seconds(20)) { exit(3) }
    MainActor.assumeIsolated {
      counter?.start(stream)
    }
    Queue.main.async {
      // The only reference moves to another thread, which releases it.
      Thread.detachNewThread { counter = nil }
    }
    Loop.main.run()
  },
  // The main thread waits for a queue that waits for the main thread.
  "sync-deadlock-main": {
    let worker = Queue(label: "worker")
    let isAtIt = DispatchSemaphore(value: 0)
    worker.async {
      isAtIt.signal()
      try? Queue.main.sync {}
    }
    isAtIt.wait()
    try? worker.sync {}
  },
  // Tasks of the main actor run to their end, even if they leave the main thread for the global executor.
  "tasks-keep-alive": {
    Task { @MainActor in
      for number in 1...3 {
        print(number)
        await Task.yield()
      }
    }
    Loop.main.run()
    var rounds = 0
    for _ in 0..<200 {
      Task { @MainActor in
        let sum = await sumElsewhere() + Other().number()
        await Task.yield()
        rounds += sum
      }
      Loop.main.run()
    }
    print("rounds", rounds)
  },
  "tasks-on-queues": {
    let queue = Queue(label: "queue")
    let worker = Worker(queue: queue)
    var done = [0, 0, 0, 0, 0]
    for round in 0..<100 {
      switch round % 5 {
      case 0: Task { @MainActor in done[0] += await worker.number(after: round) }
      case 1: Task { @MainActor in done[1] += await Task(executorPreference: queue) { 1 }.value }
      case 2: Task { @MainActor in done[2] += try await links(of: "/dev/null") > 0 ? 1 : 0 }
      case 3: Task { @MainActor in done[3] += try await Other().links(of: "/dev/null") > 0 ? 1 : 0 }
      default: Task { @MainActor in done[4] += await Task.detached { await firstTick() }.value == 0 ? 1 : 0 }
      }
      Loop.main.run()
    }
    print(done)
  },
  "waits-keep-alive": {
    let bag = DisposeBag()
    let worker = Queue(label: "worker")
    let gate = DispatchSemaphore(value: 0)
    // All of them are waiting when the loop begins to run.
    worker.async { gate.wait() }
    switch CommandLine.arguments.dropFirst(2).first {
    case "execute":
      Operation<Int, Never>.execute(on: worker.context) { 1 }.observeNext { print($0) }.dispose(in: bag)
    case "crossing":
      IntStream.sequence(1...3).observe(on: worker) { numbers, bag in
        numbers.observeNext { print($0) }.dispose(in: bag)
      }.dispose(in: bag)
    case "inlet":
      let inlet = Inlet<Int>(capacity: 4, whenFull: .dropNewest)
      inlet.stream.observeNext { print($0) }.dispose(in: bag)
      worker.async {
        inlet.send(1)
        inlet.finish()
      }
    case "work":
      IntStream.work { 1 }.observeNext { print($0) }.dispose(in: bag)
    default:
      Operation<Int, Never>.execute(on: .threadPool) { 1 }.observeNext { print($0) }.dispose(in: bag)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { gate.signal() }
    Loop.main.run()
    print("returned")
  },
  // Observations that do not keep the loop alive.
  "no-keep-alive": {
    let bag = DisposeBag()
    let log = Inlet<Int>(capacity: 4, whenFull: .dropNewest, keepsLoopAlive: false)
    log.stream.observeNext { print($0) }.dispose(in: bag)
    let inlet = Inlet<Int>(capacity: 4, whenFull: .dropNewest)
    let subscription = inlet.stream.observeNext { print($0) }
    subscription.dispose()
    let worker = Queue(label: "worker")
    let crossing = IntStream.interval(.milliseconds(1)).observe(on: worker) { _, _ in }
    crossing.dispose()
    // The far side has ended, and has notified the near side, before the loop runs.
    try? worker.sync {}
    Loop.main.run()
    print(Loop.main.describeWhatKeepsItAlive())
  },
  "signal-alone": {
    let bag = DisposeBag()
    Streams.Operation.signal(.hangup).observeNext { _ in }.dispose(in: bag)
    Loop.main.run()
    print("returned")
  },
  "signal-and-failure": {
    let bag = DisposeBag()
    Streams.Operation.signal(.hangup).observeNext { _ in }.dispose(in: bag)
    do throws(UVError) {
      let socket = try UDPHandle()
      socket.dispose(in: bag)
      try socket.bind(to: SocketAddress(ipv4: 203, 0, 113, 1, port: 9))
    } catch {
      print(error.code)
    }
    Loop.main.run()
    print("returned")
  },
  "signal-keeps-alive": {
    let bag = DisposeBag()
    Streams.Operation.signal(.hangup, keepsLoopAlive: true).observeNext { _ in Loop.main.stop() }.dispose(in: bag)
    DispatchQueue.global().async { kill(getpid(), SIGHUP) }
    Loop.main.run()
    print("returned")
  },
  "run-until": {
    // This runs when the loop runs, so the signal is observed by then.
    Queue.main.async { kill(getpid(), SIGHUP) }
    print(try! Loop.main.run(until: .signal(.hangup))!)
    let task = Task { () throws -> Int in
      try await Task.sleep(for: .milliseconds(5))
      return 5
    }
    print(try! Loop.main.run(until: task))
    print(Loop.main.run(until: IntStream.just(7))!)
    print(Loop.main.run(until: IntStream.completed()) as Any)
    struct Wrong: Error {}
    do {
      _ = try Loop.main.run(until: Task { throw Wrong() } as Task<Int, any Error>)
    } catch { print(error) }
    Queue.main.async { Loop.main.stop() }
    do {
      _ = try Loop.main.run(until: Task { try await Task.sleep(for: .seconds(3600)) })
    } catch { print(error) }
  },
  "never-run": {
    let bag = DisposeBag()
    IntStream.interval(.seconds(100)).observeNext { _ in }.dispose(in: bag)
    Streams.Operation.signal(.interrupt).observeNext { _ in }.dispose(in: bag)
    exit(0)
  },
  "describe": {
    let bag = DisposeBag()
    IntStream.interval(.seconds(100)).observeNext { _ in }.dispose(in: bag)
    Streams.Operation.listen(on: .loopback(port: 0)).observeNext { _ in }.dispose(in: bag)
    Files.status(of: "/").observeNext { _ in }.dispose(in: bag)
    let inlet = Inlet<Int>(capacity: 4, whenFull: .dropNewest)
    inlet.stream.observeNext { print($0) }.dispose(in: bag)
    let isDescribed = DispatchSemaphore(value: 0)
    Streams.Operation<Int, Never>.execute(on: .threadPool, capacity: 1, whenFull: .dropNewest) { _ in
      isDescribed.wait()
    }
    .observeNext { print($0) }.dispose(in: bag)
    Streams.Operation<PathEvent, UVError>.pathEvents("/").observeNext { _ in }.dispose(in: bag)
    print(Loop.main.describeWhatKeepsItAlive())
    isDescribed.signal()
  },
  "describe-on-signal": {
    let bag = DisposeBag()
    IntStream.interval(.milliseconds(20)).take(10)
      .observeNext { if $0 == 0 { kill(getpid(), SIGUSR1) } }
      .dispose(in: bag)
    Loop.main.run()
  },
  // Foundation's run loop drains the main queue, from which the loop is served.
  "run-loop-entry": {
    let bag = DisposeBag()
    IntStream.interval(.milliseconds(1)).take(3).observeNext { print("tick", $0) }.dispose(in: bag)
    Files.status(of: "/dev/null").observeNext { _ in
      print("status")
      Task { @MainActor in
        for await number in IntStream.interval(.milliseconds(1)).take(3).values() { print("value", number) }
        Queue(label: "other").async { Queue.main.async { exit(3) } }
      }
    }.dispose(in: bag)
    RunLoop.main.run()
  },
  "dispatch-main-entry": {
    let bag = DisposeBag()
    IntStream.interval(.milliseconds(1)).observeNext { print("tick", $0) }.dispose(in: bag)
    dispatchMain()
  },
  "fork-bomb": {
    var left = 200
    let bag = DisposeBag()
    for index in 0..<200 {
      Streams.Operation.process(ProcessCommand("sh", ["-c", "exit \(index % 7)"])).observeNext { status in
        if status != .exited(Int32(index % 7)) { print("wrong status", status) }
        left -= 1
      }.dispose(in: bag)
    }
    Loop.main.run()
    print("left", left)
  },
  "raw-terminal": {
    let terminal = try! TTYHandle(descriptor: 0)
    try! terminal.setMode(.raw)
    let settings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    tcgetattr(0, settings)
    // The local modes are the fourth word of the structure.
    print(
      UnsafeRawPointer(settings).load(fromByteOffset: 12, as: tcflag_t.self) & tcflag_t(ICANON) == 0 ? "raw" : "normal")
    exit(0)
  },
]

let mainThread = pthread_self()
let all = [queueProbes, shortageProbes, memoryProbes, areaProbes].reduce(probes) { $0.merging($1) { $1 } }
guard CommandLine.arguments.count > 1, let probe = all[CommandLine.arguments[1]] else {
  print("probes: \(all.keys.sorted().joined(separator: " "))")
  exit(64)
}
probe()
fflush(nil)
