import Streams
import StreamsTesting
import Testing

/// Time-based operators in virtual time.
@Suite(.noLiveResources) struct TimeTests {
  let scheduler = VirtualScheduler()
  let push = PushOperation<Int, TestError>()

  /// Sends each element at its time, in seconds.
  private func send(_ elements: [(at: Double, element: Int)], until end: Double) {
    for (time, element) in elements {
      scheduler.advance(to: .seconds(time))
      push.next(element)
    }
    scheduler.advance(to: .seconds(end))
  }

  private func seconds(_ times: [Duration]) -> [Double] { times.map { $0 / .seconds(1) } }

  // MARK: debounce

  @Test func `debounce emits after quiet time`() {
    let recorder = push.debounce(for: .seconds(1)).record(on: scheduler)
    send([(0, 1), (0.5, 2), (1.4, 3), (5, 4)], until: 10)
    #expect(recorder.elements == [3, 4])
    #expect(seconds(recorder.elementTimes) == [2.4, 6])
    push.completed()
    #expect(recorder.terminationTime == .seconds(10))
  }

  @Test func `debounce flushes the pending element, then completes`() {
    let recorder = push.debounce(for: .seconds(1)).record(on: scheduler)
    push.next(1)
    push.completed()
    #expect(recorder.events == [.next(1), .completed])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `debounce completes at once when nothing is pending`() {
    let recorder = push.debounce(for: .seconds(1)).record(on: scheduler)
    push.completed()
    #expect(recorder.events == [.completed])
  }

  @Test func `debounce drops the pending element on failure`() {
    let recorder = push.debounce(for: .seconds(1)).record(on: scheduler)
    push.next(1)
    push.failed("now")
    scheduler.run()
    #expect(recorder.events == [.failed("now")])
  }

  @Test func `debounce does not touch the scheduler for each element`() {
    let counting = CountingScheduler()
    let recorder = push.debounce(for: .seconds(1), on: counting).record()
    for element in 0..<1_000 { push.next(element) }
    #expect(counting.requests == 1)
    #expect(counting.base.pendingCount == 1)
    counting.base.advance(by: .seconds(2))
    #expect(recorder.elements == [999])
    #expect(counting.requests == 1)
  }

  @Test func `debounce holds an element whose time comes while it is paused`() {
    let recorder = push.debounce(for: .seconds(1)).record(on: scheduler)
    push.next(1)
    recorder.pause()
    scheduler.run()
    #expect(recorder.elements.isEmpty)
    recorder.resume()
    #expect(recorder.elements == [1])
    recorder.resume()
    #expect(recorder.elements == [1])
  }

  @Test func `what is sent while debounce emits is not lost`() {
    var elements: [Int] = []
    let subscription = scheduler.run {
      push.debounce(for: .seconds(1)).observe(
        next: { [push] element in
          elements.append(element)
          if element == 1 {
            push.next(2)
            push.completed()
          }
        }, termination: { _ in elements.append(-1) })
    }
    push.next(1)
    scheduler.run()
    #expect(elements == [1, 2, -1])
    #expect(subscription.isDisposed)
  }

  // MARK: throttle

  @Test func `throttle emits the first of each window`() {
    let recorder = push.throttle(for: .seconds(1)).record(on: scheduler)
    send([(0, 1), (0.5, 2), (0.9, 3), (1, 4), (1.5, 5), (3, 6)], until: 10)
    #expect(recorder.elements == [1, 4, 6])
    #expect(seconds(recorder.elementTimes) == [0, 1, 3])
    push.completed()
    #expect(recorder.isCompleted)
  }

  @Test func `throttle with latest also emits the last of a window at its end`() {
    let recorder = push.throttle(for: .seconds(1), latest: true).record(on: scheduler)
    send([(0, 1), (0.5, 2), (0.9, 3), (1.5, 4), (5, 5)], until: 10)
    #expect(recorder.elements == [1, 3, 4, 5])
    #expect(seconds(recorder.elementTimes) == [0, 1, 2, 5])
    push.next(6)
    push.next(7)
    push.completed()
    #expect(recorder.elements == [1, 3, 4, 5, 6, 7])
    #expect(recorder.isCompleted)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `throttle with latest keeps both edges when the timer is late`() {
    let recorder = push.throttle(for: .seconds(1), latest: true).record(on: scheduler)
    // Scheduled before the end of the window, so it runs first.
    _ = scheduler.schedule(at: .seconds(1)) { [push] in push.next(3) }
    push.next(1)
    push.next(2)
    scheduler.run()
    #expect(recorder.elements == [1, 2, 3])
    #expect(seconds(recorder.elementTimes) == [0, 1, 2])
    recorder.dispose()
  }

  @Test func `throttle holds the end of a window while it is paused`() {
    let recorder = push.throttle(for: .seconds(1), latest: true).record(on: scheduler)
    push.next(1)
    push.next(2)
    recorder.pause()
    scheduler.run()
    #expect(recorder.elements == [1])
    recorder.resume()
    #expect(recorder.elements == [1, 2])
  }

  // MARK: delay

