import Streams
import StreamsTesting
import Testing

/// `interval` and `timer` in virtual time.
@Suite(.noLiveResources) struct TimeCreationTests {
  let scheduler = VirtualScheduler()

  @Test func `a timer that has ended keeps neither its element nor its observer`() {
    final class Witness {}
    let scheduler = VirtualScheduler()
    weak let released: Witness?
    let subscription: Subscription
    do {
      let witness = Witness()
      released = witness
      subscription = Stream.timer(witness, after: .seconds(1), on: scheduler).observeNext { _ = ($0, witness) }
    }
    #expect(released != nil)
    scheduler.run()
    #expect(released == nil)
    subscription.dispose()
  }

  @Test func `interval counts from zero, the first after one interval, without drift`() {
    let recorder = Stream.interval(.milliseconds(300)).take(1_000).record(on: scheduler)
    #expect(recorder.elements.isEmpty)
    scheduler.run()
    #expect(recorder.elements == Array(0..<1_000))
    #expect(recorder.elementTimes == (1...1_000).map { .milliseconds(300) * $0 })
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `interval skips the ticks that it has missed and stays on its grid`() {
    var times: [Duration] = []
    var numbers: [Int] = []
    let subscription = scheduler.run {
      Stream.interval(.seconds(1)).take(3).observeNext { [scheduler] number in
        times.append(scheduler.now)
        numbers.append(number)
        // The thread is busy for longer than three intervals.
        if number == 0 { scheduler.advance(by: .seconds(3.5)) }
      }
    }
    scheduler.run()
    #expect(numbers == [0, 1, 2])
    #expect(times == [.seconds(1), .seconds(5), .seconds(6)])
    #expect(subscription.isDisposed)
  }

  @Test func `interval does not tick while it is paused`() {
    let recorder = Stream.interval(.seconds(1)).record(on: scheduler)
    scheduler.advance(by: .seconds(1))
    recorder.pause()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(10.5))
    #expect(recorder.elements == [0])
    recorder.resume()
    scheduler.advance(by: .seconds(1))
    #expect(recorder.elements == [0, 1])
    #expect(recorder.elementTimes.last == .seconds(12))
    recorder.dispose()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `interval can be paused and disposed from inside its own tick`() {
    var numbers: [Int] = []
    var subscription: Subscription?
    scheduler.run {
      subscription = Stream.interval(.seconds(1)).observeNext { number in
        numbers.append(number)
        if number == 0 { subscription?.pause() }
        if number == 1 { subscription?.dispose() }
      }
    }
    scheduler.run()
    #expect(numbers == [0])
    subscription?.resume()
    scheduler.run()
    #expect(numbers == [0, 1])
    #expect(scheduler.pendingCount == 0)
    subscription = nil
  }

  @Test func `timer emits its element and completes`() {
    let recorder = Stream.timer("x", after: .seconds(3)).record(on: scheduler)
    scheduler.advance(by: .seconds(2.9))
    #expect(recorder.events.isEmpty)
    scheduler.advance(by: .seconds(1))
    #expect(recorder.events == [.next("x"), .completed])
    #expect(recorder.terminationTime == .seconds(3))
  }

  @Test func `a timer without delay does not emit while it is being observed`() {
    let recorder = Stream.timer(1, after: .seconds(-1)).record(on: scheduler)
    #expect(recorder.events.isEmpty)
    scheduler.advance(by: .zero)
    #expect(recorder.events == [.next(1), .completed])
  }

  @Test func `a timer that is disposed leaves nothing`() {
    let recorder = Stream.timer(1, after: .seconds(1)).record(on: scheduler)
    recorder.dispose()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `a timer whose time comes while it is paused waits`() {
    let recorder = Stream.timer(1, after: .seconds(1)).record(on: scheduler)
    recorder.pause()
    scheduler.run()
    #expect(recorder.events.isEmpty)
    recorder.resume()
    #expect(recorder.events == [.next(1), .completed])
  }

  @Test func `an actor without a loop has a scheduler over sleep`() async {
    let elements = await Clocked().firstTicks()
    #expect(elements == [0, 1, 2])
  }
}

/// An actor on the global executor that passes its own scheduler.
private actor Clocked {
  let bag = DisposeBag()

  func firstTicks() async -> [Int] {
    let scheduler = ActorScheduler()
    return await withCheckedContinuation { continuation in
      Stream.interval(.milliseconds(1), on: scheduler).take(3).collect().observeNext {
        continuation.resume(returning: $0)
      }.dispose(in: bag)
    }
  }

  @Test func `a tiny interval on a late clock does not trap, and goes on with the grid`() {
    let scheduler = VirtualScheduler()
    let tiny = Duration(secondsComponent: 0, attosecondsComponent: 1)
    var received: [Int] = []
    let subscription = Stream<Int>.interval(tiny, on: scheduler).observeNext { received.append($0) }
    subscription.pause()
    scheduler.advance(by: .seconds(100))
    subscription.resume()
    scheduler.advance(by: tiny * 2)
    subscription.dispose()
    #expect(received == [0, 1])
    let samples = PushStream<Int>()
    let sampling = samples.sample(for: tiny, on: scheduler).observeNext { received.append($0) }
    scheduler.advance(by: .seconds(100))
    samples.next(7)
    scheduler.advance(by: tiny * 2)
    sampling.dispose()
    #expect(received == [0, 1, 7])
  }
}
