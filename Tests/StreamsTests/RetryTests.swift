import Streams
import StreamsTesting
import Testing

/// Observing again, and events as elements.
@Suite(.noLiveResources) struct RetryTests {
  let probe = Probe<TestError>()
  let failing = Source.just(1).concat(with: Source.failed("end"))

  // MARK: retry

  @Test func `retry observes anew at most so many times, then passes the failure`() {
    #expect(failing.retry(2).record().events == [.next(1), .next(1), .next(1), .failed("end")])
    #expect(failing.retry(0).record().events == [.next(1), .failed("end")])
    #expect(Source.just(1).retry(3).record().events == [.next(1), .completed])
  }

  @Test func `retry goes on after a failure that follows an element`() {
    let recorder = probe.stream.retry(1).record()
    probe.observers[0].next(1)
    probe.observers[0].failed("first")
    #expect(probe.starts == 2)
    #expect(probe.disposals == 1)
    probe.observers[0].next(9)
    probe.observers[1].next(2)
    probe.observers[1].failed("second")
    #expect(recorder.events == [.next(1), .next(2), .failed("second")])
    #expect(probe.disposals == 2)
  }

  @Test func `7 very many synchronous attempts do not overflow the stack`() {
    var attempts = 0
    let source = Source { observer in
      attempts += 1
      if attempts < repetitions { observer.failed("again") } else { observer.completed() }
      return .none
    }
    #expect(source.retry().record().isCompleted)
    #expect(attempts == repetitions)
  }

  @Test func `retry starts no attempt while its observer pauses, and none after disposal`() {
    let recorder = probe.stream.retry(5).record()
    recorder.pause()
    probe.observers[0].failed("first")
    #expect(probe.starts == 1)
    recorder.resume()
    #expect(probe.starts == 2)
    recorder.dispose()
    probe.observers[1].failed("second")
    #expect(probe.starts == 2)
    #expect(probe.disposals == 2)
  }

  @Test func `retry with a delay waits before each attempt and passes the last failure at once`() {
    let scheduler = VirtualScheduler()
    let recorder = failing.retry(2, delay: .seconds(3)).record(on: scheduler)
    #expect(recorder.elements == [1])
    scheduler.run()
    #expect(recorder.elementTimes == [.zero, .seconds(3), .seconds(6)])
    #expect(recorder.terminationTime == .seconds(6))
    let disposed = failing.retry(2, delay: .seconds(3)).record(on: scheduler)
    #expect(scheduler.pendingCount == 1)
    disposed.dispose()
    #expect(scheduler.pendingCount == 0)
  }

  // MARK: repeat

  @Test func `repeat observes anew on completion`() {
    #expect(Source.just(1).repeat(3).record().events == [.next(1), .next(1), .next(1), .completed])
    #expect(probe.stream.repeat(0).record().events == [.completed])
    #expect(probe.starts == 0)
    #expect(failing.repeat(3).record().events == [.next(1), .failed("end")])
    #expect(
      Source.sequence([1, 2]).repeat().take(5).record().events == [1, 2, 1, 2, 1].map { .next($0) } + [.completed])
  }

  @Test func `7 very many synchronous repetitions do not overflow the stack`() {
    var count = 0
    let subscription = Stream.just(1).repeat(repetitions).observeNext { count += $0 }
    #expect(count == repetitions)
    #expect(subscription.isDisposed)
  }

  // MARK: Events as elements

  @Test func `materialize makes elements of all events and completes`() {
    #expect(
      failing.materialize().record().events == [.next(.next(1)), .next(.failed("end")), .completed])
    #expect(Source.just(1).materialize().record().events == [.next(.next(1)), .next(.completed), .completed])
    #expect(failing.materialize().take(2).record().events == [.next(.next(1)), .next(.failed("end")), .completed])
  }

  @Test func `dematerialize is its inverse and disposes of the source at the first end`() {
    #expect(failing.materialize().dematerialize().record().events == [.next(1), .failed("end")])
    let push = PushStream<Event<Int, TestError>>()
    let recorder = push.dematerialize().record()
    push.next(.next(1))
    push.next(.completed)
    #expect(push.observerCount == 0)
    push.next(.next(2))
    #expect(recorder.events == [.next(1), .completed])
  }

  @Test func `dematerialize of results, with an error of its own`() {
    let results: [Result<Int, TestError>] = [.success(1), .failure("inner"), .success(2)]
    #expect(Stream.sequence(results).dematerialize().record().events == [.next(1), .failed("inner")])
    struct Outer: Error {}
    let outer = Operation<Result<Int, TestError>, Outer>.just(.success(1)).concat(with: Operation.failed(Outer()))
    #expect(outer.dematerialize { _ in "outer" }.record().events == [.next(1), .failed("outer")])
    let events = Operation<Event<Int, TestError>, Outer>.just(.next(1)).concat(with: Operation.failed(Outer()))
    #expect(events.dematerialize { _ in "outer" }.record().events == [.next(1), .failed("outer")])
  }

  @Test func `attempt passes elements until the action throws`() {
    let checked = Stream.sequence(1...).attempt { value throws(TestError) in if value > 2 { throw "too big" } }
    #expect(checked.record().events == [.next(1), .next(2), .failed("too big")])
    let recorder = probe.stream.attempt { value throws(TestError) in if value > 2 { throw "too big" } }.record()
    probe.next(3)
    #expect(recorder.events == [.failed("too big")])
    #expect(probe.disposals == 1)
  }

  @Test func `failures emits the error alone and completes`() {
    #expect(failing.failures().record().events == [.next("end"), .completed])
    #expect(Source.just(1).failures().record().events == [.completed])
  }

  // MARK: Feeding

  @Test func `elements, errors and activity are fed into subjects`() {
    let next = PushStream<Int>()
    let errors = PushStream<TestError>()
    let activity = PushStream<Bool>()
    let names = PushStream<String>()
    let recorders = (next.record(), errors.record(), activity.record(), names.record())
    let recorder = probe.stream.feedNextInto(next).feedErrorInto(errors).feedActivityInto(activity)
      .feedNextInto(names, when: { $0 > 1 }, map: { "\($0)" }).record()
    #expect(recorders.2.elements == [true])
    probe.next(1)
    probe.next(2)
    #expect(recorders.0.elements == [1, 2])
    #expect(recorders.3.elements == ["2"])
    probe.terminate(.failed("end"))
    #expect(recorder.failure == "end")
    #expect(recorders.1.events == [.next("end")])
    #expect(recorders.2.elements == [true, false])
    let all = PushOperation<Int, TestError>()
    let everything = all.record()
    #expect(failing.feedInto(all).record().failure == "end")
    #expect(everything.events == [.next(1), .failed("end")])
  }

  @Test func `toStream(feedErrorInto:) sends the error away and completes`() {
    let errors = PushStream<TestError>()
    let fed = errors.record()
    var events: [Event<Int, Never>] = []
    let reports = captureDiagnostics {
      events = failing.toStream(feedErrorInto: errors, logError: true).record().events
    }
    #expect(events == [.next(1), .completed])
    #expect(fed.events == [.next("end")])
    #expect(reports.count == 1)
  }
}
