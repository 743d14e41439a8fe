import Streams
import StreamsTesting
import TestSupport
import Testing

/// `observe(on:)`, `execute(on:)`, and `pausable(by:buffering:)`: elements that wait for a turn.
@Suite(.noLiveResources)
struct TurnTests {
  let probe = Probe<TestError>()

  /// A context of the same domain, whose jobs run when the test says so.
  final class Turns: @unchecked Sendable {
    // Sendable, because it is used only on the test's thread.
    private var jobs: [() -> Void] = []
    var count: Int { jobs.count }

    var context: ExecutionContext {
      ExecutionContext { [unowned self] job in
        // The caller gives the job up, and the job runs on the same thread.
        nonisolated(unsafe) let job = job
        jobs.append(job)
      }
    }

    func take() {
      let all = jobs
      jobs = []
      for job in all { job() }
    }
  }

  let turns = Turns()

  @Test func `observe(on:) delivers on a later turn, in order, in one job`() {
    let recorder = probe.stream.observe(on: turns.context).record()
    probe.next(1)
    probe.next(2)
    #expect(recorder.events.isEmpty)
    #expect(turns.count == 1)
    turns.take()
    #expect(recorder.elements == [1, 2])
    probe.next(3)
    probe.terminate(.completed)
    turns.take()
    #expect(recorder.events == [.next(1), .next(2), .next(3), .completed])
    #expect(turns.count == 0)
  }

  @Test func `what comes during a turn waits for the next one`() {
    let push = PushStream<Int>()
    var elements: [Int] = []
    let subscription = push.observe(on: turns.context).observeNext {
      elements.append($0)
      if $0 < 3 { push.next($0 + 1) }
    }
    push.next(1)
    turns.take()
    #expect(elements == [1])
    turns.take()
    #expect(elements == [1, 2])
    turns.take()
    turns.take()
    #expect(elements == [1, 2, 3])
    subscription.dispose()
  }

  @Test func `a failure overtakes what waits for its turn`() {
    let recorder = probe.stream.observe(on: turns.context).record()
    probe.next(1)
    probe.terminate(.failed("end"))
    turns.take()
    #expect(recorder.events == [.failed("end")])
  }

  @Test func `nothing is delivered on a turn after disposal`() {
    let recorder = probe.stream.observe(on: turns.context).record()
    probe.next(1)
    recorder.dispose()
    turns.take()
    #expect(recorder.events.isEmpty)
    #expect(probe.disposals == 1)
  }

  @Test func `while its observer pauses observe(on:) holds what comes, and pauses its source`() {
    let recorder = probe.stream.observe(on: turns.context).record()
    probe.next(1)
    recorder.pause()
    #expect(probe.pauses == 1)
    turns.take()
    #expect(recorder.events.isEmpty)
    recorder.resume()
    turns.take()
    #expect(recorder.elements == [1])
    #expect(probe.resumes == 1)
    for number in 0..<Watermarks.standard.high { probe.next(number) }
    #expect(probe.pauses == 2)
    turns.take()
    #expect(probe.resumes == 2)
    #expect(recorder.elements.count == Watermarks.standard.high + 1)
  }

  @Test func `immediate delivers at once`() {
    #expect(Source.just(1).observe(on: .immediate).execute(on: .immediate).record().events == [.next(1), .completed])
  }

  @Test func `execute(on:) starts its source on a later turn, or never`() {
    let recorder = probe.stream.execute(on: turns.context).record()
    let other = probe.stream.execute(on: turns.context).record()
    #expect(probe.starts == 0)
    other.dispose()
    turns.take()
    #expect(probe.starts == 1)
    probe.next(1)
    probe.terminate(.failed("end"))
    #expect(recorder.events == [.next(1), .failed("end")])
    #expect(other.events.isEmpty)
  }

