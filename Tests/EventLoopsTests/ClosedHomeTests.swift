import EventLoops
import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Subscriptions that are not disposed leave nothing behind when their loop closes.
@Suite(.noLiveResources, .timeLimit(.minutes(15)))
struct ClosedHomeTests {
  struct Source: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable () -> Stream<Int>
  }

  struct Operator: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Stream<Int>) -> Stream<Int>
  }

  private static func quiet<Source: StreamProtocol>(_ source: Source) -> Stream<Int> {
    source.map { _ in 0 }.toStream(logError: false)
  }

  static let sources: [Source] = [
    Source(testDescription: "interval") { .interval(.milliseconds(1)) },
    Source(testDescription: "timer") { .timer(1, after: .seconds(3_600)) },
    Source(testDescription: "signals") { quiet(Operation<Signal, UVError>.signal(.user2)) },
    Source(testDescription: "request") { quiet(Files.status(of: "/")) },
    Source(testDescription: "listener") {
      quiet(Operation<TCPHandle, UVError>.listen(on: .loopback(port: 0)))
    },
    Source(testDescription: "sequence with an end") { .sequence(0..<3) },
    Source(testDescription: "asynchronous sequence") { Stream(AsyncStream<Int> { _ in }) },
  ]

  static let operators: [Operator] = [
    Operator(testDescription: "none") { $0 },
    Operator(testDescription: "take") { $0.take(1_000_000) },
    Operator(testDescription: "two gates") { $0.take(1_000_000).take(until: Stream<Int>.never()) },
    Operator(testDescription: "merge") { $0.merge(with: .interval(.milliseconds(1))) },
    Operator(testDescription: "flatMap") { $0.flatMap(.merge) { .timer($0, after: .seconds(3_600)) } },
    Operator(testDescription: "delay") { $0.delay(for: .seconds(3_600)).take(2) },
    Operator(testDescription: "debounce") { $0.debounce(for: .seconds(3_600)).take(2) },
    Operator(testDescription: "share") { $0.share().take(1_000_000) },
    Operator(testDescription: "shareReplay") { $0.shareReplay(2).take(1_000_000) },
    Operator(testDescription: "retry and a buffer") { $0.retry(2).buffer(1_000).map { $0.count } },
  ]

  @Test(arguments: sources, operators)
  func `a loop that closes leaves nothing of a chain`(_ source: Source, _ operation: Operator) throws {
    for turns in 0..<4 {
      let queue = Queue(label: "home")
      try queue.sync { _ = operation.apply(source.make()).observeNext { _ in } }
      for _ in 0..<turns { try queue.sync {} }
      queue.shutdown()
    }
  }

  @Test(arguments: operators)
  func `nor does a subject that is released after its home has closed`(_ operation: Operator) throws {
    let queue = Queue(label: "home")
    let kept = try queue.sync { () -> Confined<PushStream<Int>> in
      let push = PushStream<Int>()
      _ = operation.apply(push.toStream()).observeNext { _ in }
      push.next(1)
      return Confined(push)
    }
    queue.shutdown()
    withExtendedLifetime(kept) {}
  }

  @Test(arguments: operators)
  func `nor does a property that is released after its home has closed`(_ operation: Operator) throws {
    let queue = Queue(label: "home")
    let kept = try queue.sync { () -> Confined<Property<Int>> in
      let property = Property(1)
      _ = operation.apply(property.toStream()).observe { event in
        if event.isTermination { Issue.record("nobody is left to be told") }
      }
      return Confined(property)
    }
    queue.shutdown()
    withExtendedLifetime(kept) {}
  }

  @Test func `what is in a bag is disposed of although its home has closed`() throws {
    let queue = Queue(label: "home")
    let disposed = Lock(0)
    let kept = try queue.sync { () -> Confined<DisposeBag> in
      let bag = DisposeBag()
      for _ in 0..<3 { BlockDisposable { disposed.withLock { $0 += 1 } }.dispose(in: bag) }
      return Confined(bag)
    }
    queue.shutdown()
    #expect(disposed.withLock { $0 } == 0)
    _ = consume kept
    #expect(disposed.withLock { $0 } == 3)
  }

  @Test func `what is observed in no bag is disposed of on the queue's own thread`() throws {
    let (queue, log) = (Queue(label: "home"), Log())
    try queue.sync {
      let source = Stream<Int> { _ in BlockDisposable { log.add(queue.isCurrent == true ? "at home" : "elsewhere") } }
      for _ in 0..<3 { _ = source.take(2).merge(with: .never()).observe { log.add("\($0)") } }
      source.observe { log.add("\($0)") }.dispose()
    }
    #expect(log.entries == ["at home"])
    queue.shutdown()
    #expect(log.entries == ["at home", "at home", "at home", "at home"])
  }

  @Test func `what waits for a loop is notified on the loop's thread, after the jobs that were posted before`() throws {
    let (queue, log) = (Queue(label: "home"), Log())
    let inlet = Inlet<Int>(capacity: 4, whenFull: .dropNewest)
    inlet.onPressure(at: Watermarks(high: 2)) { pressure in log.add("\(pressure), \(queue.isCurrent == true)") }
    try queue.sync { inlet.stream.observeNext { _ in }.pause() }
    for number in 0..<2 { inlet.send(number) }
    // The last job is posted in the last iteration of the loop, so it still waits when the loop closes.
    queue.async {
      queue.stop()
      queue.async { queue.async { log.add("job") } }
    }
    queue.shutdown()
    #expect(log.entries == ["high, false", "job", "low, true"])
  }

  @Test func `what subscribes at disposal is disposed of, too`() throws {
    let (queue, log) = (Queue(label: "home"), Log())
    try queue.sync {
      let second = Stream<Int>.never().doOn(disposed: { log.add("second") })
      let first = Stream<Int>.never().doOn(disposed: {
        log.add("first")
        _ = second.take(1).observeNext { _ in }
      })
      _ = first.take(1).observeNext { _ in }
    }
    queue.shutdown()
    #expect(log.entries == ["first", "second"])
  }

  @Test func `what observes anew at each disposal is reported and left`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let queue = Queue(label: "home")
      try queue.sync { observeAnew() }
      queue.shutdown()
      // The remaining subscription is a leak, which a sanitizer would report at a regular exit.
      _exit(0)
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(text.contains("gets a new subscription whenever it disposes its subscriptions"))
  }

  /// The last reference to the subscriptions is released on another thread while the queue is open.
  @Test func `a subscription that another thread lets go of leaves its place`() throws {
    let queue = Queue(label: "home")
    for round in 0..<50 {
      let kept = try queue.sync { () -> Transferred in
        var observers: [Observer<Int, Never>] = []
        for _ in 0..<20 {
          _ = Stream<Int>.unguarded { observer in
            observers.append(observer)
            return .none
          }.observeNext { _ in }
        }
        return Transferred(observers)
      }
      // Meanwhile, the queue's thread registers other subscriptions.
      try withExtendedLifetime(kept) {
        queue.async { for _ in 0..<100 { _ = Stream<Int>.never().observeNext { _ in } } }
        if round % 2 == 0 { try queue.sync {} }
      }
    }
    queue.shutdown()
  }
}

private func observeAnew() { _ = Stream<Int>.never().doOn(disposed: { observeAnew() }).observeNext { _ in } }

/// Moves observers to another thread, which releases them.
private struct Transferred: @unchecked Sendable {
  // Sendable, because nothing is sent to the observers.
  let observers: [Observer<Int, Never>]

  init(_ observers: [Observer<Int, Never>]) { self.observers = observers }
}
