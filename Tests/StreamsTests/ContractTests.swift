import Streams
import StreamsTesting
import Testing

/// The contracts of streams, one by one. The names of the tests state them.
@Suite("Contracts of all operators", .noLiveResources) struct ContractTests {
  let scheduler = VirtualScheduler()

  /// Whether a subscription has received elements, and then at most one end.
  private func isGrammatical(_ events: [Event<Int, TestError>]) -> Bool {
    !events.dropLast().contains { $0.isTermination }
  }

  // MARK: 1

  @Test(arguments: OperatorCase.all)
  func `1 nothing after the terminal event`(_ tested: OperatorCase) {
    for end in [Termination<TestError>.completed, .failed("end")] {
      let probe = Probe<TestError>()
      let recorder = tested.apply(probe.stream).record(on: scheduler)
      probe.next(1)
      probe.terminate(end)
      scheduler.run()
      let count = recorder.events.count
      probe.next(2)
      probe.terminate(.completed)
      probe.terminate(.failed("late"))
      scheduler.run()
      #expect(recorder.events.count == count)
      #expect(isGrammatical(recorder.events))
      #expect(recorder.termination == end)
      #expect(recorder.subscription.isDisposed)
    }
  }

  @Test(arguments: OperatorCase.all)
  func `1 nothing after dispose`(_ tested: OperatorCase) {
    let probe = Probe<TestError>()
    let recorder = tested.apply(probe.stream).record(on: scheduler)
    probe.next(1)
    probe.next(2)
    recorder.dispose()
    let count = recorder.events.count
    probe.next(3)
    probe.terminate(.failed("late"))
    scheduler.run()
    #expect(recorder.events.count == count)
    #expect(scheduler.pendingCount == 0)
    recorder.dispose()
    #expect(probe.disposals == 1)
  }

  @Test(arguments: OperatorCase.immediate)
  func `1 nothing after dispose from inside a delivery`(_ tested: OperatorCase) {
    let push = PushOperation<Int, TestError>()
    let serial = SerialDisposable()
    var elements: [Int] = []
    var hasEnded = false
    scheduler.run {
      serial.inner = tested.apply(push.toOperation()).observe(
        next: {
          elements.append($0)
          if $0 == 2 {
            push.next(3)
            serial.dispose()
            push.next(4)
          }
        }, termination: { _ in hasEnded = true })
    }
    for element in 1...5 { push.next(element) }
    push.completed()
    #expect(elements == tested.leading + [1, 2])
    #expect(!hasEnded)
    #expect(push.observerCount == 0)
  }

  // MARK: 2

  @Test(arguments: OperatorCase.all)
  func `2 the producer of a cold stream runs once for each observer`(_ tested: OperatorCase) {
    let probe = Probe<TestError>()
    let stream = tested.apply(probe.stream)
    #expect(probe.starts == 0)
    let first = stream.record(on: scheduler)
    #expect(probe.starts == 1)
    first.dispose()
    let second = stream.record(on: scheduler)
    #expect(probe.starts == (tested.runsOnce ? 1 : 2))
    second.dispose()
  }

  @Test(arguments: OperatorCase.all)
  func `2 its disposable is disposed exactly once on termination or on cancellation`(_ tested: OperatorCase) {
    for end in [Termination<TestError>.completed, .failed("end"), nil] {
      let probe = Probe<TestError>()
      let recorder = tested.apply(probe.stream).record(on: scheduler)
      probe.next(1)
      #expect(probe.disposals == 0)
      if let end { probe.terminate(end) } else { recorder.dispose() }
      scheduler.run()
      #expect(probe.disposals == 1)
      recorder.dispose()
      #expect(probe.disposals == 1)
    }
  }

  @Test(arguments: OperatorCase.all)
  func `2 its disposable is disposed once also when it terminates before returning it`(_ tested: OperatorCase) {
    for end in [Termination<TestError>.completed, .failed("end")] {
      let probe = Probe<TestError>()
      probe.atStart = {
        $0.next(1)
        $0.terminate(end)
      }
      let recorder = tested.apply(probe.stream).record(on: scheduler)
      scheduler.run()
      #expect(probe.disposals == 1)
      #expect(recorder.termination == end)
      recorder.dispose()
      #expect(probe.disposals == 1)
    }
  }

