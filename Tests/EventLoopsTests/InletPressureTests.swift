import Streams
import StreamsTesting
import Testing

@testable import EventLoops

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Inlet: waiting", .noLiveResources)
struct InletPressureTests {
  @Test func `a home that closes while its observers pause refuses what is sent, sooner or later`() async throws {
    let queue = Queue(label: "closing")
    let inlet = Inlet<Int>(capacity: 4, whenFull: .dropOldest, keepsLoopAlive: false)
    let bag = try await onOwnThread {
      try queue.sync {
        let bag = DisposeBag()
        let subscription = inlet.stream.observeNext { _ in }
        subscription.pause()
        subscription.dispose(in: bag)
        return Confined(bag)
      }
    }
    inlet.send(0)
    try await onOwnThread { try queue.sync {} }
    queue.shutdown()
    var refused = false
    for number in 0..<100 where !refused { refused = !inlet.send(number) }
    #expect(refused)
    withExtendedLifetime(bag) {}
  }

  @Test
  func `while all observers pause, what is sent waits in the buffer; then it comes, in order, with the end after it`()
    async throws
  {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropNewest, keepsLoopAlive: false)
      let one = inlet.stream.record()
      let two = inlet.stream.record()
      one.pause()
      inlet.send(1)
      loop.run()
      #expect(two.elements == [1], "one of two pauses: nothing waits")
      #expect(one.elements == [1], "an observer alone cannot hold a stream that others observe")
      two.pause()
      for value in 2...4 { inlet.send(value) }
      inlet.finish()
      loop.run()
      #expect(two.elements == [1])
      two.resume()
      #expect(two.elements == [1], "never from inside of resume")
      loop.run()
      #expect(two.events == [.next(1), .next(2), .next(3), .next(4), .completed])
    }
  }

  @Test
  func
    `an observer that pauses in the middle of a batch gets the rest of it after it has resumed, before newer elements`()
    async throws
  {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let inlet = Inlet<Int>(capacity: 4, whenFull: .dropNewest, keepsLoopAlive: false)
      var received: [Int] = []
      let subscription = SerialDisposable()
      subscription.inner = inlet.stream.observeNext { value in
        received.append(value)
        if value == 2 { subscription.pause() }
      }
      for value in 1...4 { inlet.send(value) }
      loop.run()
      #expect(received == [1, 2])
      for value in 5...9 { inlet.send(value) }
      loop.run()
      #expect(received == [1, 2])
      #expect(inlet.dropped == 1, "the buffer is bounded while it waits, too")
      subscription.resume()
      loop.run()
      #expect(received == [1, 2, 3, 4, 5, 6, 7, 8])
      subscription.dispose()
    }
  }

  @Test func `the end waits, too, for an observer that pauses at the last element`() async throws {
    try await withLoop { loop, _ in
      let inlet = Inlet<Int>(capacity: 3, whenFull: .dropNewest)
      var events: [Event<Int, Never>] = []
      var subscription: Subscription?
      subscription = inlet.stream.observe {
        events.append($0)
        if $0 == .next(1) {
          subscription?.pause()
          _ = loop.scheduler.schedule(after: .zero) { loop.stop() }
        }
      }
      inlet.send(1)
      inlet.finish()
      loop.run()
      #expect(events == [.next(1)])
      subscription?.resume()
      loop.run()
      #expect(events == [.next(1), .completed])
    }
  }

  @Test func `disposing of the one that pauses lets the others go on`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let inlet = Inlet<Int>(capacity: 4, whenFull: .dropNewest, keepsLoopAlive: false)
      let one = inlet.stream.record()
      one.pause()
      inlet.send(1)
      loop.run()
      #expect(one.elements == [])
      let two = inlet.stream.record()
      one.dispose()
      loop.run()
      #expect(two.elements == [1])
      two.dispose()
    }
  }

  @Test
  func `a sender is told once at the high mark, and once when what waited has been delivered down to the low mark`()
    async throws
  {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropNewest, keepsLoopAlive: false)
      let told = Lock<[InletPressure]>([])
      inlet.onPressure(at: Watermarks(high: 4, low: 1)) { pressure in told.withLock { $0.append(pressure) } }
      var atDelivery: [Int] = []
      let subscription = inlet.stream.observeNext { _ in atDelivery.append(told.withLock { $0.count }) }
      for value in 1...3 { inlet.send(value) }
      #expect(told.withLock { $0 } == [])
      inlet.send(4)
      #expect(told.withLock { $0 } == [.high], "before send returns")
      inlet.send(5)
      loop.run()
      #expect(told.withLock { $0 } == [.high, .low])
      #expect(atDelivery == [1, 1, 1, 1, 1], "low comes after the last of them has been delivered")
      for value in 1...4 { inlet.send(value) }
      #expect(told.withLock { $0 } == [.high, .low, .high])
      loop.run()
      inlet.finish()
      loop.run()
      #expect(told.withLock { $0 } == [.high, .low, .high, .low])
      subscription.dispose()
    }
  }

  @Test func `paused observers let the pressure rise; it falls when they have resumed`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let inlet = Inlet<Int>(capacity: 4, whenFull: .dropNewest, keepsLoopAlive: false)
      let told = Lock<[InletPressure]>([])
      inlet.onPressure { pressure in told.withLock { $0.append(pressure) } }
      let recorder = inlet.stream.record()
      recorder.pause()
      inlet.send(1)
      loop.run()
      inlet.send(2)
      loop.run()
      #expect(told.withLock { $0 } == [.high])
      recorder.resume()
      loop.run()
      #expect(told.withLock { $0 } == [.high, .low])
      #expect(recorder.elements == [1, 2])
      recorder.dispose()
    }
  }

  @Test(arguments: [1, 3])
  func `senders that wait between the marks and keep what is refused lose nothing, whatever the speeds`(_ senders: Int)
    async throws
  {
    let rounds = 50
    let each = 50
    let lost = try await onOwnThread {
      var lost = 0
      for _ in 0..<rounds {
        let loop = Loop()
        let guardian = deadline(loop)
        let inlet = Inlet<Int>(capacity: 8, whenFull: .dropNewest, keepsLoopAlive: false)
        let isHigh = Lock(false)
        inlet.onPressure(at: Watermarks(high: 8, low: 2)) { pressure in isHigh.withLock { $0 = pressure == .high } }
        var received = 0
        let subscription = inlet.stream.observeNext { _ in
          received += 1
          if received == senders * each { loop.stop() }
        }
        let threads = (0..<senders).map { Queue(label: "sender \($0)") }
        for thread in threads {
          thread.async {
            var sent = 0
            while sent < each {
              if isHigh.withLock({ $0 }) {
                pauseBriefly()
              } else if inlet.send(sent) {
                sent += 1
              }
            }
          }
        }
        guardian.keepsLoopAlive = true
        loop.run()
        lost += senders * each - received
        subscription.dispose()
        for thread in threads { thread.shutdown() }
        loop.shutdown()
      }
      return lost
    }
    #expect(lost == 0)
  }

  @Test func `a high watermark above the capacity traps with both numbers`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Inlet<Int>(capacity: 4, whenFull: .dropNewest, keepsLoopAlive: false).onPressure(at: Watermarks(high: 5)) { _ in }
    }
    expect(result, says: "at most its capacity: 5 is more than 4")
  }
}

/// Yields the processor to other threads.
private func pauseBriefly() {
  sched_yield()
}
