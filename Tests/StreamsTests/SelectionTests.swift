import Streams
import StreamsTesting
import Testing

/// Sampling, the ends of streams, replacing, and pausing.
@Suite(.noLiveResources) struct SelectionTests {
  let scheduler = VirtualScheduler()
  let probe = Probe<TestError>()
  let trigger = Probe<TestError>()
  let numbers = Source.sequence(1...5)
  let failing = Source.sequence([1, 2]).concat(with: Source.failed("end"))

  // MARK: sample

  @Test func `sample emits the newest element at the end of each interval that had one`() {
    let recorder = probe.stream.sample(for: .seconds(10)).record(on: scheduler)
    scheduler.advance(to: .seconds(3))
    probe.next(1)
    scheduler.advance(to: .seconds(9))
    probe.next(2)
    scheduler.advance(to: .seconds(35))
    #expect(recorder.elements == [2])
    probe.next(3)
    scheduler.advance(to: .seconds(40))
    probe.next(4)
    scheduler.advance(to: .seconds(60))
    #expect(recorder.elements == [2, 3, 4])
    #expect(recorder.elementTimes == [.seconds(10), .seconds(40), .seconds(50)])
    #expect(scheduler.pendingCount == 0)
    recorder.dispose()
  }

  @Test func `sample keeps the pending element at completion and drops it on failure`() {
    let completing = probe.stream.sample(for: .seconds(10)).record(on: scheduler)
    probe.next(1)
    probe.terminate(.completed)
    #expect(completing.events == [.next(1), .completed])
    #expect(scheduler.pendingCount == 0)
    let failed = failing.sample(for: .seconds(10)).record(on: scheduler)
    #expect(failed.events == [.failed("end")])
  }

  @Test func `sample emits nothing while it is paused`() {
    let recorder = probe.stream.sample(for: .seconds(10)).record(on: scheduler)
    probe.next(1)
    recorder.pause()
    scheduler.advance(to: .seconds(25))
    #expect(recorder.events.isEmpty)
    recorder.resume()
    scheduler.run()
    #expect(recorder.elementTimes == [.seconds(30)])
    recorder.dispose()
  }

  @Test func `sample(on:) emits the newest at each trigger and completes when both have`() {
    let recorder = probe.stream.sample(on: trigger.stream).record()
    trigger.next(0)
    probe.next(1)
    probe.next(2)
    trigger.next(0)
    trigger.next(0)
    probe.terminate(.completed)
    trigger.next(0)
    #expect(recorder.events == [.next(2), .next(2), .next(2)])
    trigger.terminate(.completed)
    #expect(recorder.isCompleted)
  }

  @Test func `sample(on:) completes with a stream that was empty and fails with either`() {
    let empty = probe.stream.sample(on: trigger.stream).record()
    probe.terminate(.completed)
    #expect(empty.events == [.completed])
    #expect(trigger.disposals == 1)
    let other = Probe<TestError>()
    let recorder = Source.never().sample(on: other.stream).record()
    other.terminate(.failed("trigger"))
    #expect(recorder.events == [.failed("trigger")])
    #expect(Source.just(1).sample(on: Stream.just(0)).record().events == [.next(1), .completed])
  }

  // MARK: Replacing and pausing

  @Test func `take(untilReplacement:) goes over to the replacement at its first event`() {
    let recorder = probe.stream.take(untilReplacement: trigger.stream).record()
    probe.next(1)
    trigger.next(10)
    #expect(probe.disposals == 1)
    probe.next(2)
    trigger.next(20)
    trigger.terminate(.failed("end"))
    #expect(recorder.events == [.next(1), .next(10), .next(20), .failed("end")])
  }

  @Test func `take(untilReplacement:) waits for the replacement and ends with it`() {
    let recorder = probe.stream.take(untilReplacement: trigger.stream).record()
    probe.next(1)
    probe.terminate(.completed)
    #expect(recorder.events == [.next(1)])
    trigger.terminate(.completed)
    #expect(recorder.events == [.next(1), .completed])
    let failed = failing.take(untilReplacement: Source.never()).record()
    #expect(failed.events == [.next(1), .next(2), .failed("end")])
    let other = Probe<TestError>()
    #expect(other.stream.take(untilReplacement: Source.just(3)).record().events == [.next(3), .completed])
    #expect(other.starts == 0)
  }

  @Test func `pausable(by:) drops elements while it is switched off; the end passes`() {
    let isRunning = PushStream<Bool>()
    let recorder = probe.stream.pausable(by: isRunning).record()
    probe.next(1)
    isRunning.next(false)
    probe.next(2)
    isRunning.next(true)
    probe.next(3)
    isRunning.next(false)
    isRunning.completed()
    probe.next(4)
    probe.terminate(.completed)
    #expect(recorder.events == [.next(1), .next(3), .completed])
  }

