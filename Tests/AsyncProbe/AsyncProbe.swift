// Programs with an async `main`, built with the settings of a new package. The tests start them.
import EventLoops
import HostileC
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A default actor, which has no loop of its own.
actor Reader {
  func size(of path: String) async throws -> Int64 { try await Files.status(of: path).value.size }

  func work() async throws -> Int { try await Stream<Int>.work { 3 }.value }

  func output() async throws -> String {
    try await String(Operation.output(of: ProcessCommand("echo", ["hello"])).value.output)
  }

  func bytes(_ count: Int) async throws -> Int { try await Operation<Bytes, UVError>.randomBytes(count).value.count }
}

actor Listener {
  private let bag = DisposeBag()

  func listen(to inlet: Inlet<Int>) { inlet.stream.observeNext { print($0) }.dispose(in: bag) }
}

/// Uses the elements of a stream again that was observed on the package's loop. The task may run on any thread by then.
nonisolated func usedAfterwards() async -> [Int] {
  let replay = ReplaySubject<Int, Never>(bufferSize: 1)
  let bag = DisposeBag()
  replay.next(1)
  var numbers: [Int] = []
  for number in 2...50 {
    let first = await replay.doOn(next: { _ in Stream<Int>.never().observeNext { _ in }.dispose(in: bag) }).firstValue()
    numbers.append(first ?? 0)
    await Task.yield()
    replay.next(number)
    bag.dispose()
  }
  return [numbers.count, numbers.reduce(0, +)]
}

nonisolated func size(of path: String) async throws -> Int64 { try await Files.status(of: path).value.size }

/// A counter without a lock. ThreadSanitizer reports it if two threads change it at the same time.
final class Tally {
  var count = 0

  deinit { count += 1 }
}

struct Wrong: Error {}

@main
struct AsyncProbe {
  static func main() async throws {
    switch CommandLine.arguments.dropFirst().first {
    case "interval": await interval()
    case "status": print(try await Files.status(of: "/dev/null").value.kind)
    case "error": throw Wrong()
    case "nonisolated": try await awayFromHome()
    case "actor": try await actor()
    case "run": await run()
    case "run-traps":
      await Task.yield()
      runNow()
    case "stop-traps":
      await Task.yield()
      Loop.main.stop()
    case "shutdown-traps":
      await Task.yield()
      Loop.main.shutdown()
    case "stop-early": await stopEarly()
    case "graceful": try await graceful { leave(await $0.run()) }
    case "graceful-at-top-level": try await graceful { leave(await Loop.run(until: $0)) }
    case "graceful-unawaited": try await graceful { _ in try await Task.sleep(for: .seconds(600)) }
    case "shutdown-early":
      Loop.main.shutdown()
      await Task.yield()
    case "signal-alone":
      let bag = DisposeBag()
      Operation.signal(.hangup).observeNext { _ in }.dispose(in: bag)
      await Loop.main.run()
      print("returned")
    case "run-at-top-level":
      let bag = DisposeBag()
      Operation.signal(.hangup).observeNext { _ in }.dispose(in: bag)
      // The stream lasts long enough that it cannot end before `Loop.run()` waits.
      Stream<Int>.interval(.milliseconds(300)).take(2).observeNext { print($0) }.dispose(in: bag)
      await Task.yield()
      await Loop.run()
      print("returned")
    case "foreign-call": callOnThread()
    case "inlet-of-main":
      let inlet = await MainActor.run { Inlet<Int>(capacity: 4, whenFull: .dropNewest) }
      await Listener().listen(to: inlet)
    case "used-afterwards": print(await usedAfterwards())
    case "values-trap": await valuesWithoutLoop()
    case "no-loop":
      await Task.yield()
      print("on main:", await MainActor.run { HomeThread.isMain })
    case let name: print("no probe \(name ?? "")")
    }
  }

  @MainActor static func interval() async {
    for await number in Stream<Int>.interval(.milliseconds(1)).take(3).values() { print(number) }
    let bag = DisposeBag()
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    Stream<Int>.interval(.milliseconds(1)).take(2).observe(
      next: { print("observed", $0) }, termination: { _ in continuation.finish() }
    ).dispose(in: bag)
    for await _ in ended {}
    print("on main:", HomeThread.isMain)
  }

  /// Stops the loop before it runs, which has no effect.
  @MainActor static func stopEarly() async {
    let bag = DisposeBag()
    Loop.main.stop()
    Stream<Int>.interval(.milliseconds(1)).take(2).observeNext { print($0) }.dispose(in: bag)
    await Loop.main.run()
    print("idle")
  }

  /// Sends this process a signal, and a second one when the shutdown begins.
  @MainActor static func graceful(_ end: @MainActor (GracefulShutdown) async throws -> Void) async throws {
    let bag = DisposeBag()
    let shutdown = try GracefulShutdown(grace: .seconds(600))
    shutdown.begins.observeNext {
      print("begins")
      kill(getpid(), SIGTERM)
    }.dispose(in: bag)
    Stream.interval(.seconds(600)).observeNext { _ in }.dispose(in: bag)
    kill(getpid(), SIGINT)
    try await end(shutdown)
  }

  private static func leave(_ code: Int32) {
    print("returned")
    exit(code)
  }

  /// Passes C a closure that is isolated to the main actor. C calls it on another thread.
  @MainActor static func callOnThread() {
    hostile_call_on_thread({ context, _ in _ = context }, nil, 1)
  }

  static func awayFromHome() async throws {
    print(try await size(of: "/dev/null"))
    print(try await Task.detached { try await Stream<Int>.interval(.milliseconds(1)).value }.value)
    print(await Task.detached { await Stream<Int>.completed().firstValue() }.value as Any)
    do {
      _ = try await size(of: "/no/such/file")
    } catch { print("failed") }
    // Half of the tasks are canceled at some point. After `firstValue()`, a task must not run concurrently with its
    // subscription.
    for round in 0..<500 {
      let task = Task.detached {
        let tally = Tally()
        let ticks = Stream<Int>.interval(.microseconds(100))
          .map { tick -> Int in
            tally.count += 1
            return tick
          }
          .doOn(disposed: { tally.count += 1 })
        let first = await ticks.firstValue()
        tally.count += 1
        return first
      }
      if round % 2 == 0 {
        for _ in 0..<(round % 7) { await Task.yield() }
        task.cancel()
      }
      let first = await task.value
      if round % 2 == 1, first != 0 { print("lost the first element") }
    }
    print("over")
  }

  static func actor() async throws {
    let reader = Reader()
    print(try await reader.size(of: "/dev/null"), try await reader.work(), try await reader.bytes(16))
    print(try await reader.output(), terminator: "")
    do {
      _ = try await reader.size(of: "/no/such/file")
    } catch { print("failed") }
  }

  @MainActor static func run() async {
    let bag = DisposeBag()
    Stream<Int>.interval(.milliseconds(1)).take(2).observeNext { print($0) }.dispose(in: bag)
    await Loop.main.run()
    print("idle")
    Stream<Int>.interval(.milliseconds(1)).observeNext { if $0 == 2 { Loop.main.stop() } }.dispose(in: bag)
    await Loop.main.run()
    print("stopped")
    let waiting = Task { await Loop.main.run() }
    waiting.cancel()
    await waiting.value
    print("cancelled")
  }

  @MainActor static func runNow() { Loop.main.run() }

  /// Between two elements, the task runs on the global executor, while the loop's thread would run the operators.
  nonisolated static func valuesWithoutLoop() async {
    await Task.detached {
      for await tick in Stream<Int>.interval(.milliseconds(1)).values() { print(tick) }
    }.value
  }
}