  @Test func `a context of another domain traps with the ways to cross threads`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        let mailbox = ThreadMailbox()
        let here = ThreadMailbox()
        HomeThread.set(mailbox: here, scheduler: nil)
        let bag = DisposeBag()
        Stream.just(1).observe(on: ExecutionContext(mailbox)).observeNext { _ in }.dispose(in: bag)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("observe(on: queue) { stream, bag in"))
  }

  // MARK: timeout(after:)

  @Test func `timeout(after:) counts until the end, not until an element`() {
    let scheduler = VirtualScheduler()
    let talkative = Stream.interval(.seconds(1)).timeout(after: .milliseconds(2500), failingWith: TestError("late"))
      .record(on: scheduler)
    let quick = Source.timer(1, after: .seconds(1)).timeout(after: .seconds(2), failingWith: "late")
      .record(on: scheduler)
    scheduler.run()
    #expect(talkative.events == [.next(0), .next(1), .failed("late")])
    #expect(talkative.terminationTime == .milliseconds(2500))
    #expect(quick.events == [.next(1), .completed])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `the time of timeout(after:) runs during a pause, and its failure waits until the observer resumes`() {
    let scheduler = VirtualScheduler()
    let recorder = probe.stream.timeout(after: .seconds(2), failingWith: "late").record(on: scheduler)
    scheduler.advance(by: .seconds(1))
    recorder.pause()
    scheduler.advance(by: .seconds(10))
    #expect(recorder.events.isEmpty && probe.disposals == 1)
    // It comes too late.
    probe.next(1)
    probe.terminate(.completed)
    recorder.resume()
    #expect(recorder.events == [.failed("late")])
    #expect(probe.disposals == 1 && scheduler.pendingCount == 0)
  }

  @Test func `what a source sends and completes during a pause is delivered if the time is not over`() {
    let scheduler = VirtualScheduler()
    let recorder = probe.stream.timeout(after: .seconds(2), failingWith: "late").record(on: scheduler)
    recorder.pause()
    scheduler.advance(by: .seconds(1))
    probe.next(1)
    probe.terminate(.completed)
    #expect(recorder.events == [.next(1), .completed] && scheduler.pendingCount == 0)
  }

  @Test func `a rest is emitted where it is asked for`() {
    let source = Source.sequence(1...5)
    #expect(source.buffer(2, emitPartial: true).record().elements == [[1, 2], [3, 4], [5]])
    #expect(source.buffer(5, emitPartial: true).record().elements == [[1, 2, 3, 4, 5]])
    #expect(source.buffer(2).record().elements == [[1, 2], [3, 4]])
    let failing = source.concat(with: Source.failed("end")).buffer(2, emitPartial: true).record()
    #expect(failing.elements == [[1, 2], [3, 4]])
    #expect(failing.failure == "end")
    let windows = source.window(2, emitPartial: true).map { $0.record().elements }.record()
    #expect(windows.elements == [[1, 2], [3, 4], [5]])
  }

  // MARK: pausable(by:buffering:)

  @Test func `pausable with a buffer loses nothing`() {
    let isRunning = PushStream<Bool>()
    let recorder = probe.stream.pausable(by: isRunning, buffering: 10).record()
    probe.next(1)
    isRunning.next(false)
    #expect(probe.pauses == 1)
    // The source cannot wait.
    probe.next(2)
    probe.next(3)
    #expect(recorder.elements == [1])
    isRunning.next(true)
    #expect(probe.resumes == 1)
    #expect(recorder.elements == [1, 2, 3])
    probe.next(4)
    #expect(recorder.elements == [1, 2, 3, 4])
  }

  @Test func `the end of the switch, and its release, deliver what pausable holds`() {
    for ends in [true, false] {
      var isRunning: PushStream<Bool>? = PushStream<Bool>()
      let source = PushStream<Int>()
      let recorder = source.pausable(by: isRunning!.toStream(), buffering: 10).record()
      isRunning?.next(false)
      source.next(1)
      source.completed()
      #expect(recorder.events.isEmpty)
      if ends { isRunning?.completed() }
      isRunning = nil
      #expect(recorder.events == [.next(1), .completed])
    }
  }

  @Test func `pausable with a buffer completes after what it holds, and fails at once`() {
    let isRunning = PushStream<Bool>()
    let completing = probe.stream.pausable(by: isRunning, buffering: 10).record()
    isRunning.next(false)
    probe.next(1)
    probe.terminate(.completed)
    #expect(completing.events.isEmpty)
    isRunning.next(true)
    #expect(completing.events == [.next(1), .completed])
    let other = Probe<TestError>()
    let failing = other.stream.pausable(by: isRunning, buffering: 10).record()
    isRunning.next(false)
    other.next(1)
    other.terminate(.failed("end"))
    #expect(failing.events == [.failed("end")])
  }

  @Test func `pausable with a buffer says when a source that cannot wait fills it twice`() {
    let isRunning = PushStream<Bool>()
    let recorder = probe.stream.pausable(by: isRunning, buffering: 2).record()
    isRunning.next(false)
    let reports = captureDiagnostics { for number in 0..<10 { probe.next(number) } }
    #expect(reports.count == 1)
    isRunning.next(true)
    #expect(recorder.elements == Array(0..<10))
  }

  @Test func `pausable with room for all`() {
    let isRunning = PushStream<Bool>()
    let recorder = probe.stream.pausable(by: isRunning, buffering: .max).record()
    isRunning.next(false)
    for number in 1...3 { probe.next(number) }
    isRunning.next(true)
    #expect(recorder.elements == [1, 2, 3])
  }

  @Test func `the clock of a timeout stands while its observer pauses, whatever comes`() {
    let scheduler = VirtualScheduler()
    let recorder = probe.stream.timeout(.seconds(1), failingWith: "late").record(on: scheduler)
    recorder.pause()
    // The source cannot wait.
    probe.next(1)
    scheduler.advance(by: .seconds(10))
    #expect(recorder.events == [.next(1)])
    recorder.resume()
    scheduler.run()
    #expect(recorder.events == [.next(1), .failed("late")])
  }

  @Test func `completion waits for a turn in which its observer does not pause`() {
    let recorder = probe.stream.observe(on: turns.context).record()
    probe.terminate(.completed)
    recorder.pause()
    turns.take()
    #expect(recorder.events.isEmpty)
    recorder.resume()
    turns.take()
    #expect(recorder.isCompleted)
  }

  @Test func `pausable with a buffer and an observer that pauses`() {
    let isRunning = PushStream<Bool>()
    let recorder = probe.stream.pausable(by: isRunning, buffering: 10).record()
    recorder.pause()
    isRunning.next(false)
    probe.next(1)
    recorder.resume()
    #expect(recorder.elements.isEmpty)
    recorder.pause()
    isRunning.next(true)
    #expect(recorder.elements.isEmpty)
    recorder.resume()
    #expect(recorder.elements == [1])
  }
}
