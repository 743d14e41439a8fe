import Streams
import StreamsTesting
import Testing

/// The contracts of hot streams, and the contracts that involve several operators.
@Suite("Contracts of hot streams, of flattening and of buffers", .noLiveResources) struct HotContractTests {
  // MARK: 4

  @Test func `4 observers of a hot stream run in the order in which they subscribed`() {
    let push = PushStream<Int>()
    let bag = DisposeBag()
    var order: [Int] = []
    var subscriptions: [Subscription] = []
    for number in 0..<100 { subscriptions.append(push.observeNext { _ in order.append(number) }) }
    for number in stride(from: 0, to: 100, by: 3) { subscriptions[number].dispose() }
    for number in 100..<110 { subscriptions.append(push.observeNext { _ in order.append(number) }) }
    for subscription in subscriptions { subscription.dispose(in: bag) }
    push.next(0)
    #expect(order == (0..<100).filter { $0 % 3 != 0 } + Array(100..<110))
  }

  @Test func `4 one added during a delivery starts with the next element`() {
    let push = PushStream<Int>()
    let bag = DisposeBag()
    var log: [String] = []
    push.observeNext { element in
      log.append("first \(element)")
      if element == 1 {
        // More observers than the table has room for.
        for number in 0..<20 {
          push.observeNext { log.append("added \(number) \($0)") }.dispose(in: bag)
        }
      }
    }.dispose(in: bag)
    push.next(1)
    #expect(log == ["first 1"])
    push.next(2)
    #expect(log == ["first 1", "first 2"] + (0..<20).map { "added \($0) 2" })
    // The first observer and the bag retain each other.
    bag.dispose()
  }

  @Test func `4 one disposed during a delivery gets no more`() {
    let push = PushStream<Int>()
    var log: [String] = []
    let later = SerialDisposable()
    let first = push.observeNext { element in
      log.append("first \(element)")
      later.dispose()
    }
    later.inner = push.observeNext { log.append("later \($0)") }
    push.next(1)
    push.next(2)
    #expect(log == ["first 1", "first 2"])
    #expect(push.observerCount == 1)
    first.dispose()
  }

  // MARK: 5

  @Test func `5 an element sent from inside a delivery is delivered to all observers in order`() {
    let push = PushStream<Int>()
    var log: [String] = []
    let first = push.observeNext { element in
      log.append("a\(element)")
      if element == 1 {
        push.next(2)
        push.next(3)
      }
    }
    let second = push.observeNext { element in
      log.append("b\(element)")
      if element == 2 { push.next(4) }
    }
    push.next(1)
    #expect(log == ["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"])
    first.dispose()
    second.dispose()
  }

  @Test func `5 none is dropped and none recurses`() {
    let push = PushStream<Int>()
    var count = 0
    let subscription = push.observeNext { element in
      count += 1
      if element < 200_000 { push.next(element + 1) }
    }
    push.next(1)
    #expect(count == 200_000)
    subscription.dispose()
  }

  @Test func `5 streams that are merged queue what is sent to the other`() {
    let left = PushStream<Int>()
    let right = PushStream<Int>()
    var log: [Int] = []
    var depth = 0
    let subscription = left.merge(with: right).observe(
      next: { element in
        depth += 1
        #expect(depth == 1)
        log.append(element)
        if element == 1 {
          right.next(2)
          left.next(3)
          right.completed()
          left.completed()
        }
        depth -= 1
      },
      termination: { _ in
        #expect(depth == 0)
        log.append(-1)
      })
    left.next(1)
    #expect(log == [1, 2, 3, -1])
    #expect(subscription.isDisposed)
  }

  @Test func `5 the terminal event of another source waits for the delivery too`() {
    let push = PushStream<Int>()
    let trigger = PushStream<Void>()
    var log: [Int] = []
    let subscription = push.take(until: trigger).observe(
      next: { element in
        trigger.next()
        log.append(element)
      }, termination: { _ in log.append(-1) })
    push.next(1)
    push.next(2)
    #expect(log == [1, -1])
    #expect(push.observerCount == 0 && trigger.observerCount == 0)
    subscription.dispose()
  }

  // MARK: 6

  @Test func `6 a late observer of a finished hot stream gets the terminal event at once`() {
    let push = PushOperation<Int, TestError>()
    push.failed("over")
    push.next(1)
    push.completed()
    #expect(push.record().events == [.failed("over")])
    let stream = PushStream<Int>()
    stream.completed()
    #expect(stream.record().events == [.completed])
    #expect(stream.map { $0 }.merge(with: Stream.never()).take(until: stream).record().events == [.completed])
  }

