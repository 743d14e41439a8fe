import Foundation
import FoundationSupport
import Headwater
import StreamsTesting
import Testing

private typealias Stream = Streams.Stream

@Suite(.noLiveResources) struct CombineOperatorTests {
  @Test func `Combine: flatMap(maxPublishers:)`() {
    let inner = [PushStream<Int>(), PushStream<Int>()]
    let recorder = Stream.sequence(0..<2).flatMap(.concurrent(limit: 1)) { inner[$0] }.record()
    #expect(inner.map(\.observerCount) == [1, 0])
    recorder.dispose()
  }

  @Test func `Combine: map { }.switchToLatest()`() {
    let (one, other) = (PushStream<Int>(), PushStream<Int>())
    let outer = PushStream<Bool>()
    let recorders = [
      outer.map { $0 ? one : other }.switchToLatest().record(), outer.flatMapLatest { $0 ? one : other }.record(),
    ]
    outer.next(true)
    outer.next(false)
    one.next(1)
    other.next(2)
    #expect(recorders.map { marks($0) } == ["2", "2"])
  }

  @Test func `Combine: Publishers.CombineLatest4, Zip4, MergeMany`() {
    let (a, b, c, d) = (Stream.just(1), Stream.just(2), Stream.just(3), Stream.just(4))
    #expect(marks(combineLatest(a, b, c, d).map { $0 + $1 + $2 + $3 }) == "10 |")
    #expect(marks(zip(a, b, c, d).map { $0 * $1 * $2 * $3 }) == "24 |")
    #expect(marks(merge(a, b, c, d)) == "1 2 3 4 |" && marks(Stream.merge([a, b])) == "1 2 |")
  }

  @Test func `Combine: replaceError(with:), catch`() {
    #expect(marks(Numbers.failed("end").recover(with: 1)) == "1 |")
    #expect(marks(Numbers.failed("end").flatMapError { _ in Numbers.just(2) }) == "2 |")
  }

  @Test func `Combine: retry, mapError, setFailureType(to:), tryMap`() {
    var runs = 0
    let failing = Numbers.deferred {
      runs += 1
      return .failed("end")
    }
    #expect(marks(failing.retry(1)) == "#end" && runs == 2)
    #expect(marks(failing.mapError { TestError("\($0.name)!") }) == "#end!")
    let failable: Numbers = Stream.just(1).setFailureType(to: TestError.self)
    let tried: Numbers = failable.tryMap { _ throws(TestError) -> Int in throw "no" }
    #expect(marks(tried) == "#no")
  }

  @Test func `Combine: handleEvents, print()`() {
    var log: [String] = []
    #expect(marks(Stream.just(1).doOn(next: { log.append("\($0)") }, completed: { log.append("|") })) == "1 |")
    #expect(log == ["1", "|"])
    #expect(!captureDiagnostics { _ = Stream.just(1).debug("x").record() }.isEmpty)
  }

  @Test func `Combine: debounce, throttle, delay`() {
    let scheduler = VirtualScheduler()
    let source = scheduler.hot("ab---c--|")
    let debounced = source.debounce(for: .seconds(2)).record(on: scheduler)
    let throttled = source.throttle(for: .seconds(2), latest: true).record(on: scheduler)
    let delayed = source.delay(for: .seconds(1)).record(on: scheduler)
    scheduler.advance(by: .seconds(12))
    debounced.expect("---b---c|")
    throttled.expect("a-b--c--|")
    delayed.expect("-ab---c--|")
  }

  @Test func `Combine: timeout(_:scheduler:customError:)`() {
    let scheduler = VirtualScheduler()
    let recorder = scheduler.hot("a---b").timeout(.seconds(2), failingWith: "late").record(on: scheduler)
    scheduler.advance(by: .seconds(5))
    recorder.expect("a-#", failure: "late")
  }

  @Test func `Combine: share()`() {
    var runs = 0
    let shared = Stream<Int>.deferred {
      runs += 1
      return .just(runs)
    }.share()
    #expect(marks(shared) == "1 |" && marks(shared) == "2 |", "a new run after the end")
  }

  @Test func `Combine: makeConnectable(), autoconnect()`() {
    let push = PushStream<Int>()
    let connectable = push.publish()
    let recorder = connectable.record()
    push.next(1)
    let connection = connectable.connect()
    push.next(2)
    connection.dispose()
    #expect(marks(recorder) == "2")
    let counted = push.publish().refCount().record()
    push.next(3)
    #expect(marks(counted) == "3")
  }

  @Test @MainActor func `Combine: receive(on:)`() async {
    let queue = Queue(label: "consumer")
    defer { queue.shutdown() }
    let heard = PushStream<Bool>()
    let answer = Confined(heard)
    let subscription = Stream.just(1).observe(on: queue, watermarks: Watermarks(high: 4)) { stream, bag in
      stream.observeNext { _ in
        let isThere = queue.isCurrent == true
        answer.async { $0.next(isThere) }
      }.dispose(in: bag)
    }
    #expect(await heard.firstValue() == true)
    subscription.dispose()
  }

  @Test @MainActor func `Combine: values`() async throws {
    var sent = 0
    var seen: [Int] = []
    for await number in Stream.sequence(1...10_000).doOn(next: { sent = $0 }).values() {
      seen.append(number)
      if number == 1 { #expect(sent < 10_000, "the source is paused") }
    }
    #expect(seen == Array(1...10_000))
  }

  @Test func `Combine: Timer.publish(every:…)`() {
    let scheduler = VirtualScheduler()
    let recorder = Stream.interval(.seconds(1)).take(2).record(on: scheduler)
    scheduler.advance(by: .seconds(3))
    #expect(marks(recorder) == "0 1 |")
  }

  @Test func `Combine: NotificationCenter.publisher(for:)`() throws {
    let queue = Queue(label: "home")
    defer { queue.shutdown() }
    let count = try queue.sync {
      let center = NotificationCenter()
      let bag = DisposeBag()
      var count = 0
      center.reactive.notifications(named: Notification.Name("a")).observeNext { _ in count += 1 }.dispose(in: bag)
      center.post(name: Notification.Name("a"), object: nil)
      center.post(name: Notification.Name("b"), object: nil)
      bag.dispose()
      return count
    }
    #expect(count == 1)
  }
}
