import EventLoops
import Streams
import StreamsTesting
import TestSupport
import Testing

/// `observe(on: queue) { stream, bag in … }`: the source on one queue, and its consumer on another.
@Suite(.noLiveResources, .timeLimit(.minutes(15)))
struct CrossingTests {
  let near = Queue(label: "near")
  let far = Queue(label: "far")

  private func close() {
    near.shutdown()
    far.shutdown()
  }

  /// The events that the far side has received.
  private final class Seen: Sendable {
    let events = Lock<[Event<Int, TestError>]>([])
    let strays = Lock(0)

    func append(_ event: Event<Int, TestError>, on queue: Queue) {
      events.withLock { $0.append(event) }
      if Queue.current !== queue { strays.withLock { $0 += 1 } }
    }

    var count: Int { events.withLock { $0.count } }

    func wait(for count: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
      let deadline = ContinuousClock.now + .seconds(840)
      while self.count < count, ContinuousClock.now < deadline { await Task.yield() }
      #expect(self.count >= count, sourceLocation: sourceLocation)
    }
  }

  @Test func `elements and the end arrive on the other queue, in order`() async throws {
    let seen = Seen()
    let far = far
    let bag = try await onOwnThread { [near] in
      try near.sync {
        let bag = DisposeBag()
        Operation<Int, TestError>.sequence(0..<10_000).concat(with: Operation<Int, TestError>.failed("end"))
          .observe(on: far) { stream, bag in
            stream.observe { seen.append($0, on: far) }.dispose(in: bag)
          }.dispose(in: bag)
        return Confined(bag)
      }
    }
    await seen.wait(for: 10_001)
    #expect(seen.events.withLock { $0 } == (0..<10_000).map { .next($0) } + [.failed("end")])
    #expect(seen.strays.withLock { $0 } == 0)
    bag.async { $0.dispose() }
    close()
  }

  @Test func `an element that the other queue refuses is disposed of`() async throws {
    let counter = ResourceCounter()
    let far = far
    try await onOwnThread { [near] in
      try near.sync {
        var send: (() -> Void)?
        let source = Stream<Resource> { observer in
          send = {
            let resource = Resource(counter)
            observer.next(resource)
            withExtendedLifetime(resource) {}
          }
          return .none
        }
        let crossing = source.observe(on: far) { stream, bag in stream.observeNext { _ in }.dispose(in: bag) }
        far.shutdown()
        send?()
        withExtendedLifetime(crossing) {}
      }
      try near.sync {}
    }
    await untilTrue { counter.made == 1 && counter.count == 0 }
    #expect(counter.made == 1 && counter.count == 0)
    near.shutdown()
  }

  @Test func `an element that is dropped over there while the call that sends it goes on is disposed of`() async throws
  {
    let counter = ResourceCounter()
    let far = far
    try await onOwnThread { [near] in
      try near.sync {
        let source = Stream<Resource> { observer in
          let resource = Resource(counter)
          observer.next(resource)
          // The far side releases the element while this closure still refers to it.
          for _ in 0..<3 { try? far.sync {} }
          withExtendedLifetime(resource) {}
          observer.completed()
          return .none
        }
        _ = source.observe(on: far) { stream, _ in stream.observeNext { _ in }.dispose() }
      }
      try near.sync {}
    }
    await untilTrue { counter.made == 1 && counter.count == 0 }
    #expect(counter.made == 1 && counter.count == 0)
    close()
  }

  @Test func `a source that can wait is paused between the marks`() async throws {
    let seen = Seen()
    let (far, taken) = (far, Lock(0))
    // The far queue is busy until the source has been observed.
    let gate = Lock(())
    let reports = captureDiagnostics {
      gate.withLock { _ in
        far.async { gate.withLock { _ in } }
        near.async {
          _ = Operation<Int, TestError>.sequence(0..<1_000).doOn(next: { _ in taken.withLock { $0 += 1 } })
            .observe(on: far, watermarks: Watermarks(high: 16)) { stream, bag in
              stream.observe { seen.append($0, on: far) }.dispose(in: bag)
            }
        }
        // When the near queue returns from this, it has observed the source.
        try? near.sync {}
        #expect(taken.withLock { $0 } <= 17)
      }
    }
    await seen.wait(for: 1_001)
    #expect(seen.events.withLock { $0 }.compactMap(\.element) == Array(0..<1_000))
    #expect(reports.isEmpty)
    close()
  }

  @Test func `while all observers over there pause, the source does`() async throws {
    let seen = Seen()
    let (far, taken) = (far, Lock(0))
    let paused = Lock<Confined<Subscription>?>(nil)
    near.async {
      // Releasing the returned subscription does not end the observation.
      _ = Operation<Int, TestError>.sequence(0..<1_000).doOn(next: { _ in taken.withLock { $0 += 1 } })
        .observe(on: far, watermarks: Watermarks(high: 16)) { stream, bag in
          let subscription = stream.observe { seen.append($0, on: far) }
          subscription.pause()
          subscription.dispose(in: bag)
          paused.withLock { $0 = Confined(subscription) }
        }
    }
    try await onOwnThread { [near] in
      try near.sync {}
      try far.sync {}
      try near.sync {}
    }
    // The backlog, and the batch in which the observers paused.
    #expect(taken.withLock { $0 } <= 33)
    #expect(seen.count == 0)
    paused.withLock { $0.take() }?.async { $0.resume() }
    await seen.wait(for: 1_001)
    #expect(seen.events.withLock { $0 }.count == 1_001)
    close()
  }

