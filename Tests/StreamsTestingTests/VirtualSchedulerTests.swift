import Streams
import StreamsTesting
import Testing

@Suite(.noLiveResources) struct VirtualSchedulerTests {
  let scheduler = VirtualScheduler()

  @Test func `serves deadlines in order and stops the clock at each`() {
    var served: [String] = []
    func note(_ name: String) -> () -> Void { { [scheduler] in served.append("\(name)@\(scheduler.now)") } }
    _ = scheduler.schedule(at: .seconds(2), note("b"))
    _ = scheduler.schedule(at: .seconds(1), note("a"))
    _ = scheduler.schedule(at: .seconds(2), note("c"))
    _ = scheduler.schedule(at: .seconds(3), note("d"))
    scheduler.advance(by: .seconds(2.5))
    #expect(served == ["a@1.0 seconds", "b@2.0 seconds", "c@2.0 seconds"])
    #expect(scheduler.now == .seconds(2.5))
    #expect(scheduler.pendingCount == 1)
    #expect(scheduler.nextDeadline == .seconds(3))
    scheduler.removeAll()
    #expect(scheduler.pendingCount == 0 && scheduler.nextDeadline == nil)
  }

  @Test func `a deadline that has passed is served by the next advance and not inside the call`() {
    scheduler.advance(by: .seconds(5))
    var isServed = false
    _ = scheduler.schedule(at: .seconds(1)) { isServed = true }
    #expect(!isServed)
    scheduler.advance(by: .zero)
    #expect(isServed)
    #expect(scheduler.now == .seconds(5))
  }

  @Test func `what a dropped deadline captured may cancel others`() {
    final class Owner {
      let bag = DisposeBag()
    }
    do {
      let owner = Owner()
      _ = scheduler.schedule(at: .seconds(1)) { _ = owner }
      for _ in 0..<3 { scheduler.schedule(at: .seconds(2)) {}.dispose(in: owner.bag) }
    }
    scheduler.removeAll()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `disposing cancels a deadline`() {
    var isServed = false
    let entry = scheduler.schedule(after: .seconds(1)) { isServed = true }
    entry.dispose()
    #expect(entry.isDisposed)
    #expect(scheduler.pendingCount == 0)
    #expect(scheduler.run() == 0)
    #expect(!isServed)
  }

  @Test func `run serves until nothing is pending`() {
    var times: [Duration] = []
    func again() {
      times.append(scheduler.now)
      if times.count < 3 { _ = scheduler.schedule(after: .seconds(1), again) }
    }
    _ = scheduler.schedule(after: .seconds(1), again)
    #expect(scheduler.run() == 3)
    #expect(times == [.seconds(1), .seconds(2), .seconds(3)])
  }

  @Test func `run records an issue when a timer is set again each time`() {
    func again() { _ = scheduler.schedule(after: .seconds(1), again) }
    again()
    withKnownIssue {
      #expect(scheduler.run(limit: 10) == 10)
    } matching: {
      $0.comments.contains { $0.rawValue.contains("it is set again each time") }
    }
    scheduler.removeAll()
  }

  @Test func `it is the default of what is observed in run and inside of what it serves`() {
    let recorder = scheduler.run { Stream.timer(1, after: .seconds(1)).record() }
    let nested = Stream<Int>.timer(2, after: .seconds(1)).flatMap(.merge) { Stream.timer($0, after: .seconds(1)) }
      .record(on: scheduler)
    scheduler.advance(by: .seconds(2))
    #expect(recorder.elements == [1])
    #expect(nested.elements == [2])
    #expect(nested.elementTimes == [.seconds(2)])
  }

  @Test func `a nested advance does not turn the clock back`() {
    _ = scheduler.schedule(at: .seconds(1)) { [scheduler] in scheduler.advance(by: .seconds(10)) }
    scheduler.advance(by: .seconds(2))
    #expect(scheduler.now == .seconds(11))
  }
}
