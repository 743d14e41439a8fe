import Streams
import StreamsTesting
import Testing

/// Counts and intervals that are zero, negative, or very large: each has a documented meaning, or traps with a message.
@Suite(.noLiveResources)
struct NumberTests {
  let source = Source.sequence([1, 2, 3])
  let scheduler = VirtualScheduler()

  @Test(arguments: [0, -1, Int.min])
  func `a count of zero or less takes none and skips none`(_ count: Int) {
    let probe = Probe<TestError>()
    #expect(probe.stream.take(count).record().events == [.completed])
    #expect(probe.stream.repeat(count).record().events == [.completed])
    #expect(probe.starts == 0)
    #expect(source.skip(count).record().elements == [1, 2, 3])
    #expect(source.skipLast(count).record().elements == [1, 2, 3])
    #expect(source.takeLast(count).record().events == [.completed])
    #expect(source.last(count).record().events == [.completed])
    #expect(Source.failed("end").retry(count).record().events == [.failed("end")])
    #expect(Source.failed("end").retry(count, delay: .seconds(1)).record(on: scheduler).events == [.failed("end")])
  }

  @Test func `the largest count does not wrap around`() {
    #expect(source.take(.max).record().elements == [1, 2, 3])
    #expect(source.skip(.max).record().events == [.completed])
    #expect(source.takeLast(.max).record().elements == [1, 2, 3])
    #expect(source.skipLast(.max).record().events == [.completed])
    #expect(source.buffer(.max).record().events == [.completed])
    #expect(source.element(at: .max).record().events == [.completed])
    #expect(source.shareReplay(.max).record().elements == [1, 2, 3])
    #expect(source.flatMap(.concurrent(limit: .max)) { Source.just($0) }.record().elements == [1, 2, 3])
    #expect(ReplaySubject<Int, Never>(bufferSize: .max).record().elements == [])
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .seconds(-Int64.max), Duration(attoseconds: .min)])
  func `an interval of zero or less is over at once, on the next turn`(_ interval: Duration) {
    let delayed = source.delay(for: interval).record(on: scheduler)
    let settled = source.concat(with: Source.never()).debounce(for: interval).record(on: scheduler)
    let timer = Source.timer(1, after: interval).record(on: scheduler)
    let late = Source.never().timeout(interval, failingWith: "late").record(on: scheduler)
    let throttled = source.throttle(for: interval).record(on: scheduler)
    #expect(throttled.elements == [1, 2, 3])
    #expect(delayed.events.isEmpty && settled.events.isEmpty && timer.events.isEmpty && late.events.isEmpty)
    scheduler.advance(by: .zero)
    #expect(delayed.events == [.next(1), .next(2), .next(3), .completed])
    #expect(settled.elements == [3])
    #expect(timer.events == [.next(1), .completed])
    #expect(late.events == [.failed("late")])
    #expect(scheduler.now == .zero)
  }

  @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
  func `the longest interval does not wrap around`(_ longest: Duration) {
    scheduler.advance(by: .seconds(1))
    let recorders = [
      source.delay(for: longest).record(on: scheduler),
      source.concat(with: Source.never()).debounce(for: longest).record(on: scheduler),
      Source.timer(1, after: longest).record(on: scheduler),
      Source.never().timeout(longest, failingWith: "late").record(on: scheduler),
      Source.interval(longest).record(on: scheduler),
      source.concat(with: Source.never()).sample(for: longest).record(on: scheduler),
      source.concat(with: Source.never()).buffer(for: longest).map { $0.count }.record(on: scheduler),
      Source.never().timeout(after: longest, failingWith: "late").record(on: scheduler),
      Source.failed("end").retry(2, delay: longest).record(on: scheduler),
    ]
    let throttled = source.throttle(for: longest, latest: true).record(on: scheduler)
    #expect(throttled.elements == [1, 3])
    scheduler.advance(by: .seconds(1_000_000))
    #expect(recorders.allSatisfy { $0.events.isEmpty })
    let late = source.delay(for: longest).record(on: scheduler)
    #expect(late.events.isEmpty)
    late.dispose()
    for recorder in recorders { recorder.dispose() }
  }

  @Test func `a memory of no element remembers none, and the largest remembers all`() {
    for (size, remembered) in [(0, []), (.max, [1, 2, 3])] as [(Int, [Int])] {
      let ways: [(Source) -> Source] = [
        { $0.shareReplay(size) }, { $0.replayLazily(size) }, { $0.replay(size).refCount() },
      ]
      for way in ways {
        let probe = Probe<TestError>()
        let shared = way(probe.stream)
        let first = shared.record()
        for number in 1...3 { probe.next(number) }
        let late = shared.record()
        #expect(first.elements == [1, 2, 3])
        #expect(late.elements == remembered)
        probe.terminate(.completed)
      }
      let subject = ReplaySubject<Int, Never>(bufferSize: size)
      for number in 1...3 { subject.next(number) }
      #expect(subject.record().elements == remembered)
    }
  }

  @Test func `the longest window of throttle lets only the first element pass`() {
    let recorder = source.throttle(for: .seconds(Int64.max)).record(on: scheduler)
    #expect(recorder.events == [.next(1), .completed])
  }

  // MARK: Traps

  private func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func `an element before the first`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream.just(1).element(at: -1)
    }
    #expect(message(result).contains("element(at: -1): the first element is at 0."))
  }

  @Test func `a sample of no time`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream.just(1).sample(for: .zero)
    }
    #expect(message(result).contains("the interval has to be longer than zero"))
  }

  @Test func `a negative memory`() async {
    let replay = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream.just(1).shareReplay(-1)
    }
    #expect(message(replay).contains("shareReplay(-1): the number of elements is at least 0."))
    let connectable = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream.just(1).replay(-1)
    }
    #expect(message(connectable).contains(" replay(-1): the number of elements is at least 0."))
    let lazy = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream.just(1).replayLazily(-1)
    }
    #expect(message(lazy).contains("replayLazily(-1)"))
    let subject = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ReplaySubject<Int, Never>(bufferSize: -1)
    }
    #expect(message(subject).contains("ReplaySubject(bufferSize: -1)"))
    let pausable = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream.just(1).pausable(by: Stream.just(true), buffering: 0)
    }
    #expect(message(pausable).contains("pausable(by:buffering: 0)"))
  }

  @Test func `a bridge without room`() async {
    let bounded = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream.just(1).values(.bounded(0, .dropOldest))
    }
    #expect(message(bounded).contains("the buffer has room for at least one element"))
    let marks = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream.just(1).values(.pausing(Watermarks(high: 4, low: 4)))
    }
    #expect(message(marks).contains("high is more than low"))
    let inlet = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Inlet<Int>(capacity: 0, whenFull: .dropOldest)
    }
    #expect(message(inlet).contains("give a positive capacity"))
  }
}
