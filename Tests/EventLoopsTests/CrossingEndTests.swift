import EventLoops
import Streams
import StreamsTesting
import TestSupport
import Testing

/// The end of a stream that a far queue consumes, if operators on that queue still have a backlog.
@Suite(.noLiveResources, .timeLimit(.minutes(15)))
struct CrossingEndTests {
  /// The operators between the stream and its observer on the far side, and their output for 0, 1, 2, 3, 4.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: [Int]
    let apply: @Sendable (Stream<Int>) -> Stream<Int>
  }

  static let cases: [Case] = [
    Case(testDescription: "delay", expected: [0, 1, 2, 3, 4]) { $0.delay(for: .milliseconds(3)) },
    Case(testDescription: "concat of timers", expected: [0, 1, 2, 3, 4]) {
      $0.flatMap(.concat) { .timer($0, after: .milliseconds(1)) }
    },
    Case(testDescription: "merge with a timer", expected: [0, 1, 2, 3, 4, 99]) {
      $0.merge(with: Stream.timer(99, after: .milliseconds(300)))
    },
    Case(testDescription: "shared and delayed", expected: [0, 1, 2, 3, 4]) { $0.share().delay(for: .milliseconds(3)) },
    Case(testDescription: "debounce", expected: [4]) { $0.debounce(for: .seconds(60)) },
  ]

  @Test(arguments: cases)
  func `what operators over there hold is delivered before the bag goes`(_ tested: Case) async throws {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let events = Lock<[Event<Int, Never>]>([])
    let crossing = Lock<Confined<any Disposable>?>(nil)
    near.async {
      let made = Stream.sequence(0..<5).observe(on: far) { stream, bag in
        tested.apply(stream).observe { event in events.withLock { $0.append(event) } }.dispose(in: bag)
      }
      crossing.withLock { $0 = Confined(made) }
    }
    await untilTrue { events.withLock { $0.last?.isTermination == true } }
    var delivered = events.withLock { $0 }
    // A timer has no defined order among the elements that another thread sends.
    if let timer = delivered.firstIndex(of: .next(99)) {
      delivered.remove(at: timer)
      delivered.insert(.next(99), at: delivered.count - 1)
    }
    #expect(delivered == tested.expected.map { .next($0) } + [.completed])
    // The near side is notified of the end.
    let isDisposed = Lock(false)
    await untilTrue {
      crossing.withLock { $0 }?.async { made in isDisposed.withLock { $0 = made.isDisposed } }
      return isDisposed.withLock { $0 }
    }
    #expect(isDisposed.withLock { $0 })
    near.async { crossing.withLock { $0 = nil } }
    near.shutdown()
    far.shutdown()
  }

  @Test func `a stream that crosses twice loses nothing`() async throws {
    for count in [5, 2_000] {
      let queues = (0..<3).map { Queue(label: "\($0)") }
      let seen = Lock<[Int]>([])
      let hasEnded = Lock(false)
      queues[0].async {
        _ = Stream.sequence(0..<count).observe(on: queues[1]) { stream, bag in
          stream.observe(on: queues[2], watermarks: Watermarks(high: 8)) { stream, bag in
            stream.observe(
              next: { number in seen.withLock { $0.append(number) } },
              termination: { _ in hasEnded.withLock { $0 = true } }
            ).dispose(in: bag)
          }.dispose(in: bag)
        }
      }
      await untilTrue { hasEnded.withLock { $0 } }
      #expect(seen.withLock { $0 } == Array(0..<count))
      for queue in queues { queue.shutdown() }
    }
  }

  @Test func `what an observer of the end puts into the bag is waited for, too`() async throws {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let seen = Lock<[Int]>([])
    near.async {
      _ = Stream.sequence([1]).observe(on: far) { stream, bag in
        stream.observe(
          next: { number in seen.withLock { $0.append(number) } },
          termination: { [weak bag] _ in
            guard let bag else { return }
            Stream.timer(2, after: .milliseconds(2)).observeNext { number in seen.withLock { $0.append(number) } }
              .dispose(in: bag)
          }
        ).dispose(in: bag)
      }
    }
    await untilTrue { seen.withLock { $0.count } == 2 }
    #expect(seen.withLock { $0 } == [1, 2])
    near.shutdown()
    far.shutdown()
  }

  @Test func `disposing ends what operators over there still hold`() async throws {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let hasEnded = Lock(0)
    let crossing = Lock<Confined<any Disposable>?>(nil)
    let hasSourceEnded = Lock(false)
    near.async {
      let made = Stream.sequence(0..<5).observe(on: far) { stream, bag in
        stream.doOn(completed: { hasSourceEnded.withLock { $0 = true } }).delay(for: .seconds(3_600))
          .doOn(disposed: { hasEnded.withLock { $0 += 1 } }).observeNext { _ in Issue.record("delivered") }
          .dispose(in: bag)
      }
      crossing.withLock { $0 = Confined(made) }
    }
    await untilTrue { hasSourceEnded.withLock { $0 } }
    #expect(hasEnded.withLock { $0 } == 0)
    crossing.withLock { $0.take() }?.async { $0.dispose() }
    await untilTrue { hasEnded.withLock { $0 } == 1 }
    #expect(hasEnded.withLock { $0 } == 1)
    near.shutdown()
    far.shutdown()
  }

  @Test func `what lies in bags, composites, and serial disposables is waited for, too`() async throws {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let seen = Lock<[Int]>([])
    near.async {
      _ = Stream.sequence([1]).observe(on: far) { stream, bag in
        let (inner, composite, serial) = (DisposeBag(), CompositeDisposable(), SerialDisposable())
        inner.dispose(in: bag)
        composite.dispose(in: bag)
        serial.dispose(in: bag)
        let late = stream.delay(for: .milliseconds(2))
        late.observeNext { number in seen.withLock { $0.append(number) } }.dispose(in: inner)
        composite += late.observeNext { number in seen.withLock { $0.append(number) } }
        serial.inner = late.observeNext { number in seen.withLock { $0.append(number) } }
      }
    }
    await untilTrue { seen.withLock { $0.count } == 3 }
    #expect(seen.withLock { $0 } == [1, 1, 1])
    near.shutdown()
    far.shutdown()
  }

  @Test func `a member that is taken out of a composite is not waited for`() async throws {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let isDisposed = Lock(false)
    let crossing = Lock<Confined<any Disposable>?>(nil)
    let kept = Lock<Confined<Subscription>?>(nil)
    near.async {
      let made = Stream.sequence([1]).observe(on: far) { stream, bag in
        let (composite, endless) = (CompositeDisposable(), Stream<Int>.never().observeNext { _ in })
        composite.dispose(in: bag)
        composite.add(endless).dispose()
        kept.withLock { $0 = Confined(endless) }
        stream.observeNext { _ in }.dispose(in: bag)
      }
      crossing.withLock { $0 = Confined(made) }
    }
    await untilTrue {
      crossing.withLock { $0 }?.async { made in isDisposed.withLock { $0 = made.isDisposed } }
      return isDisposed.withLock { $0 }
    }
    #expect(isDisposed.withLock { $0 })
    kept.withLock { $0.take() }?.async { $0.dispose() }
    near.async { crossing.withLock { $0 = nil } }
    near.shutdown()
    far.shutdown()
  }

  @Test func `one bag may lie in the bags of two crossings`() async throws {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let seen = Lock<[Int]>([])
    // Used only on the far queue, where both closures run.
    nonisolated(unsafe) let inner = DisposeBag()
    for number in 1...2 {
      near.async {
        _ = Stream.sequence([number]).observe(on: far) { stream, bag in
          inner.dispose(in: bag)
          stream.delay(for: .milliseconds(2)).observeNext { number in seen.withLock { $0.append(number) } }
            .dispose(in: inner)
        }
      }
    }
    await untilTrue { seen.withLock { $0.count } == 2 }
    #expect(seen.withLock { $0.sorted() } == [1, 2])
    near.shutdown()
    far.shutdown()
  }

  @Test func `a crossing within one queue ends when that closes, also if its closure captures the bag`() async throws {
    let queue = Queue(label: "one")
    let count = Lock(0)
    queue.async {
      _ = Stream.interval(.milliseconds(1)).observe(on: queue) { stream, bag in
        stream.delay(for: .milliseconds(2)).observeNext { _ in
          count.withLock { $0 += 1 }
          Stream.timer(0, after: .milliseconds(1)).observeNext { _ in }.dispose(in: bag)
        }.dispose(in: bag)
      }
    }
    await untilTrue { count.withLock { $0 } > 3 }
    queue.shutdown()
  }

  @Test(arguments: [true, false])
  func `what there was no room for arrives, too, when the loop of the source closes`(_ vanishes: Bool) async throws {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let seen = Lock<[Int]>([])
    let hasEnded = Lock(false)
    let kept = Lock<Confined<PushStream<Int>>?>(nil)
    // The far queue is busy until the near one has closed.
    let gate = Lock(())
    gate.withLock { _ in
      far.async { gate.withLock { _ in } }
      near.async {
        let push = PushStream<Int>()
        _ = push.observe(on: far, watermarks: Watermarks(high: 4)) { stream, bag in
          stream.observe(
            next: { number in seen.withLock { $0.append(number) } },
            termination: { _ in hasEnded.withLock { $0 = true } }
          ).dispose(in: bag)
        }
        for number in 0..<100 { push.next(number) }
        if !vanishes { kept.withLock { $0 = Confined(push) } }
      }
      near.shutdown()
    }
    await untilTrue { hasEnded.withLock { $0 } }
    #expect(seen.withLock { $0 } == Array(0..<100))
    kept.withLock { $0 = nil }
    far.shutdown()
  }

  @Test func `when the loop of the source closes, what was sent arrives over there, and the end`() async throws {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let seen = Lock<[Int]>([])
    let hasEnded = Lock(false)
    near.async {
      _ = Stream.interval(.milliseconds(1)).observe(on: far) { stream, bag in
        stream.observe(
          next: { number in seen.withLock { $0.append(number) } }, termination: { _ in hasEnded.withLock { $0 = true } }
        ).dispose(in: bag)
      }
    }
    await untilTrue { seen.withLock { $0.count } >= 3 }
    near.shutdown()
    await untilTrue { hasEnded.withLock { $0 } }
    #expect(hasEnded.withLock { $0 })
    #expect(seen.withLock { $0 } == Array(0..<seen.withLock { $0.count }))
    far.shutdown()
  }

  /// A reference that keeps nothing alive, for a job of the queue that made it.
  private struct Reference: @unchecked Sendable {
    // Sendable, because only jobs of one queue use it.
    weak var subscription: Subscription?
  }

  @Test func `a paused observer keeps its queue until it resumes, although the near side has closed`() async throws {
    let near = Queue(label: "near")
    let seen = Lock<[Event<Int, Never>]>([])
    let paused = Lock<Reference?>(nil)
    weak var far: Queue?
    do {
      let queue = Queue(label: "far")
      far = queue
      near.async {
        _ = Stream.sequence(0..<3).observe(on: queue) { stream, bag in
          weak var observed: Subscription?
          let subscription = stream.observe { event in
            let count = seen.withLock { seen in
              seen.append(event)
              return seen.count
            }
            if count > 1 { return }
            observed?.pause()
            let reference = Reference(subscription: observed)
            paused.withLock { $0 = reference }
          }
          observed = subscription
          subscription.dispose(in: bag)
        }
      }
      await untilTrue { paused.withLock { $0 != nil } }
    }
    near.shutdown()
    // Jobs that the near side has posted could keep the queue, too. They run before these.
    for _ in 0..<3 { try far?.sync {} }
    #expect(far != nil)
    #expect(seen.withLock { $0 } == [.next(0)])
    far?.async { paused.withLock { $0.take() }?.subscription?.resume() }
    await untilTrue { far == nil }
    #expect(far == nil)
    #expect(seen.withLock { $0 } == [.next(0), .next(1), .next(2), .completed])
  }

  @Test func `what a closing queue holds for a paused observer is dropped, and the next side completes`() async {
    let queues = (0..<3).map { Queue(label: "\($0)") }
    let passed = Lock<[Int]>([])
    let seen = Lock<[Event<Int, Never>]>([])
    queues[0].async {
      _ = Stream.sequence(0..<10).concat(with: .never()).observe(on: queues[1]) { stream, bag in
        let crossing = SerialDisposable()
        crossing.inner = stream.doOn(next: { [weak crossing] number in
          passed.withLock { $0.append(number) }
          if number == 2 { crossing?.pause() }
        }).observe(on: queues[2]) { stream, bag in
          stream.observe { event in seen.withLock { $0.append(event) } }.dispose(in: bag)
        }
        crossing.dispose(in: bag)
      }
    }
    await untilTrue { passed.withLock { $0.count } == 3 }
    queues[1].shutdown()
    await untilTrue { seen.withLock { $0.last?.isTermination == true } }
    #expect(passed.withLock { $0 } == [0, 1, 2])
    #expect(seen.withLock { $0 } == [.next(0), .next(1), .next(2), .completed])
    queues[0].shutdown()
    queues[2].shutdown()
  }
}