  @Test func `6 an observer added while the terminal event is delivered gets it`() {
    let push = PushStream<Int>()
    var late: Recorder<Int, Never>?
    let subscription = push.observeCompleted { late = push.record() }
    push.completed()
    #expect(late?.events == [.completed])
    subscription.dispose()
  }

  @Test func `6 an observer may dispose of those after it while the terminal event is delivered`() {
    let push = PushStream<Int>()
    var log: [String] = []
    var others: [Subscription] = []
    let first = push.observeCompleted {
      log.append("first")
      for other in others { other.dispose() }
    }
    for name in ["second", "third"] { others.append(push.observeCompleted { log.append(name) }) }
    push.completed()
    #expect(log == ["first"])
    #expect(push.observerCount == 0)
    first.dispose()
  }

  @Test func `6 what an observer captured may dispose of others when the stream goes`() {
    final class Owner {
      let bag = DisposeBag()
      var isTold = false
    }
    var push: PushStream<Int>? = PushStream()
    var owner: Owner? = Owner()
    weak let released = owner
    do {
      let second = BlockDisposable {}
      let kept = owner!
      // Only the first observer retains the owner of the second.
      _ = push!.observeNext { _ in kept.isTold = true }
      push!.observeNext { _ in second.dispose() }.dispose(in: kept.bag)
      owner = nil
    }
    push = nil
    #expect(released == nil)
  }

  @Test func `6 what a second source of a producer sends is lost after the first, which has the observer, has gone`() {
    var first: PushStream<Int>? = PushStream()
    let second = PushStream<Int>()
    let bag = DisposeBag()
    var received: [Int] = []
    let both = Stream<Int> { observer in
      second.observeNext { observer.next($0) }.dispose(in: bag)
      return first?.subscribe(observer) ?? .none
    }
    let subscription = both.observeNext { received.append($0) }
    first?.next(1)
    second.next(2)
    first = nil
    second.next(3)
    #expect(received == [1, 2])
    bag.dispose()
    subscription.dispose()
  }

  // MARK: 7

  @Test(arguments: [
    (FlattenStrategy.concat, repetitions), (.merge, repetitions), (.latest, repetitions / 5),
    (.concurrent(limit: 3), repetitions / 5),
  ])
  func `7 very many synchronous inner streams do not overflow the stack`(_ strategy: FlattenStrategy, _ total: Int) {
    var count = 0
    var sum = 0
    var isCompleted = false
    let subscription = Stream.sequence(0..<total).flatMap(strategy) { Stream.just($0) }.observe(
      next: {
        count += 1
        sum &+= $0
      }, termination: { _ in isCompleted = true })
    #expect(count == total)
    #expect(sum == total * (total - 1) / 2)
    #expect(isCompleted)
    subscription.dispose()
  }

  @Test func `7 also when they have waited for their turn`() {
    let first = PushStream<Int>()
    let outer = PushStream<Stream<Int>>()
    var count = 0
    var isCompleted = false
    let reports = captureDiagnostics {
      let subscription = outer.concat().observe(next: { _ in count += 1 }, termination: { _ in isCompleted = true })
      outer.next(first.toStream())
      for number in 0..<100_000 { outer.next(.just(number)) }
      outer.completed()
      #expect(count == 0)
      first.completed()
      #expect(count == 100_000)
      #expect(isCompleted)
      subscription.dispose()
    }
    #expect(reports.count == 1)
  }

  // MARK: 8

  @Test func `8 a failure of one of several sources ends the others at once`() {
    for strategy in [FlattenStrategy.merge, .concat, .latest] {
      let outer = PushOperation<Int, TestError>()
      let inner = Probe<TestError>()
      let recorder = outer.flatMap(strategy) { _ in inner.stream }.record()
      outer.next(0)
      inner.next(1)
      inner.terminate(.failed("inner"))
      #expect(recorder.events == [.next(1), .failed("inner")])
      #expect(outer.observerCount == 0)
      #expect(inner.disposals == 1)
    }
    let left = Probe<TestError>()
    let right = Probe<TestError>()
    let merged = left.stream.merge(with: right.stream).record()
    left.terminate(.failed("left"))
    #expect(merged.failure == "left")
    #expect(right.disposals == 1)
    let triggered = Probe<TestError>()
    let trigger = Probe<TestError>()
    let until = triggered.stream.take(until: trigger.stream).record()
    trigger.terminate(.failed("trigger"))
    #expect(until.failure == "trigger")
    #expect(triggered.disposals == 1)
  }

  // MARK: 9

  @Test func `9 the queue of re-entrant sends reports its growth once`() {
    let push = PushStream<Int>()
    var count = 0
    let subscription = push.observeNext { element in
      count += 1
      if element == 0 { for number in 1...140_000 { push.next(number) } }
    }
    let reports = captureDiagnostics { push.next(0) }
    #expect(count == 140_001)
    #expect(reports.count == 1)
    #expect(reports.first?.contains("from inside the delivery") == true)
    subscription.dispose()
  }

