import Dispatch
import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

@Suite("Inlet", .noLiveResources)
struct InletTests {
  @Test func `what several threads send arrives at home, complete and in order for each sender`() async throws {
    let senders = 4
    let each = 10_000
    let inlet = Inlet<(sender: Int, number: Int)>(
      capacity: senders * each, whenFull: .dropNewest, keepsLoopAlive: false)
    let result = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var last = Array(repeating: -1, count: senders)
      var count = 0
      var disorder = 0
      let subscription = inlet.stream.observeNext { sender, number in
        if Loop.current !== loop || number != last[sender] + 1 { disorder += 1 }
        last[sender] = number
        count += 1
        if count == senders * each { loop.stop() }
      }
      let threads = (0..<senders).map { Queue(label: "sender \($0)") }
      for (sender, thread) in threads.enumerated() {
        thread.async { for number in 0..<each { inlet.send((sender, number)) } }
      }
      guardian.keepsLoopAlive = true
      loop.run()
      subscription.dispose()
      for thread in threads { thread.shutdown() }
      return (count, disorder)
    }
    #expect(result == (senders * each, 0))
    #expect(inlet.dropped == 0)
  }

  @Test func `what is accepted while home closes is delivered by the drain that is posted`() throws {
    let queue = Queue(label: "closing")
    let inlet = Inlet<Int>(capacity: 1, whenFull: .dropOldest, keepsLoopAlive: false)
    let received = Lock<[Int]>([])
    try queue.sync { _ = inlet.stream.observeNext { number in received.withLock { $0.append(number) } } }
    let gates = (0..<5).map { _ in DispatchSemaphore(value: 0) }
    queue.async {
      gates[0].signal()
      gates[1].wait()
    }
    gates[0].wait()
    queue.stop()
    // Runs after the job that ends the loop, together with it.
    queue.async {
      gates[0].signal()
      gates[2].wait()
    }
    gates[1].signal()
    gates[0].wait()
    // Runs when the loop has ended and refuses jobs, before the drain.
    queue.async {
      gates[3].signal()
      gates[4].wait()
    }
    #expect(inlet.send(1))
    gates[2].signal()
    gates[3].wait()
    #expect(!queue.async {})
    #expect(inlet.send(2))
    gates[4].signal()
    queue.shutdown()
    #expect(received.withLock { $0 } == [2])
    #expect(!inlet.send(3))
  }

  @Test(arguments: [(OverflowPolicy.dropOldest, [3, 4, 5]), (.dropNewest, [1, 2, 3])])
  func `a full buffer does what its policy says, and counts`(_ policy: OverflowPolicy, _ expected: [Int]) async throws {
    let received = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let inlet = Inlet<Int>(capacity: 3, whenFull: policy, keepsLoopAlive: false)
      let accepted = (1...5).map { inlet.send($0) }
      #expect(accepted == (policy == .dropOldest ? [true, true, true, true, true] : [true, true, true, false, false]))
      #expect(inlet.dropped == 2)
      var received: [Int] = []
      let subscription = inlet.stream.observeNext { received.append($0) }
      #expect(received == [], "never from inside of send or observe")
      loop.run()
      subscription.dispose()
      return received
    }
    #expect(received == expected)
  }

  @Test func `dropping the last Inlet completes its stream, after what was sent`() async throws {
    let events = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var events: [Event<Int, Never>] = []
      do {
        let inlet = Inlet<Int>(capacity: 8, whenFull: .dropNewest, keepsLoopAlive: false)
        _ = inlet.stream.observe { events.append($0) }
        inlet.send(1)
        inlet.send(2)
      }
      loop.run()
      return events
    }
    #expect(events == [.next(1), .next(2), .completed])
  }

  @Test func `finish completes the stream and refuses what comes later`() async throws {
    let inlet = Inlet<Int>(capacity: 8, whenFull: .dropNewest, keepsLoopAlive: false)
    let events = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var events: [Event<Int, Never>] = []
      _ = inlet.stream.observe { events.append($0) }
      inlet.send(1)
      inlet.finish()
      #expect(!inlet.send(2))
      loop.run()
      _ = inlet.stream.observe { events.append($0) }
      return events
    }
    #expect(events == [.next(1), .completed, .completed])
  }

  @Test func `after its home has shut down, send returns false and releases the element`() async throws {
    final class Witness: Sendable {}
    let inlet = Inlet<Witness>(capacity: 8, whenFull: .dropNewest, keepsLoopAlive: false)
    try await onOwnThread {
      let loop = Loop()
      let subscription = inlet.stream.observeNext { _ in }
      loop.shutdown()
      subscription.dispose()
    }
    weak let released: Witness?
    do {
      let witness = Witness()
      released = witness
      #expect(!inlet.send(witness))
    }
    #expect(released == nil)
    #expect(!inlet.send(Witness()))
  }

  @Test func `an element that is refused belongs to its sender: full, finished, or closed, an inlet disposes none`()
    async throws
  {
    let counter = ResourceCounter()
    let inlet = Inlet<Resource>(capacity: 1, whenFull: .dropNewest, keepsLoopAlive: false)
    try await onOwnThread {
      let loop = Loop()
      inlet.send(Resource(counter))
      let refused = Resource(counter)
      #expect(!inlet.send(refused))
      let subscription = inlet.stream.observeNext { $0.dispose() }
      loop.run()
      #expect(counter.count == 1 && !refused.isDisposed)
      loop.shutdown()
      #expect(!inlet.send(refused) && !refused.isDisposed)
      inlet.finish()
      #expect(!inlet.send(refused) && !refused.isDisposed)
      subscription.dispose()
    }
  }

  @Test func `observing it in a second home traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropNewest, keepsLoopAlive: false)
      let (one, two) = (Queue(label: "one"), Queue(label: "two"))
      try one.sync { _ = inlet.stream.observeNext { _ in } }
      try two.sync { _ = inlet.stream.observeNext { _ in } }
    }
    expect(result, says: "outside of the isolation domain in which it was first used")
  }

  @Test func `observing it on a thread that cannot receive elements traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        _ = Inlet<Int>(capacity: 8, whenFull: .dropNewest, isolation: nil).stream.observeNext { _ in }
      }
    }
    expect(result, says: "in the actor that created the Inlet")
  }

  @Test func `observing it in another actor than the one that made it traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      actor Maker {
        func make() -> Inlet<Int> { Inlet(capacity: 8, whenFull: .dropNewest) }
      }
      actor Other {
        func observe(_ inlet: Inlet<Int>) { _ = inlet.stream.observeNext { _ in } }
      }
      let maker = Maker()
      await Other().observe(maker.make())
      withExtendedLifetime(maker) {}
    }
    expect(result, says: "Incorrect actor executor assumption")
  }

  @Test func `an actor without a loop observes what other threads send`() async {
    actor Counter {
      var received: [Int] = []
      let bag = DisposeBag()
      private var waiter: CheckedContinuation<[Int], Never>?

      func start() -> Inlet<Int> {
        let inlet = Inlet<Int>(capacity: 1000, whenFull: .dropNewest, keepsLoopAlive: false)
        inlet.stream.observeNext(with: self) { me, value in me.receive(value) }.dispose(in: bag)
        return inlet
      }

      private func receive(_ value: Int) {
        received.append(value)
        if received.count == 500 { waiter.take()?.resume(returning: received) }
      }

      func all() async -> [Int] {
        if received.count == 500 { return received }
        return await withCheckedContinuation { waiter = $0 }
      }
    }
    let counter = Counter()
    let inlet = await counter.start()
    Task.detached { for number in 0..<500 { inlet.send(number) } }
    #expect(await counter.all() == Array(0..<500))
  }

  @Test func `an actor that keeps the Inlet it made is let go of`() async {
    actor Owner {
      private var inlet: Inlet<Int>?
      private let bag = DisposeBag()
      private var count = 0

      func start() {
        let inlet = Inlet<Int>(capacity: 8, whenFull: .dropNewest, keepsLoopAlive: false)
        inlet.stream.observeNext(with: self) { me, _ in me.count += 1 }.dispose(in: bag)
        self.inlet = inlet
      }
    }
    weak let released: Owner?
    do {
      let owner = Owner()
      released = owner
      await owner.start()
    }
    #expect(released == nil)
  }
}
