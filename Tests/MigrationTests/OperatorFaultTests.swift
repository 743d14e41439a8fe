import Headwater
import StreamsTesting
import Testing

/// Situations in which operators of reactive libraries have lost elements, hung, recursed, or leaked. A test has the name of what has
/// to hold, and not that of a row of Docs/Reference/Migration.md.
@Suite(.noLiveResources) struct OperatorFaultTests {
  @Test func `two shared streams that observe each other's source inside a delivery do not block each other`() {
    let (left, right) = (PushStream<Int>(), PushStream<Int>())
    let (sharedLeft, sharedRight) = (left.shareReplay(1), right.shareReplay(1))
    let bag = DisposeBag()
    var received: [String] = []
    sharedLeft.observeNext { one in
      sharedRight.first().observeNext { received.append("\(one)-\($0)") }.dispose(in: bag)
    }.dispose(in: bag)
    sharedRight.observeNext { two in
      sharedLeft.first().observeNext { received.append("\($0)+\(two)") }.dispose(in: bag)
    }.dispose(in: bag)
    left.next(1)
    right.next(2)
    left.next(3)
    // The replayed element comes without a lock, so each observer may observe the other stream.
    #expect(received == ["1+2", "1-2", "3-2"])
    bag.dispose()
    #expect(left.observerCount == 0 && right.observerCount == 0)
  }

  @Test func `an observer after the completion does not start a shared run that replays`() {
    var runs = 0
    let source = Stream<Int>.deferred {
      runs += 1
      return .sequence([1, 2, 3])
    }
    let shared = source.shareReplay(1)
    #expect(marks(shared) == "1 2 3 |")
    #expect(marks(shared) == "3 |" && runs == 1, "a source that completes while it is observed counts as completed")
    runs = 0
    let lazily = source.replayLazily(1)
    #expect(marks(lazily) == "1 2 3 |" && marks(lazily) == "3 |" && runs == 1)
  }

  @Test func `an endless retry of a source that fails at once ends with the first element`() {
    var runs = 0
    let failing = Numbers.deferred {
      runs += 1
      return .sequence([0]).concat(with: .failed("end"))
    }
    #expect(marks(failing.retry().take(1)) == "0 |" && runs == 1)
    #expect(marks(failing.retry().take(3)) == "0 0 0 |" && runs == 4)
    #expect(marks(failing.shareReplay(2).retry().take(5)) == "0 0 0 0 0 |")
    #expect(marks(Stream.sequence([1, 2]).publish().refCount().repeat(3)) == "1 2 |", "a completion is remembered")
    #expect(marks(Stream.sequence([1, 2]).share().repeat(3)) == "1 2 1 2 1 2 |")
  }

  @Test func `streams that nest by repeating or by flattening do not grow the stack`() {
    var count = 0
    let source = Numbers.deferred {
      count += 1
      return count < 100_000 ? .failed("again") : .just(count)
    }
    let recorder = Stream.just(()).setFailureType(to: TestError.self).flatMapLatest { source.retry() }.record()
    #expect(marks(recorder) == "100000 |")
    let repeated = Stream.just(1).flatMapLatest { _ in Stream.sequence([1]).repeat(100_000) }.reduce(0, +)
    #expect(marks(repeated) == "100000 |")
  }