  // MARK: First, last, none

  @Test func `element(at:) completes with that element`() {
    #expect(numbers.element(at: 2).record().events == [.next(3), .completed])
    #expect(numbers.element(at: 0).record().events == [.next(1), .completed])
    #expect(numbers.element(at: 5).record().events == [.completed])
    #expect(failing.element(at: 2).record().events == [.failed("end")])
    let recorder = probe.stream.element(at: 1).record()
    probe.next(1)
    #expect(probe.disposals == 0)
    probe.next(2)
    #expect(recorder.isCompleted)
    #expect(probe.disposals == 1)
  }

  @Test func `takeLast emits the last elements at completion, none of none, and a failure alone`() {
    #expect(numbers.takeLast(2).record().events == [.next(4), .next(5), .completed])
    #expect(numbers.last(2).record().elements == [4, 5])
    #expect(numbers.takeLast().record().elements == [5])
    #expect(numbers.takeLast(9).record().elements == [1, 2, 3, 4, 5])
    for count in [0, -1] { #expect(numbers.takeLast(count).record().events == [.completed]) }
    #expect(failing.takeLast(2).record().events == [.failed("end")])
    #expect(failing.takeLast(0).record().events == [.failed("end")])
    #expect(numbers.takeLast(3).take(1).record().events == [.next(3), .completed])
  }

  @Test func `skipLast holds elements back and drops them at the end`() {
    #expect(numbers.skipLast(2).record().events == [.next(1), .next(2), .next(3), .completed])
    #expect(numbers.skipLast(9).record().events == [.completed])
    for count in [0, -1] { #expect(numbers.skipLast(count).record().elements == [1, 2, 3, 4, 5]) }
    let recorder = probe.stream.skipLast(1).record()
    probe.next(1)
    #expect(recorder.elements.isEmpty)
    probe.next(2)
    #expect(recorder.elements == [1])
    probe.terminate(.failed("end"))
    #expect(recorder.events == [.next(1), .failed("end")])
  }

  @Test func `ignoreElements, mapToVoid and zipPrevious`() {
    #expect(numbers.ignoreElements().record().events == [.completed])
    #expect(failing.ignoreElements().record().events == [.failed("end")])
    #expect(numbers.mapToVoid().record().elements.count == 5)
    #expect(numbers.zipPrevious().map { ($0.0 ?? 0) * 10 + $0.1 }.record().elements == [1, 12, 23, 34, 45])
    let optionals = Stream<Int?>.sequence([nil, 1]).zipPrevious().map {
      $0.0 == nil ? "first" : "\($0.0!, default: "nil")"
    }
    #expect(optionals.record().elements == ["first", "nil"])
  }

  @Test func `defaultIfEmpty emits for an empty stream, not for one that fails`() {
    #expect(Source.completed().defaultIfEmpty(9).record().events == [.next(9), .completed])
    #expect(Source.just(1).defaultIfEmpty(9).record().events == [.next(1), .completed])
    #expect(Source.failed("end").defaultIfEmpty(9).record().events == [.failed("end")])
    #expect(Source.completed().defaultIfEmpty(9).take(1).record().events == [.next(9), .completed])
  }

  @Test func `window gives streams of exactly its size`() {
    let windows = numbers.window(2).record()
    #expect(
      windows.elements.map { $0.record().events } == [
        [.next(1), .next(2), .completed], [.next(3), .next(4), .completed],
      ])
    #expect(windows.isCompleted)
  }

  @Test func `flatMap(.throttle) drops what comes while an inner stream runs`() {
    var inner: [PushOperation<Int, TestError>] = []
    let recorder = probe.stream.flatMap(.throttle) { _ in
      inner.append(PushOperation())
      return inner[inner.count - 1]
    }.record()
    probe.next(1)
    probe.next(2)
    #expect(inner.count == 1)
    inner[0].next(10)
    inner[0].completed()
    probe.next(3)
    #expect(inner.count == 2)
    probe.terminate(.completed)
    #expect(!recorder.isCompleted)
    inner[1].next(20)
    inner[1].completed()
    #expect(recorder.events == [.next(10), .next(20), .completed])
  }

  @Test func `debug reports start, events and disposal`() {
    let reports = captureDiagnostics {
      _ = failing.debug("numbers").record()
      Source.never().debug("never").record().dispose()
    }
    #expect(
      reports == [
        "numbers: start", "numbers: next(1)", "numbers: next(2)", "numbers: failed(TestError(end))",
        "numbers: disposed",
        "never: start", "never: disposed",
      ])
  }
}