  @Test func `delay shifts elements and completion and keeps their order`() {
    let recorder = push.delay(for: .seconds(2)).record(on: scheduler)
    send([(0, 1), (0.5, 2), (0.5, 3), (1, 4)], until: 1)
    push.completed()
    #expect(scheduler.pendingCount == 1)
    scheduler.run()
    #expect(recorder.elements == [1, 2, 3, 4])
    #expect(seconds(recorder.elementTimes) == [2, 2.5, 2.5, 3])
    #expect(recorder.terminationTime == .seconds(3))
  }

  @Test func `delay passes a failure at once and drops what waits`() {
    let recorder = push.delay(for: .seconds(2)).record(on: scheduler)
    push.next(1)
    push.failed("now")
    scheduler.run()
    #expect(recorder.events == [.failed("now")])
    #expect(recorder.terminationTime == .zero)
  }

  @Test func `delay holds what is due while it is paused`() {
    let recorder = push.delay(for: .seconds(1)).record(on: scheduler)
    push.next(1)
    push.next(2)
    push.completed()
    recorder.pause()
    scheduler.advance(by: .seconds(10))
    #expect(recorder.events.isEmpty)
    recorder.resume()
    #expect(recorder.events == [.next(1), .next(2), .completed])
  }

  @Test func `pausing from inside a delivery stops delay after that element`() {
    var elements: [Int] = []
    var subscription: Subscription?
    scheduler.run {
      subscription = push.delay(for: .seconds(1)).observeNext {
        elements.append($0)
        subscription?.pause()
      }
    }
    for element in 1...3 { push.next(element) }
    scheduler.run()
    #expect(elements == [1])
    subscription?.resume()
    #expect(elements == [1, 2])
    subscription?.dispose()
    subscription = nil
  }

  // MARK: An end during a pause

  private let clocked: [(apply: (Source) -> Source, elements: [Int])] = [
    ({ $0.debounce(for: .seconds(1)) }, [2]), ({ $0.throttle(for: .seconds(1), latest: true) }, [1, 2]),
    ({ $0.sample(for: .seconds(1)) }, [2]), ({ $0.delay(for: .seconds(1)) }, [1, 2]),
  ]

  @Test func `a completion during a pause is held with the element, and its source has been disposed`() {
    for (apply, elements) in clocked {
      let probe = Probe<TestError>()
      var (received, disposalsAtEnd): ([Int], Int?) = ([], nil)
      let subscription = scheduler.run {
        apply(probe.stream).observe(
          next: { received.append($0) }, termination: { _ in disposalsAtEnd = probe.disposals })
      }
      probe.next(1)
      probe.next(2)
      subscription.pause()
      probe.terminate(.completed)
      scheduler.advance(by: .seconds(10))
      #expect(received.count < elements.count && disposalsAtEnd == nil)
      subscription.resume()
      #expect(received == elements && disposalsAtEnd == 1)
    }
  }

  @Test func `a failure during a pause is delivered immediately, without the element`() {
    for (apply, elements) in clocked {
      let probe = Probe<TestError>()
      let recorder = apply(probe.stream).record(on: scheduler)
      probe.next(1)
      probe.next(2)
      recorder.pause()
      probe.terminate(.failed("now"))
      #expect(recorder.failure == "now" && recorder.elements.count < elements.count)
      recorder.resume()
      scheduler.run()
      #expect(recorder.elements.count < elements.count)
    }
  }

  // MARK: timeout

  @Test func `timeout fails when an interval passes without an element`() {
    let recorder = push.timeout(.seconds(2), failingWith: "slow").record(on: scheduler)
    send([(1, 1), (2.5, 2)], until: 10)
    #expect(recorder.events == [.next(1), .next(2), .failed("slow")])
    #expect(recorder.terminationTime == .seconds(4.5))
    #expect(push.observerCount == 0)
  }

  @Test func `timeout counts from the moment of observing`() {
    let recorder = Stream<Int>.never().timeout(.seconds(2), failingWith: TestError("slow")).record(on: scheduler)
    scheduler.run()
    #expect(recorder.failure == "slow")
    #expect(recorder.terminationTime == .seconds(2))
  }

  @Test func `timeout ends with its source and when it is disposed`() {
    let recorder = push.timeout(.seconds(2), failingWith: "slow").record(on: scheduler)
    push.completed()
    #expect(recorder.isCompleted)
    #expect(scheduler.pendingCount == 0)
    let other = Stream<Int>.never().timeout(.seconds(2), failingWith: TestError("slow")).record(on: scheduler)
    other.dispose()
    #expect(scheduler.pendingCount == 0)
    #expect(scheduler.run() == 0)
  }

  @Test func `the clock of timeout stands while it is paused`() {
    let recorder = push.timeout(.seconds(2), failingWith: "slow").record(on: scheduler)
    scheduler.advance(by: .seconds(1))
    recorder.pause()
    scheduler.advance(by: .seconds(100))
    #expect(recorder.events.isEmpty)
    recorder.resume()
    scheduler.run()
    #expect(recorder.terminationTime == .seconds(103))
  }
}

/// A virtual scheduler that counts the requests.
private final class CountingScheduler: Scheduler {
  let base = VirtualScheduler()
  var requests = 0

  var now: Duration { base.now }

  func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Disposable {
    requests += 1
    return base.schedule(at: deadline, action)
  }
}
