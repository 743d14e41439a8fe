import Headwater
import StreamsTesting
import Testing

@Suite(.noLiveResources) struct RxSwiftOperatorTests {
  @Test func `RxSwift: flatMapLatest, concatMap, flatMapFirst`() {
    let inner = [PushStream<Int>(), PushStream<Int>()]
    let outer = PushStream<Int>()
    let latest = outer.flatMapLatest { inner[$0] }.record()
    let concat = outer.flatMapConcat { inner[$0] }.record()
    let first = outer.flatMap(.throttle) { inner[$0] }.record()
    outer.next(0)
    outer.next(1)
    inner[0].next(1)
    inner[1].next(2)
    #expect(marks(latest) == "2" && marks(concat) == "1" && marks(first) == "1")
  }

  @Test func `RxSwift: merge(maxConcurrent:)`() {
    let inner = [PushStream<Int>(), PushStream<Int>(), PushStream<Int>()]
    let recorder = Stream.sequence(0..<3).flatMap(.concurrent(limit: 2)) { inner[$0] }.record()
    #expect(inner.map(\.observerCount) == [1, 1, 0])
    inner[0].completed()
    #expect(inner.map(\.observerCount) == [0, 1, 1])
    recorder.dispose()
  }

  @Test func `RxSwift: throttle(_:latest:)`() {
    let scheduler = VirtualScheduler()
    let recorder = scheduler.hot("ab-|").throttle(for: .seconds(2)).record(on: scheduler)
    let latest = scheduler.hot("ab|").throttle(for: .seconds(4), latest: true).record(on: scheduler)
    scheduler.advance(by: .seconds(5))
    recorder.expect("a--|")
    latest.expect("a-(b|)")
  }

  @Test func `RxSwift: debounce, delay, timeout`() {
    let scheduler = VirtualScheduler()
    let pending = scheduler.hot("a|").debounce(for: .seconds(5)).record(on: scheduler)
    let failed = scheduler.hot("a#").delay(for: .seconds(5)).record(on: scheduler)
    let late = scheduler.hot("--a").timeout(.seconds(1), failingWith: "late").record(on: scheduler)
    scheduler.advance(by: .seconds(10))
    pending.expect("-(a|)")
    failed.expect("-#")
    late.expect("-#", failure: "late")
  }

  @Test func `RxSwift: catch, catchAndReturn`() {
    #expect(marks(Numbers.failed("end").flatMapError { Numbers.failed($0).recover(with: 2) }) == "2 |")
    #expect(marks(Numbers.failed("end").recover(with: 1)) == "1 |")
  }

  @Test func `RxSwift: retry(n)`() {
    var runs = 0
    let failing = Numbers.deferred {
      runs += 1
      return .failed("end")
    }
    #expect(marks(failing.retry(2)) == "#end" && runs == 3, "the first attempt is not counted")
  }

  @Test func `RxSwift: retry(when:)`() {
    let scheduler = VirtualScheduler()
    var left = 2
    let failing = Numbers.deferred {
      left -= 1
      return left < 0 ? .just(1) : .failed(left == 0 ? "last" : "other")
    }
    #expect(marks(failing.retry(when: { $0 == "other" })) == "#last")
    left = 2
    let recorder = failing.retry(delays: [.seconds(1), .seconds(3)]).record(on: scheduler)
    scheduler.advance(by: .seconds(5))
    #expect(marks(recorder) == "1 |" && recorder.elementTimes == [.seconds(4)])
  }

  @Test func `RxSwift: do(onNext:)`() {
    var elements: [Int] = []
    #expect(marks(Stream.just(1).doOn(next: { elements.append($0) })) == "1 |" && elements == [1])
  }

  @Test func `RxSwift: materialize(), dematerialize()`() {
    let events = Numbers.just(1).concat(with: .failed("end")).materialize()
    #expect(events.record().elements == [.next(1), .failed("end")])
    #expect(marks(events.dematerialize()) == "1 #end")
  }

  @Test func `RxSwift: share()`() {
    var runs = 0
    let push = PushStream<Int>()
    let shared = Stream<Int>.deferred {
      runs += 1
      return push.toStream()
    }.share()
    let recorders = [shared.record(), shared.record()]
    push.next(1)
    #expect(runs == 1 && recorders.map { marks($0) } == ["1", "1"])
    for recorder in recorders { recorder.dispose() }
    _ = shared.record()
    #expect(runs == 2)
  }

  @Test func `RxSwift: share(replay:)`() {
    let pushes = [PushOperation<Int, TestError>(), PushOperation<Int, TestError>()]
    var runs = 0
    let shared = Numbers.deferred {
      runs += 1
      return pushes[runs - 1].toOperation()
    }.shareReplay(1)
    let first = shared.record()
    pushes[0].next(1)
    pushes[0].failed("end")
    let second = shared.record()
    #expect(marks(first) == "1 #end" && marks(second) == "" && runs == 2, "a failure is not remembered")
    pushes[1].next(2)
    pushes[1].completed()
    #expect(marks(shared) == "2 |" && runs == 2, "a completion is")
  }

  @Test func `RxSwift: share(replay:scope: .forever)`() {
    var runs = 0
    let stream = Stream<Int>.deferred {
      runs += 1
      return .sequence([1, 2])
    }.replayLazily(1)
    #expect(marks(stream) == "1 2 |" && marks(stream) == "2 |" && runs == 1)
  }

  @Test func `RxSwift: publish(), replay(n), refCount()`() {
    let push = PushStream<Int>()
    let published = push.publish()
    let recorder = published.record()
    push.next(0)
    let connection = published.connect()
    push.next(1)
    connection.dispose()
    push.next(2)
    let again = published.connect()
    push.next(3)
    again.dispose()
    #expect(marks(recorder) == "1 3", "an observer stays subscribed, and hears the next connect()")
    let replayed = push.replay(1).refCount()
    let first = replayed.record()
    push.next(4)
    #expect(marks(replayed) == "4")
    first.dispose()
    #expect(push.observerCount == 0)
  }

  @Test @MainActor func `RxSwift: observe(on:), subscribe(on:)`() async throws {
    let queue = Queue(label: "worker")
    defer { queue.shutdown() }
    let isThere = try await Streams.Operation<Bool, Never>.execute(on: queue.context) { queue.isCurrent == true }.value
    #expect(isThere)
    let heard = PushStream<Int>()
    let answer = Confined(heard)
    let subscription = Stream.sequence([1, 2]).observe(on: queue, watermarks: Watermarks(high: 4)) { stream, bag in
      stream.observeNext { number in if queue.isCurrent == true, number == 2 { answer.async { $0.next(2) } } }.dispose(
        in: bag)
    }
    #expect(await heard.firstValue() == 2)
    subscription.dispose()
  }

  @Test func `RxSwift: asObservable()`() {
    let operation: Numbers = PushOperation<Int, TestError>().toOperation()
    #expect(marks(operation) == "")
  }

  @Test func `RxSwift: TestScheduler, createObserver`() {
    let scheduler = VirtualScheduler()
    let recorder: Recorder<String, TestError> = scheduler.hot("-a|").record(on: scheduler)
    scheduler.advance(by: .seconds(3))
    #expect(recorder.elementTimes == [.seconds(1)] && recorder.terminationTime == .seconds(2))
  }
}
