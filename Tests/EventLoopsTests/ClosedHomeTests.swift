import EventLoops
import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

/// What is left of subscriptions whose owner goes after their loop has closed: nothing.
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

  static let untimed: [Operator] = [
    Operator(testDescription: "none") { $0 },
    Operator(testDescription: "take") { $0.take(1_000_000) },
    Operator(testDescription: "two gates") { $0.take(1_000_000).take(1_000) },
    Operator(testDescription: "share") { $0.share().take(1_000_000) },
    Operator(testDescription: "shareReplay") { $0.shareReplay(2).take(1_000_000) },
  ]

  static let timed: [Operator] = [
    Operator(testDescription: "merge") { $0.merge(with: .interval(.milliseconds(1))) },
    Operator(testDescription: "flatMap") { $0.flatMap(.merge) { .timer($0, after: .seconds(3_600)) } },
    Operator(testDescription: "delay") { $0.delay(for: .seconds(3_600)).take(2) },
    Operator(testDescription: "debounce") { $0.debounce(for: .seconds(3_600)).take(2) },
  ]

  @Test(arguments: sources, untimed + timed)
  func `a bag that goes after its loop has closed leaves nothing of a chain`(
    _ source: Source, _ operation: Operator
  ) throws {
    for turns in 0..<4 {
      let queue = Queue(label: "home")
      let kept = try queue.sync { () -> Confined<DisposeBag> in
        let bag = DisposeBag()
        operation.apply(source.make()).observeNext { _ in }.dispose(in: bag)
        return Confined(bag)
      }
      for _ in 0..<turns { try queue.sync {} }
      queue.shutdown()
      withExtendedLifetime(kept) {}
    }
  }

  @Test(arguments: untimed)
  func `a subject that is released after its home has closed leaves nothing`(_ operation: Operator) throws {
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

  @Test(arguments: untimed)
  func `a property that is released after its home has closed leaves nothing`(_ operation: Operator) throws {
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
}
