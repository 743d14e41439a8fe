import Headwater
import StreamsTesting
import Testing

@Suite(.noLiveResources) struct ReactiveSwiftOperatorTests {
  @Test func `ReactiveSwift: skipRepeats()`() {
    #expect(marks(Stream.sequence([1, 1, 2, 1]).distinct()) == "1 2 1 |")
  }

  @Test func `ReactiveSwift: combinePrevious()`() {
    #expect(
      marks(Stream.sequence([1, 2]).zipPrevious().map { "\($0.map(String.init) ?? "nil")-\($1)" }) == "nil-1 1-2 |")
  }

  @Test func `ReactiveSwift: skipNil()`() {
    #expect(marks(Stream.sequence([1, nil, 2]).ignoreNil()) == "1 2 |")
  }

  @Test func `ReactiveSwift: scan(initial, f)`() {
    #expect(marks(Stream.sequence([1, 2]).scan(10) { $0 + $1 }) == "10 11 13 |")
  }

  @Test func `ReactiveSwift: take(first:), take(last:), skip(first:)`() {
    let numbers = Stream.sequence([1, 2, 3])
    #expect(
      marks(numbers.take(2)) == "1 2 |" && marks(numbers.takeLast(2)) == "2 3 |" && marks(numbers.skip(2)) == "3 |")
  }

  @Test func `ReactiveSwift: take(until:), skip(until:)`() {
    let (source, trigger) = (PushStream<Int>(), PushStream<Void>())
    let (taken, skipped) = (source.take(until: trigger).record(), source.skip(until: trigger).record())
    source.next(1)
    trigger.next()
    source.next(2)
    #expect(marks(taken) == "1 |" && marks(skipped) == "2")
    // In both libraries, the end of the trigger counts as the trigger.
    let ended = Stream<Int>.never().take(until: Stream<Void>.completed())
    #expect(marks(ended) == "|")
  }

  @Test func `ReactiveSwift: take(while:), skip(while:)`() {
    let numbers = Stream.sequence([1, 2, 1])
    #expect(marks(numbers.take { $0 < 2 }) == "1 |" && marks(numbers.skip { $0 < 2 }) == "2 1 |")
  }

  @Test func `ReactiveSwift: collect(every:on:)`() {
    let scheduler = VirtualScheduler()
    let recorder = scheduler.hot("ab-----c|").buffer(for: .seconds(3)).record(on: scheduler)
    scheduler.advance(by: .seconds(10))
    #expect(marks(recorder) == #"["a", "b"] ["c"] |"#, "no empty array for the interval without an element")
  }

  @Test func `ReactiveSwift: scan(into:_:)`() {
    #expect(marks(Stream.sequence([1, 2]).scan(into: [Int]()) { $0.append($1) }) == "[] [1] [1, 2] |")
  }

  @Test func `ReactiveSwift: negate(), and(_:), or(_:)`() {
    let (one, other) = (Property(true), Property(false))
    #expect(!one.negate().value && !one.and(other).value && one.or(other).value)
    let (yes, no) = (Stream.just(true), Stream.just(false))
    #expect(marks(yes.negate()) == "false |" && marks(yes.and(no)) == "false |" && marks(yes.or(no)) == "true |")
  }

  @Test func `ReactiveSwift: Event.tryMap`() {
    let event = Event<Int, TestError>.next(1)
    #expect(event.tryMap { $0 + 1 } == .next(2))
    #expect(event.tryMap { _ throws(TestError) -> Int in throw "no" } == .failed("no"))
  }

  @Test func `ReactiveSwift: withLatest(from:)`() {
    let (source, other) = (PushStream<Int>(), PushStream<Int>())
    let recorder = source.withLatest(from: other).map { "\($0)\($1)" }.record()
    source.next(1)
    other.next(5)
    other.next(6)
    source.next(2)
    source.next(3)
    #expect(marks(recorder) == "26 36")
  }

  @Test func `ReactiveSwift: sample(on:)`() {
    let (source, trigger) = (PushStream<Int>(), PushStream<Void>())
    let recorder = source.sample(on: trigger).record()
    trigger.next()
    source.next(1)
    source.next(2)
    trigger.next()
    trigger.next()
    source.completed()
    #expect(marks(recorder) == "2 2", "as long as the trigger goes on")
    trigger.completed()
    #expect(marks(recorder) == "2 2 |")
  }

  @Test func `ReactiveSwift: flatMap(.latest), flatMap(.concat), flatMap(.race)`() {
    let outer = PushStream<PushStream<Int>>()
    let (one, other) = (PushStream<Int>(), PushStream<Int>())
    let race = outer.flatten(.race).record()
    outer.next(one)
    outer.next(other)
    other.next(1)
    #expect(outer.observerCount == 0, "the outer stream is disposed when one of them has won")
    one.next(2)
    other.completed()
    #expect(marks(race) == "1 |", "completes without the outer stream")
    let numbers = Stream.sequence([1, 2])
    #expect(marks(numbers.flatMap(.latest) { Stream.sequence([$0, $0 * 10]) }) == "1 10 2 20 |")
    // The outer stream is paused at the bound, or this would not end.
    let endless = Stream.sequence(0...).flatMap(.concat) { $0 == 0 ? Stream<Int>.never() : .just($0) }.record()
    #expect(marks(endless) == "")
    #expect(Watermarks.standard.high == 1024)
  }

  @Test func `ReactiveSwift: flatMapError`() {
    #expect(marks(Numbers.failed("a").flatMapError { _ in Numbers.just(1) }) == "1 |")
  }

  @Test func `ReactiveSwift: retry(upTo:)`() {
    var runs = 0
    let failing = Numbers.deferred {
      runs += 1
      return .failed("a")
    }
    #expect(marks(failing.retry(2)) == "#a" && runs == 3)
  }

  @Test func `ReactiveSwift: retry(upTo:interval:on:)`() {
    let scheduler = VirtualScheduler()
    let source = scheduler.cold("-#")
    let recorder = source.retry(1, delay: .seconds(3)).record(on: scheduler)
    scheduler.advance(by: .seconds(10))
    recorder.expect("-----#")
    source.expectSubscriptions("^!", "----^!")
  }

  @Test func `ReactiveSwift: attempt, attemptMap`() {
    let numbers = Numbers.sequence([1, 2])
    #expect(marks(numbers.attempt { number throws(TestError) in if number == 2 { throw "two" } }) == "1 #two")
    #expect(
      marks(
        numbers.tryMap { number throws(TestError) -> Int in
          if number == 2 { throw "two" }
          return number * 5
        }) == "5 #two")
  }

  @Test func `ReactiveSwift: on(starting:failed:value:…)`() {
    var log: [String] = []
    let stream = Numbers.just(1).concat(with: .failed("end")).doOn(
      next: { log.append("\($0)") }, start: { log.append("start") }, failed: { log.append($0.name) },
      disposed: { log.append("disposed") })
    _ = stream.record()
    #expect(log == ["start", "1", "end", "disposed"] || log == ["start", "1", "disposed", "end"])
  }

  @Test func `ReactiveSwift: logEvents()`() {
    let reports = captureDiagnostics { _ = Stream.just(1).debug("number").record() }
    #expect(
      !reports.isEmpty && reports.allSatisfy { $0.contains("number") } && reports.contains { $0.contains("next(1)") })
  }

  @Test func `ReactiveSwift: promoteError`() {
    let stream: Numbers = Stream.just(1).setFailureType(to: TestError.self)
    #expect(marks(stream) == "1 |")
  }

  @Test func `ReactiveSwift: replayLazily(upTo:)`() {
    var runs = 0
    let stream = Stream<Int>.deferred {
      runs += 1
      return .sequence([1, 2, 3])
    }.replayLazily(2)
    #expect(runs == 0 && marks(stream) == "1 2 3 |" && marks(stream) == "2 3 |" && runs == 1)
  }

  @Test func `ReactiveSwift: observe(on: scheduler), start(on:)`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var log: [String] = []
      let context = loop.context
      let subscription = Stream.sequence([1, 2]).doOn(next: { log.append("sent \($0)") }).observe(on: context)
        .observeNext { log.append("\($0)") }
      loop.run()
      #expect(log == ["sent 1", "sent 2", "1", "2"], "one job delivers both, on the same thread")
      subscription.dispose()
    }
  }

  @Test func `ReactiveSwift: throttle(_:on:)`() {
    let scheduler = VirtualScheduler()
    let recorder = scheduler.hot("ab-c--d-|").throttle(for: .seconds(2), latest: true).record(on: scheduler)
    let ended = scheduler.hot("ab|").throttle(for: .seconds(5), latest: true).record(on: scheduler)
    scheduler.advance(by: .seconds(10))
    recorder.expect("a-b-c-d-|")
    ended.expect("a-(b|)")
  }

  @Test func `ReactiveSwift: debounce(_:on:)`() {
    let scheduler = VirtualScheduler()
    let recorder = scheduler.hot("ab----c|").debounce(for: .seconds(2)).record(on: scheduler)
    scheduler.advance(by: .seconds(10))
    recorder.expect("---b---(c|)")
  }

  @Test func `ReactiveSwift: timer(interval:on:)`() {
    let scheduler = VirtualScheduler()
    let recorder = Stream.interval(.seconds(2)).take(2).record(on: scheduler)
    scheduler.advance(by: .seconds(5))
    #expect(marks(recorder) == "0 1 |" && recorder.elementTimes == [.seconds(2), .seconds(4)])
  }

  @Test func `ReactiveSwift: TestScheduler`() {
    let scheduler = VirtualScheduler()
    let recorder = Stream.just(1).delay(for: .seconds(1)).record(on: scheduler)
    #expect(marks(recorder) == "")
    scheduler.advance(by: .seconds(1))
    #expect(marks(recorder) == "1 |")
  }
}
