import Glibc
import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

/// Queues that close while elements or closures are on their way to or from them.
@Suite("Closing queues", .noLiveResources, .timeLimit(.minutes(60)))
struct ClosingRaceTests {
  /// A source that counts its disposals.
  private static func source(_ ended: Lock<Int>) -> Stream<Int> {
    Stream.sequence(0...).doOn(disposed: { ended.withLock { $0 += 1 } })
  }

  @Test func `the far queue closes while its observer pauses: the source is disposed at once`() async throws {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let ended = Lock(0)
    let isPaused = Lock(false)
    let crossing = Lock<Box?>(nil)
    near.async {
      let box = Box(
        Self.source(ended).observe(on: far, watermarks: Watermarks(high: 4)) { stream, bag in
          var subscription: Subscription?
          subscription = stream.observeNext { _ in
            subscription?.pause()
            isPaused.withLock { $0 = true }
          }
          subscription?.dispose(in: bag)
        })
      crossing.withLock { $0 = box }
    }
    await untilTrue { isPaused.withLock { $0 } }
    far.shutdown()
    await untilTrue { ended.withLock { $0 } == 1 }
    #expect(ended.withLock { $0 } == 1)
    try near.sync { #expect(crossing.withLock { $0.take() }?.disposable.isDisposed == true) }
    near.shutdown()
  }

  @Test func `after the near side has closed, a paused observer receives the rest and the end when it resumes`()
    async throws
  {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let received = Lock<[String]>([])
    let paused = Lock<Box?>(nil)
    near.async {
      _ = Stream.sequence(0..<3).observe(on: far) { stream, bag in
        var subscription: Subscription?
        subscription = stream.observe { event in
          received.withLock { $0.append("\(event)") }
          if received.withLock({ $0.count }) == 1, let subscription {
            subscription.pause()
            paused.withLock { [box = Box(subscription)] in $0 = box }
          }
        }
        subscription?.dispose(in: bag)
      }
    }
    await untilTrue { paused.withLock { $0 != nil } }
    near.shutdown()
    try far.sync {}
    #expect(received.withLock { $0 } == ["next(0)"])
    far.async { paused.withLock { $0.take() }?.disposable.resume() }
    await untilTrue { received.withLock { $0.count } == 4 }
    #expect(received.withLock { $0 } == ["next(0)", "next(1)", "next(2)", "completed"])
    far.shutdown()
  }

  @Test func `a silent source is disposed, too, when the far queue closes`() async {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let ended = Lock(0)
    let hasStarted = Lock(false)
    let crossing = Lock<Box?>(nil)
    near.async {
      let box = Box(
        Stream<Int>.never().doOn(disposed: { ended.withLock { $0 += 1 } }).observe(on: far) { _, _ in
          hasStarted.withLock { $0 = true }
        })
      crossing.withLock { $0 = box }
    }
    await untilTrue { hasStarted.withLock { $0 } }
    far.shutdown()
    await untilTrue { ended.withLock { $0 } == 1 }
    #expect(ended.withLock { $0 } == 1)
    near.async { crossing.withLock { $0 = nil } }
    near.shutdown()
  }

  @Test func `the far queue closes at any moment: the source is always disposed, once`() async {
    for round in 0..<Effort.rounds {
      let (near, far) = (Queue(label: "near"), Queue(label: "far"))
      let ended = Lock(0)
      let received = Lock(0)
      near.async {
        _ = Self.source(ended).observe(on: far, watermarks: Watermarks(high: 8)) { stream, bag in
          stream.observeNext { _ in received.withLock { $0 += 1 } }.dispose(in: bag)
        }
      }
      let goal = 1 + round % 50
      await untilTrue { received.withLock { $0 } >= goal }
      far.shutdown()
      await untilTrue { ended.withLock { $0 } == 1 }
      #expect(ended.withLock { $0 } == 1, "round \(round)")
      near.shutdown()
    }
  }

  @Test func `the near queue closes while elements wait: both sides are released`() async {
    for _ in 0..<min(Effort.rounds, 100) {
      let (near, far) = (Queue(label: "near"), Queue(label: "far"))
      let ended = Lock(0)
      let isPaused = Lock(false)
      near.async {
        _ = Stream.sequence(0..<100).doOn(disposed: { ended.withLock { $0 += 1 } }).observe(
          on: far, watermarks: Watermarks(high: 4)
        ) {
          stream, bag in
          var subscription: Subscription?
          subscription = stream.observeNext { _ in
            subscription?.pause()
            isPaused.withLock { $0 = true }
          }
          subscription?.dispose(in: bag)
        }
      }
      await untilTrue { isPaused.withLock { $0 } }
      near.shutdown()
      far.shutdown()
      #expect(ended.withLock { $0 } == 1)
    }
  }

  /// The bag of a far side is disposed when its loop closes. A crossing in the bag still delivers its backlog and its end.
  @Test
  func `what has been sent into a crossing inside the bag of another one arrives when the queue between them closes`() {
    for _ in 0..<Effort.rounds {
      let queues = (1...3).map { Queue(label: "queue \($0)") }
      let (sent, received, hasEnded) = (Lock(0), Lock(0), Lock(false))
      queues[0].async {
        _ = Stream.interval(.microseconds(10)).flatMap(.concat) { _ in .sequence(0..<4) }
          .observe(on: queues[1]) { stream, bag in
            stream.doOn(next: { _ in sent.withLock { $0 += 1 } }).observe(on: queues[2]) { stream, bag in
              stream.observe(
                next: { _ in received.withLock { $0 += 1 } }, termination: { _ in hasEnded.withLock { $0 = true } }
              ).dispose(in: bag)
            }.dispose(in: bag)
          }
      }
      while received.withLock({ $0 }) < 8 { sched_yield() }
      queues[1].shutdown()
      // All posted jobs run before the queue closes.
      queues[2].shutdown()
      queues[0].shutdown()
      #expect(hasEnded.withLock { $0 })
      #expect(received.withLock { $0 } == sent.withLock { $0 })
    }
  }

  @Test func `a crossing inside the bag of another one in the same loop sends what it has when that loop closes`() async
  {
    let (near, far) = (Queue(label: "near"), Queue(label: "far"))
    let (sent, received, hasEnded) = (Lock(0), Lock<[Int]>([]), Lock(false))
    near.async {
      _ = Stream.sequence(0..<4).concat(with: .never()).observe(on: near) { stream, bag in
        stream.doOn(next: { _ in sent.withLock { $0 += 1 } }).observe(on: far) { stream, bag in
          stream.observe(
            next: { number in received.withLock { $0.append(number) } },
            termination: { _ in hasEnded.withLock { $0 = true } }
          ).dispose(in: bag)
        }.dispose(in: bag)
      }
    }
    await untilTrue { sent.withLock { $0 } == 4 }
    near.shutdown()
    far.shutdown()
    #expect(received.withLock { $0 } == [0, 1, 2, 3])
    #expect(hasEnded.withLock { $0 })
  }

  @Test func `a Confined that another thread releases while its home is closing releases its value at home`() {
    let (home, other) = (Queue(label: "home"), Queue(label: "other"))
    let confined = Lock<Confined<Canary>?>(nil)
    let releasedAtHome = Lock<Bool?>(nil)
    home.async {
      confined.withLock { box in
        box = Confined(Canary { releasedAtHome.withLock { $0 = home.isIsolatingCurrentContext() == true } })
      }
      // The closure still runs while the queue closes.
      let timer = try? TimerHandle()
      timer?.onClosed { try? other.sync { _ = confined.withLock { $0.take() } } }
    }
    home.shutdown()
    other.shutdown()
    #expect(releasedAtHome.withLock { $0 } == true)
  }

  @Test func `a sender that an inlet has told to wait is told to go on when home closes, and is refused`() {
    let queue = Queue(label: "home")
    let inlet = Inlet<Int>(capacity: 4, whenFull: .dropNewest)
    let calls = Lock<[InletPressure]>([])
    inlet.onPressure(at: Watermarks(high: 2)) { pressure in calls.withLock { $0.append(pressure) } }
    try? queue.sync {
      let subscription = inlet.stream.observeNext { _ in }
      subscription.pause()
    }
    inlet.send(1)
    inlet.send(2)
    queue.shutdown()
    #expect(calls.withLock { $0 } == [.high, .low])
    #expect(!inlet.send(3))
  }

  @Test(arguments: 0..<3)
  func `an asynchronous sequence is released when its queue closes: paused, waiting, and while it sends`(_ kind: Int)
    async throws
  {
    for _ in 0..<Effort.rounds {
      let queue = Queue(label: "home")
      let (sequence, continuation) = AsyncStream.makeStream(of: Int.self)
      let released = Lock(false)
      let received = Lock(0)
      let kept = Lock<Box?>(nil)
      queue.async {
        let canary = Canary { released.withLock { $0 = true } }
        // The observer does not retain its own subscription.
        weak var subscription: Subscription?
        let made = Operation(sequence).observeNext { _ in
          received.withLock { $0 += 1 }
          withExtendedLifetime(canary) {}
          if kind == 0 { subscription?.pause() }
        }
        subscription = made
        let box = Box(made)
        kept.withLock { $0 = box }
      }
      let sender = Task.detached { for number in 0..<(kind == 2 ? 1_000 : 1) { continuation.yield(number) } }
      await untilTrue { received.withLock { $0 } > 0 }
      if kind != 2 { await sender.value }
      queue.shutdown()
      await sender.value
      kept.withLock { $0 = nil }
      continuation.finish()
      await untilTrue { released.withLock { $0 } }
      #expect(released.withLock { $0 })
    }
  }

  @Test func `no task of a closing queue runs while the queue's own thread still runs`() async {
    for round in 0..<Effort.rounds {
      let queue = Queue(label: "home")
      let sequence = Sequence()
      let strays = sequence.strays
      queue.async {
        _ = Operation<Int, Never>(sequence).observeNext { _ in sequence.count += 1 }
        // The closures still run while the queue closes.
        for _ in 0..<20 {
          if let timer = try? TimerHandle() { timer.onClosed { sequence.runOnThread() } }
        }
      }
      let waker = Task.detached { for _ in 0..<200 { sequence.wake() } }
      for _ in 0..<round % 20 { await Task.yield() }
      queue.shutdown()
      await waker.value
      sequence.wake()
      #expect(strays.withLock { $0 } == 0)
    }
  }

  /// A sequence that a queue's thread and a task of that queue use without a lock.
  private final class Sequence: AsyncSequence, AsyncIteratorProtocol, @unchecked Sendable {
    // Sendable, because `count` is used only on the queue. The test checks this, also under ThreadSanitizer.
    var count = 0
    let strays = Lock(0)
    private let waiter = Lock<UnsafeContinuation<Void, Never>?>(nil)
    private let isOnThread = Lock(false)

    func makeAsyncIterator() -> ClosingRaceTests.Sequence { self }

    func next() async -> Int? { await next(isolation: #isolation) }

    func next(isolation: isolated (any Actor)?) async -> Int? {
      await withTaskCancellationHandler {
        await withUnsafeContinuation(isolation: isolation) { continuation in
          let isCancelled = Task.isCancelled
          if !isCancelled { waiter.withLock { $0 = continuation } } else { continuation.resume() }
        }
      } onCancel: {
        wake()
      }
      if isOnThread.withLock({ $0 }) { strays.withLock { $0 += 1 } }
      count += 1
      return Task.isCancelled ? nil : count
    }

    func wake() { waiter.withLock { $0.take() }?.resume() }

    func runOnThread() {
      isOnThread.withLock { $0 = true }
      for _ in 0..<100 {
        count += 1
        wake()
      }
      isOnThread.withLock { $0 = false }
    }
  }
}

/// Carries an object that belongs to another queue.
private struct Box: @unchecked Sendable {
  // Sendable, because the content is used only on the queue that made it.
  let disposable: any Disposable

  init(_ disposable: any Disposable) { self.disposable = disposable }
}

/// Runs a closure when it is deallocated.
private final class Canary {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  deinit { body() }
}