  @Test func `9 concat pauses upstream at its bound and goes on at half of it`() {
    let gates = PushStream<Int>()
    var made = 0
    let recorder = Stream.sequence(0..<5_000).doOn(next: { _ in made += 1 })
      .flatMap(.concat) { number in number == 0 ? gates.toStream() : Stream.just(number) }.record()
    #expect(made == Watermarks.standard.high + 1)
    gates.completed()
    #expect(made == 5_000)
    #expect(recorder.elements == Array(1..<5_000))
    #expect(recorder.isCompleted)
  }

  @Test func `9 where upstream cannot pause it grows and reports once`() {
    let outer = PushStream<Int>()
    var recorder: Recorder<Int, Never>?
    let reports = captureDiagnostics {
      recorder = outer.flatMap(.concat) { _ in Stream<Int>.never() }.record()
      for number in 0..<10_000 { outer.next(number) }
    }
    #expect(reports.count == 1)
    #expect(reports.first?.contains("flatMap(.concat)") == true)
    recorder?.dispose()
  }

  @Test func `9 zip, delay and observe(on:) report once that a source that cannot pause has filled them twice`() {
    let scheduler = VirtualScheduler()
    let turns = TurnTests.Turns()
    let ways: [(name: String, bound: Int, apply: (Stream<Int>) -> Stream<Int>)] = [
      ("zip", 1_024, { $0.zip(with: Stream<Int>.never()).map { $0.0 } }),
      ("delay", 16_384, { $0.delay(for: .seconds(1)) }), ("observe(on:)", 1_024, { $0.observe(on: turns.context) }),
    ]
    for way in ways {
      let push = PushStream<Int>()
      let recorder = way.apply(push.toStream()).record(on: scheduler)
      let within = captureDiagnostics { for number in 0..<2 * way.bound { push.next(number) } }
      let beyond = captureDiagnostics { for number in 0..<100 { push.next(number) } }
      #expect(within.isEmpty && beyond.count == 1)
      #expect(beyond.first?.contains(way.name) == true)
      recorder.dispose()
    }
    turns.take()
  }

  @Test func `9 delay pauses upstream at its bound`() {
    let scheduler = VirtualScheduler()
    var made = 0
    let recorder = Stream.sequence(0..<50_000).doOn(next: { _ in made += 1 }).delay(for: .seconds(1))
      .record(on: scheduler)
    #expect(made == Watermarks.delay.high)
    scheduler.run()
    #expect(made == 50_000)
    #expect(recorder.elements == Array(0..<50_000))
    #expect(recorder.isCompleted)
  }

  @Test func `9 the queue of re-entrant sends is reported beyond 65,536 elements, and not before`() {
    for (count, reports) in [(65_536, 0), (65_537, 1)] {
      let push = PushStream<Int>()
      let subscription = push.observeNext { if $0 == 0 { for number in 1...count { push.next(number) } } }
      #expect(captureDiagnostics { push.next(0) }.count == reports)
      subscription.dispose()
    }
  }

  // The other tests name the watermarks, so they would not notice other numbers.
  @Test func `9 concat is paused at 1,024 elements and resumed at 512`() {
    let outer = Probe<Never>()
    let ticks = PushStream<Void>()
    // Each tick ends the inner stream that runs.
    let recorder = outer.stream.flatMap(.concat) { _ in ticks.take(1) }.record()
    for number in 0..<1_024 { outer.next(number) }
    #expect(outer.pauses == 0)
    outer.next(1_024)
    #expect(outer.pauses == 1)
    for _ in 0..<511 { ticks.next() }
    #expect(outer.resumes == 0)
    ticks.next()
    #expect(outer.resumes == 1)
    recorder.dispose()
  }

  @Test func `9 delay is paused at 16,384 elements and resumed at 8,192`() {
    let scheduler = VirtualScheduler()
    let source = Probe<Never>()
    let recorder = source.stream.delay(for: .seconds(100)).record(on: scheduler)
    for number in 0..<16_384 {
      if number == 16_383 { #expect(source.pauses == 0) }
      source.next(number)
      scheduler.advance(by: .milliseconds(1))
    }
    #expect(source.pauses == 1)
    scheduler.advance(to: .seconds(100) + .milliseconds(8_190))
    #expect(recorder.elements.count == 8_191 && source.resumes == 0)
    scheduler.advance(by: .milliseconds(1))
    #expect(recorder.elements.count == 8_192 && source.resumes == 1)
    recorder.dispose()
  }
}
