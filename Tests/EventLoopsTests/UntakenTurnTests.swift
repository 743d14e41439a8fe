import EventLoops
import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

/// Elements that own a resource and that are dropped while their sender still refers to them.
@Suite(.noLiveResources, .timeLimit(.minutes(15)))
struct UntakenTurnTests {
  @Test func `an element that is dropped inside of its own delivery is disposed of`() async throws {
    let counter = ResourceCounter()
    let queue = Queue(label: "home")
    let operators: [@Sendable (Stream<Resource>) -> Stream<Resource>] = [
      { $0.skipLast(1) }, { $0.skipLast(1).take(1) }, { $0.take(2).takeLast(2) },
    ]
    for apply in operators {
      try queue.sync {
        let push = PushStream<Resource>()
        let bag = DisposeBag()
        apply(push.toStream()).observeNext { resource in
          resource.dispose()
          bag.dispose()
        }.dispose(in: bag)
        for _ in 0..<3 { push.next(Resource(counter)) }
      }
    }
    // The last element of each operator had no observer: only the sender referred to it.
    try queue.sync {}
    #expect(counter.made == 9)
    #expect(counter.count == 3)
    queue.shutdown()
  }

  @Test func `values() disposes of what it refuses`() async throws {
    let counter = ResourceCounter()
    let queue = Queue(label: "home")
    try queue.sync {
      let push = PushStream<Resource>()
      let values = push.values(.bounded(2, .dropNewest)).makeAsyncIterator()
      for _ in 0..<10 { push.next(Resource(counter)) }
      withExtendedLifetime(values) {}
    }
    try queue.sync {}
    #expect(counter.count == 0)
    queue.shutdown()
  }

  @Test func `what is sent while its observer leaves is disposed of`() async throws {
    let counter = ResourceCounter()
    let (home, worker) = (Queue(label: "home"), Queue(label: "worker"))
    for round in 0..<min(Effort.cases, 2_000) {
      try home.sync {
        let operation = Stream<Resource>.execute(on: worker.context) { Resource(counter) }
        let subscription = operation.observeNext { $0.dispose() }
        for _ in 0..<round % 40 { _ = Queue.current }
        home.async { subscription.dispose() }
      }
    }
    try worker.sync {}
    await untilTrue { counter.count == 0 }
    #expect(counter.count == 0)
    home.shutdown()
    worker.shutdown()
  }

  @Test func `what waits for an object in another domain is disposed: with its binding, and if that domain has closed`()
    throws
  {
    final class Lamp: Sendable {}
    let (counter, lamp) = (ResourceCounter(), Lamp())
    let (home, far) = (Queue(label: "home"), Queue(label: "far"))
    let bind: @Sendable (_ count: Int, _ isDisposed: Bool) throws -> Void = { count, isDisposed in
      try home.sync {
        let push = PushStream<Resource>()
        let binding = push.bind(to: Binder(lamp, on: far.context) { _, resource in resource.dispose() })
        for _ in 0..<count { push.next(Resource(counter)) }
        if isDisposed { binding.dispose() }
      }
    }
    // The elements wait, because the other queue is in this call.
    try far.sync { try bind(2, true) }
    try far.sync {}
    #expect(counter.made == 2 && counter.count == 0)
    far.shutdown()
    // The refused element ends the binding.
    try bind(1, false)
    try home.sync {}
    #expect(counter.made == 3 && counter.count == 0)
    home.shutdown()
  }

  @Test func `what waits for an object of the main actor is disposed with its binding, and if the object has gone`()
    async
  {
    final class Lamp: Sendable {}
    let counter = ResourceCounter()
    await MainActor.run {
      // The elements wait until the main actor has left this closure.
      let push = PushStream<Resource>()
      let lamp = Lamp()
      let binding = push.bind(to: Binder(main: lamp) { _, resource in resource.dispose() })
      for _ in 0..<2 { push.next(Resource(counter)) }
      binding.dispose()
      push.bind(to: Binder(main: Lamp()) { _, resource in resource.dispose() })
      var another: Lamp? = Lamp()
      push.bind(to: Binder(main: another!) { _, resource in resource.dispose() })
      for _ in 0..<2 { push.next(Resource(counter)) }
      another = nil
      #expect(counter.made == 4 && counter.count == 4)
      withExtendedLifetime(lamp) {}
    }
    await untilTrue { counter.count == 0 }
    #expect(counter.count == 0)
  }

  @Test func `what operators and inlets hold is disposed when their queue closes`() throws {
    let counter = ResourceCounter()
    let queue = Queue(label: "home")
    let inlet = Inlet<Resource>(capacity: 10, whenFull: .dropNewest, keepsLoopAlive: false)
    try queue.sync {
      let operators: [(Stream<Resource>) -> Stream<Void>] = [
        { $0.delay(for: .seconds(3_600)).map { $0.dispose() } },
        { $0.debounce(for: .seconds(3_600)).map { $0.dispose() } },
        { $0.throttle(for: .seconds(3_600), latest: true).map { $0.dispose() } },
        { $0.sample(for: .seconds(3_600)).map { $0.dispose() } }, { $0.collect().map { _ in } },
        { $0.skipLast(5).map { $0.dispose() } }, { $0.takeLast(5).map { $0.dispose() } },
        { $0.buffer(10).map { _ in } },
      ]
      for apply in operators {
        let source = Stream<Resource> { observer in
          for _ in 0..<3 { observer.next(Resource(counter)) }
          return BlockDisposable {}
        }
        _ = apply(source).observeNext { _ in }
      }
      inlet.stream.observeNext { $0.dispose() }.pause()
    }
    for _ in 0..<3 { inlet.send(Resource(counter)) }
    #expect(counter.made == 27 && counter.count > 0)
    queue.shutdown()
    #expect(counter.count == 0)
  }
}