  @Test(arguments: OperatorCase.immediate)
  func `2 and when the observer has had enough before the producer returns`(_ tested: OperatorCase) {
    let probe = Probe<TestError>()
    probe.atStart = { observer in for element in 1...10 { observer.next(element) } }
    let recorder = tested.apply(probe.stream).take(2).record(on: scheduler)
    #expect(recorder.elements == Array((tested.leading + [1, 2]).prefix(2)))
    #expect(recorder.isCompleted)
    #expect(probe.disposals == 1)
  }

  // MARK: 3

  @Test(arguments: OperatorCase.immediate)
  func `3 a source that emits synchronously stops when its observer has been disposed`(_ tested: OperatorCase) {
    let recorder = tested.apply(.sequence(1...)).take(3).record(on: scheduler)
    #expect(recorder.elements == Array((tested.leading + [1, 2, 3]).prefix(3)))
    #expect(recorder.isCompleted)
  }

  // MARK: 5

  @Test(arguments: OperatorCase.immediate)
  func `5 an element sent from inside a delivery is queued and delivered after the current one`(
    _ tested: OperatorCase
  ) {
    let push = PushOperation<Int, TestError>()
    var log: [Int] = []
    var depth = 0
    let observe = {
      tested.apply(push.toOperation()).observe(
        next: {
          depth += 1
          #expect(depth == 1)
          log.append($0)
          if $0 == 1 {
            push.next(2)
            push.next(3)
            push.completed()
            push.next(4)
          }
          depth -= 1
        },
        termination: { _ in
          #expect(depth == 0)
          log.append(-1)
        })
    }
    let subscription = scheduler.run(observe)
    push.next(1)
    #expect(log == tested.leading + [1, 2, 3, -1])
    #expect(subscription.isDisposed)
  }

  // MARK: 6

  @Test(arguments: OperatorCase.all)
  func `6 the terminal event releases the producer, the observers and what they captured`(_ tested: OperatorCase) {
    for end in [Termination<TestError>.completed, .failed("end"), nil] {
      let push = PushOperation<Int, TestError>()
      weak var producer: Canary?
      weak var observer: Canary?
      var subscription: Subscription?
      do {
        let inProducer = Canary()
        let inObserver = Canary()
        producer = inProducer
        observer = inObserver
        let source = Source { sink in
          let inner = push.observe { sink.send($0) }
          return BlockDisposable {
            _ = inProducer
            inner.dispose()
          }
        }
        subscription = scheduler.run { tested.apply(source).observe { _ in _ = inObserver } }
      }
      push.next(1)
      #expect(producer != nil && observer != nil)
      if let end { push.terminate(end) } else { subscription?.dispose() }
      scheduler.run()
      #expect(producer == nil)
      #expect(observer == nil)
      #expect(subscription?.isDisposed == true)
    }
  }

  // An observer that starts the same source again at its end must not find the old run still open.
  @Test(arguments: OperatorCase.all)
  func `6 the disposable of a source is disposed before the observer receives the end`(_ tested: OperatorCase) {
    for end in [Termination<TestError>.completed, .failed("end")] {
      let probe = Probe<TestError>()
      var disposalsAtEnd: Int?
      let subscription = scheduler.run {
        tested.apply(probe.stream).observe(next: { _ in }, termination: { _ in disposalsAtEnd = probe.disposals })
      }
      probe.next(1)
      probe.terminate(end)
      scheduler.run()
      #expect(disposalsAtEnd == 1)
      subscription.dispose()
    }
  }

  @Test(arguments: OperatorCase.all.filter { !$0.holdsSource })
  func `6 a hot stream that goes without an end leaves nothing behind`(_ tested: OperatorCase) {
    weak var observer: Canary?
    do {
      let inObserver = Canary()
      observer = inObserver
      let push = PushOperation<Int, TestError>()
      _ = scheduler.run { tested.apply(push.toOperation()).observe { _ in _ = inObserver } }
      push.next(1)
    }
    scheduler.run()
    #expect(observer == nil)
  }

  // MARK: 8

  @Test(arguments: OperatorCase.all)
  func `8 a failure is delivered at once`(_ tested: OperatorCase) {
    let probe = Probe<TestError>()
    let recorder = tested.apply(probe.stream).record(on: scheduler)
    probe.next(1)
    probe.next(2)
    let count = recorder.elements.count
    probe.terminate(.failed("at once"))
    #expect(recorder.failure == "at once")
    #expect(recorder.elements.count == count)
    #expect(recorder.terminationTime == .zero)
    #expect(scheduler.pendingCount == 0)
  }