  @Test func `a source that goes without an end completes over there, after what waits`() async throws {
    let (seen, far) = (Seen(), far)
    let crossing = try await onOwnThread { [near] in
      try near.sync {
        let source = PushOperation<Int, TestError>()
        let crossing = source.observe(on: far, watermarks: Watermarks(high: 4)) { stream, bag in
          stream.observe { seen.append($0, on: far) }.dispose(in: bag)
        }
        for number in 0..<20 { source.next(number) }
        return Confined(crossing)
      }
    }
    await seen.wait(for: 21)
    #expect(seen.events.withLock { $0 } == (0..<20).map { .next($0) } + [.completed])
    crossing.async { #expect($0.isDisposed) }
    try await onOwnThread { [near] in try near.sync {} }
    close()
  }

  @Test func `disposing ends the source here and the bag there`() async throws {
    let (far, sourceEnded, bagEnded) = (far, Lock(false), Lock<Queue?>(nil))
    try await onOwnThread { [near] in
      try near.sync {
        let source = Operation<Int, Never> { _ in BlockDisposable { sourceEnded.withLock { $0 = true } } }
        let crossing = source.observe(on: far) { stream, bag in
          stream.observeNext { _ in }.dispose(in: bag)
          bag.add(BlockDisposable { bagEnded.withLock { $0 = Queue.current } })
        }
        crossing.dispose()
        #expect(crossing.isDisposed)
        #expect(sourceEnded.withLock { $0 })
      }
      try far.sync {}
    }
    #expect(bagEnded.withLock { $0 } === far)
    close()
  }

  @Test func `the bag over there goes after the end`() async throws {
    let (far, bagEnded) = (far, Lock(false))
    let isDisposed = try await onOwnThread { [near] in
      let crossing = try near.sync {
        let crossing = Stream.just(1).observe(on: far) { stream, bag in
          stream.observeNext { _ in }.dispose(in: bag)
          bag.add(BlockDisposable { bagEnded.withLock { $0 = true } })
        }
        return Confined(crossing)
      }
      // One round trip each for the end, for the bag, and for the notification of the near side.
      try far.sync {}
      try far.sync {}
      try far.sync {}
      let isDisposed = Lock(false)
      crossing.async { crossing in isDisposed.withLock { $0 = crossing.isDisposed } }
      try near.sync {}
      return isDisposed.withLock { $0 }
    }
    #expect(bagEnded.withLock { $0 })
    #expect(isDisposed)
    close()
  }

  @Test func `a queue that has closed ends the source`() async throws {
    far.shutdown()
    let (far, starts) = (far, Lock(0))
    try await onOwnThread { [near] in
      try near.sync {
        let source = Operation<Int, Never> { _ in
          starts.withLock { $0 += 1 }
          return .none
        }
        let crossing = source.observe(on: far) { _, _ in Issue.record("ran on a closed queue") }
        #expect(crossing.isDisposed)
      }
    }
    #expect(starts.withLock { $0 } == 0)
    near.shutdown()
  }

  @Test func `a queue that closes ends a source that goes on`() async throws {
    let (far, ended) = (far, Lock(false))
    try await onOwnThread { [near] in
      let push = try near.sync {
        let push = PushStream<Int>()
        let source = push.doOn(disposed: { ended.withLock { $0 = true } })
        let bag = DisposeBag()
        source.observe(on: far) { stream, bag in stream.observeNext { _ in }.dispose(in: bag) }.dispose(in: bag)
        return Confined((push, bag))
      }
      try far.sync {}
      far.shutdown()
      push.async { $0.0.next(1) }
      push.async { $0.0.next(2) }
      try near.sync {}
    }
    #expect(ended.withLock { $0 })
    near.shutdown()
  }

  @Test func `a source that goes without an end completes over there`() async throws {
    let seen = Seen()
    let far = far
    near.async {
      let push = PushOperation<Int, TestError>()
      _ = push.observe(on: far) { stream, bag in stream.observe { seen.append($0, on: far) }.dispose(in: bag) }
      push.next(1)
    }
    await seen.wait(for: 2)
    #expect(seen.events.withLock { $0 } == [.next(1), .completed])
    close()
  }

  @Test func `disposing drops what waits, and delivers no end`() async throws {
    let (far, seen) = (far, Seen())
    try await onOwnThread { [near] in
      for round in 1...100 {
        // The far queue is busy, so that all elements are pending.
        let gate = Lock(())
        gate.withLock { _ in
          far.async { gate.withLock { _ in } }
          near.async {
            let push = PushOperation<Int, TestError>()
            let crossing = push.observe(on: far, watermarks: Watermarks(high: 128)) { stream, bag in
              stream.observe { seen.append($0, on: far) }.dispose(in: bag)
            }
            for number in 0..<round { push.next(number) }
            crossing.dispose()
            push.next(-1)
          }
          try? near.sync {}
        }
        try far.sync {}
      }
      try near.sync {}
      try far.sync {}
    }
    #expect(seen.events.withLock { $0 } == [])
    close()
  }

  @Test func `the bag over there goes after the end, also when nobody observes it any more`() async throws {
    let (far, bagEnded) = (far, Lock(0))
    near.async {
      let push = PushStream<Int>()
      _ = push.observe(on: far) { stream, bag in
        bag.add(BlockDisposable { bagEnded.withLock { $0 += 1 } })
        stream.take(1).observeNext { _ in }.dispose(in: bag)
      }
      _ = push.observe(on: far) { _, bag in bag.add(BlockDisposable { bagEnded.withLock { $0 += 1 } }) }
      push.next(1)
      push.next(2)
      push.completed()
    }
    let deadline = ContinuousClock.now + .seconds(840)
    while bagEnded.withLock({ $0 }) < 2, ContinuousClock.now < deadline { await Task.yield() }
    #expect(bagEnded.withLock { $0 } == 2)
    close()
  }
}