  @Test func `the element of a second source that is sent while it is observed is not missed`() {
    #expect(
      marks(Stream.sequence([1, 2, 3]).withLatest(from: Stream.sequence([4, 5])).map { "\($0)\($1)" })
        == "15 25 35 |", "the second source is observed first")
    let pairs = Stream.sequence([1, 2]).combineLatest(with: Stream.just(10)).map { $0 + $1 }
    #expect(marks(pairs) == "12 |", "the first source has sent both elements before the second is observed")
    #expect(marks(Stream.sequence([1, 2]).zip(with: Stream.just(10)).map { $0 + $1 }) == "11 |")
  }

  @Test func `a stream that is derived from a property, and is joined with it again, sees its new value`() {
    let item = Property(0)
    let bag = DisposeBag()
    var pairs: [String] = []
    // The joined side is observed before the side that is derived, so it has the new value first.
    let derived = PushStream<String>()
    derived.withLatest(from: item).observeNext { pairs.append("\($0)\($1)") }.dispose(in: bag)
    item.map { "of\($0)-" }.bind(to: derived)
    item.value = 1
    #expect(pairs == ["of0-0", "of1-1"])
    var counts: [Bool] = []
    let nodes = Property<[Int]>([])
    nodes.changes.filter { !$0.isEmpty }.withLatest(from: nodes).observeNext { changed, latest in
      counts.append(changed == latest && latest == nodes.value)
    }.dispose(in: bag)
    nodes.value = [1, 2, 3]
    nodes.value = [1]
    #expect(counts == [true, true])
    bag.dispose()
  }

  @Test func `a window of throttle with a single element emits it once`() {
    let scheduler = VirtualScheduler()
    let recorder = scheduler.hot("a----b----c----|").throttle(for: .seconds(2), latest: true).record(on: scheduler)
    scheduler.advance(by: .seconds(16))
    recorder.expect("a----b----c----|")
  }

  @Test func `the pending element of an operator with a clock is emitted before the completion`() {
    let scheduler = VirtualScheduler()
    let throttled = scheduler.hot("-a-xy-|").throttle(for: .seconds(20), latest: true).record(on: scheduler)
    let debounced = scheduler.hot("-a-xy-|").debounce(for: .seconds(20)).record(on: scheduler)
    let sampled = scheduler.hot("-a-xy-|").sample(for: .seconds(20)).record(on: scheduler)
    let buffered = scheduler.hot("-a-xy-|").buffer(for: .seconds(20)).map { $0.joined() }.record(on: scheduler)
    let single = Stream.just("a").sample(for: .seconds(20)).record(on: scheduler)
    scheduler.advance(by: .seconds(60))
    throttled.expect("-a----(y|)")
    debounced.expect("------(y|)")
    sampled.expect("------(y|)")
    #expect(marks(buffered) == "axy |" && marks(single) == "a |")
    #expect(scheduler.pendingCount == 0, "no timer is left")
  }

  @Test func `an observer of a shared stream that leaves at its first element leaves the stream usable`() {
    let subject = PushStream<Int>()
    let shared = subject.shareReplay(1)
    let first = shared.take(1).record()
    subject.next(1)
    let second = shared.take(1).record()
    #expect(marks(first) == "1 |" && marks(second) == "" && subject.observerCount == 1)
    subject.next(2)
    #expect(marks(second) == "2 |" && subject.observerCount == 0)
    // A source that answers while it is observed: each of the observers leaves before the run has been set up.
    let property = Property(5)
    let immediate = property.toStream().share()
    let recorders = (0..<3).map { _ in immediate.take(1).record() }
    #expect(recorders.allSatisfy { marks($0) == "5 |" } && property.observerCount == 0)
    let late = immediate.record()
    property.value = 6
    #expect(marks(late) == "5 6")
    late.dispose()
  }

  @Test func `the run of an endless source ends when its only observer leaves`() {
    var sent = 0
    let endless = Stream.sequence(1...).doOn(next: { _ in sent += 1 })
    #expect(marks(endless.share().take(3)) == "1 2 3 |" && sent == 3)
    #expect(marks(endless.publish().refCount().take(2)) == "1 2 |" && sent == 5)
    #expect(marks(endless.replayLazily(1).take(2).concat(with: .just(0)).prefix(2)) == "1 2 |")
  }

  @Test func `zip that is disposed by its observer sends and keeps nothing more`() {
    let (left, right) = (PushStream<Int>(), PushStream<Int>())
    let recorder = left.zip(with: right).first().record()
    left.next(1)
    left.next(2)
    right.next(1)
    right.next(2)
    #expect(recorder.elements.count == 1 && recorder.isCompleted)
    #expect(left.observerCount == 0 && right.observerCount == 0)
    #expect(marks(zip([Stream.just(1).concat(with: .never())]).first().map { $0.count }) == "1 |")
  }

  @Test func `a limited merge of many streams that complete at once completes`() {
    for limit in [1, 2, 16] {
      let last = Stream.sequence(0..<20_000).flatMap(.concurrent(limit: limit)) {
        $0 % 3 == 0 ? .completed() : .just($0)
      }
      .last().record()
      #expect(marks(last) == "19999 |")
    }
    let scheduler = VirtualScheduler()
    let mixed = Stream.sequence(1...20).flatMap(.concurrent(limit: 1)) { number in
      number % 5 == 0 ? Stream.timer(-number, after: .seconds(1)) : .just(number)
    }.record(on: scheduler)
    scheduler.advance(by: .seconds(10))
    #expect(mixed.elements == (1...20).map { $0 % 5 == 0 ? -$0 : $0 } && mixed.isCompleted)
  }

  @Test func `groups that are observed one after the other all arrive`() {
    let groups = Stream.sequence(1...9).groupBy { $0 % 3 }
    let merged = groups.flatMap(.merge) { group in group.elements.collect().map { "\(group.key)\($0)" } }
    #expect(Set(merged.record().elements) == ["1[1, 4, 7]", "2[2, 5, 8]", "0[3, 6, 9]"])
    // A group that is observed late has its first element only until its next one, but it ends: concat never hangs.
    let late = groups.flatMap(.concat) { group in group.elements.collect().map { "\(group.key)\($0)" } }
    #expect(marks(late) == "1[1, 4, 7] 2[] 0[] |")
    let short = Stream.sequence([1, 2, 3]).groupBy { $0 }.flatMap(.concat) { $0.elements }
    #expect(marks(short) == "1 2 3 |")
  }

  @Test func `a recursive chain of flattened streams is as deep as the program makes it`() {
    func count(from number: Int, to end: Int) -> Stream<Int> {
      Stream.just(number + 1).flatMap(.concat) { $0 < end ? count(from: $0, to: end) : .just($0) }
    }
    #expect(marks(count(from: 0, to: 100)) == "100 |")
    // Repeating needs no depth at all.
    var number = 0
    let next = Stream<Int>.deferred {
      number += 1
      return .just(number)
    }
    #expect(marks(next.repeat().take { $0 <= 50_000 }.last()) == "50000 |")
  }

  @Test func `the outer stream is disposed together with the latest inner stream`() {
    let outer = PushStream<Int>()
    let inner = [PushStream<Int>(), PushStream<Int>()]
    for strategy in [FlattenStrategy.latest, .merge, .concat, .throttle, .race, .concurrent(limit: 2)] {
      let subscription = outer.flatMap(strategy) { inner[$0] }.observeNext { _ in }
      outer.next(0)
      outer.next(1)
      subscription.dispose()
      #expect(outer.observerCount == 0 && inner.allSatisfy { $0.observerCount == 0 })
    }
  }

  @Test func `the end of an inner stream does not end the latest one, and the end of the outer one waits for it`() {
    let outer = PushStream<Int>()
    let inner = [PushStream<Int>(), PushStream<Int>()]
    let recorder = outer.flatMapLatest { inner[$0] }.record()
    outer.next(0)
    inner[0].completed()
    outer.next(1)
    outer.completed()
    inner[1].next(7)
    #expect(marks(recorder) == "7")
    inner[1].completed()
    #expect(marks(recorder) == "7 |")
  }

  @Test func `a stream that fails may send to its own source while it recovers`() {
    let source = PushOperation<Int, TestError>()
    let recorder = source.flatMapError { _ -> Numbers in
      source.next(100)
      return .just(0)
    }.record()
    source.next(1)
    source.failed("end")
    #expect(marks(recorder) == "1 0 |", "nothing is sent after the end, and nothing hangs")
  }

  @Test func `an observer that requests the next batch inside a delivery holds only that batch`() {
    let source = PushStream<Int>()
    var requested = 0
    var sums: [Int] = []
    func request() {
      requested += 1
      for number in 0..<10 { source.next(number) }
    }
    let bag = DisposeBag()
    source.buffer(10).flatMap(.concat) { Stream.just($0.reduce(0, +)) }.observeNext { sum in
      sums.append(sum)
      if requested < 1_000 { request() }
    }.dispose(in: bag)
    request()
    #expect(sums.count == 1_000 && sums.allSatisfy { $0 == 45 })
    bag.dispose()
  }

  @Test func `the content of a serial disposable can be read, and its disposal is not repeated`() {
    let inner = SimpleDisposable()
    let serial = SerialDisposable()
    #expect(serial.inner == nil)
    serial.inner = inner
    #expect(serial.inner === inner && !inner.isDisposed)
    serial.dispose()
    #expect(inner.isDisposed && serial.isDisposed)
    let late = SimpleDisposable()
    serial.inner = late
    #expect(late.isDisposed, "what is set later is disposed at once")
  }
}