  // MARK: Flow control

  @Test(arguments: OperatorCase.all)
  func `pause and resume reach the source`(_ tested: OperatorCase) {
    let probe = Probe<TestError>()
    let recorder = tested.apply(probe.stream).record(on: scheduler)
    recorder.pause()
    recorder.pause()
    #expect(probe.pauses == 1)
    #expect(probe.observers[0].isPaused)
    recorder.resume()
    recorder.resume()
    #expect(probe.resumes == 1)
    #expect(!probe.observers[0].isPaused)
    recorder.dispose()
    recorder.pause()
    #expect(probe.pauses == 1)
  }

  @Test(arguments: OperatorCase.immediate)
  func `a synchronous source stops while its observer pauses and goes on when it resumes`(_ tested: OperatorCase) {
    let push = PushOperation<Int, TestError>()
    let numbers = push.flatMap(.concat) { _ in Source.sequence(1...6) }
    var elements: [Int] = []
    var subscription: Subscription?
    scheduler.run {
      subscription = tested.apply(numbers).observeNext {
        elements.append($0)
        if $0 == 2 || $0 == 4 { subscription?.pause() }
      }
    }
    push.next(0)
    #expect(elements == tested.leading + [1, 2])
    subscription?.resume()
    #expect(elements == tested.leading + [1, 2, 3, 4])
    subscription?.resume()
    #expect(elements == tested.leading + [1, 2, 3, 4, 5, 6])
    subscription?.dispose()
    subscription = nil
  }

  /// Whether an observer that pauses before it observes `stream` receives the element 1.
  private func arrivesDuringPause(_ stream: Source) -> Bool {
    let outer = PushOperation<Int, TestError>()
    let recorder = outer.flatMap(.merge) { _ in stream }.record()
    recorder.pause()
    outer.next(0)
    defer { recorder.dispose() }
    return recorder.elements == [1]
  }

  @Test func `elements that are emitted when a stream is observed arrive although the observer pauses`() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 1)
    subject.next(1)
    for stream in [.just(1), .never().start(with: 1), .never().scan(1) { $1 }, subject.toOperation()] as [Source] {
      #expect(arrivesDuringPause(stream))
    }
    let push = PushOperation<Int, TestError>()
    var groups: [Source] = []
    let subscription = push.groupBy { $0 }.observe { if case .next(let group) = $0 { groups.append(group.elements) } }
    push.next(1)
    #expect(arrivesDuringPause(groups[0]))
    subscription.dispose()
    let sharings: [(Source) -> Source] = [
      { $0.replay(1).refCount() }, { $0.replayLazily(1) }, { $0.shareReplay(1) },
    ]
    for share in sharings {
      let probe = Probe<TestError>()
      let shared = share(probe.stream)
      let first = shared.record()
      probe.next(1)
      #expect(arrivesDuringPause(shared))
      probe.terminate(.completed)
      #expect(first.isCompleted)
    }
  }

  @Test func `elements that are emitted when the source ends arrive although the observer pauses`() {
    let ways: [(end: Termination<TestError>, apply: (Source) -> Source)] = [
      (.completed, { $0.takeLast(2) }), (.completed, { $0.last() }), (.completed, { $0.reduce(0, +) }),
      (.completed, { $0.collect().map { $0[0] } }), (.completed, { $0.single(orFail: "not one") }),
      (.completed, { $0.filter { _ in false }.defaultIfEmpty(1) }),
      (.completed, { $0.buffer(2, emitPartial: true).map { $0[0] } }),
      (.completed, { $0.window(2, emitPartial: true).map { _ in 1 } }),
      (.completed, { $0.ignoreElements().materialize().map { _ in 1 }.setFailureType(to: TestError.self) }),
      (.failed("end"), { $0.ignoreElements().materialize().map { _ in 1 }.setFailureType(to: TestError.self) }),
      (.failed("end"), { $0.ignoreElements().recover(with: 1).setFailureType(to: TestError.self) }),
      (.failed("end"), { $0.failures().map { _ in 1 }.setFailureType(to: TestError.self) }),
    ]
    for (index, way) in ways.enumerated() {
      let probe = Probe<TestError>()
      let recorder = way.apply(probe.stream).record()
      probe.next(1)
      recorder.pause()
      #expect(recorder.events.isEmpty, "way \(index)")
      probe.terminate(way.end)
      #expect(recorder.events == [.next(1), .completed], "way \(index)")
    }
  }
}
