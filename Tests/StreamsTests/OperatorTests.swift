import Streams
import StreamsTesting
import Testing

/// The elements that each operator emits.
@Suite(.noLiveResources) struct OperatorTests {
  let numbers = Source.sequence(1...5)
  let failing = Source.sequence([1, 2]).concat(with: Source.failed("end"))

  @Test func `scan emits the initial value first`() {
    #expect(
      Stream.sequence([1, 2, 3]).scan(0, +).record().events == [.next(0), .next(1), .next(3), .next(6), .completed])
    #expect(Stream<Int>.completed().scan(7, +).record().elements == [7])
  }

  @Test func `reduce emits the last result alone`() {
    #expect(numbers.reduce(0, +).record().events == [.next(15), .completed])
    #expect(Source.completed().reduce(7, +).record().events == [.next(7), .completed])
    #expect(failing.reduce(0, +).record().events == [.failed("end")])
  }

  @Test func `collect emits one array, empty where there was no element`() {
    #expect(numbers.collect().record().events == [.next([1, 2, 3, 4, 5]), .completed])
    #expect(Source.completed().collect().record().events == [.next([]), .completed])
    #expect(failing.collect().record().events == [.failed("end")])
  }

  @Test func `buffer drops an incomplete rest`() {
    #expect(numbers.buffer(2).record().events == [.next([1, 2]), .next([3, 4]), .completed])
    #expect(numbers.buffer(6).record().events == [.completed])
    #expect(failing.buffer(2).record().events == [.next([1, 2]), .failed("end")])
  }

  @Test func `take completes with its last element and does not observe for nothing`() {
    let probe = Probe<TestError>()
    for count in [0, -1, .min] { #expect(probe.stream.take(count).record().events == [.completed]) }
    #expect(probe.starts == 0)
    let recorder = probe.stream.take(2).record()
    probe.next(1)
    #expect(probe.disposals == 0)
    probe.next(2)
    #expect(recorder.events == [.next(1), .next(2), .completed])
    #expect(probe.disposals == 1)
    #expect(numbers.take(9).record().events.count == 6)
    #expect(failing.take(3).record().failure == "end")
    #expect(failing.take(2).record().isCompleted)
  }

  @Test func `take does not complete when its last element has been answered by disposal`() {
    let push = PushStream<Int>()
    var log: [String] = []
    let serial = SerialDisposable()
    // Completion would make the concatenation start its second stream.
    let second = Stream<Int>.never().doOn(start: { log.append("second") })
    serial.inner = push.take(2).concat(with: second).observeNext { element in
      log.append("\(element)")
      if element == 2 { serial.dispose() }
    }
    for element in 1...3 { push.next(element) }
    #expect(log == ["1", "2"])
  }

  @Test func `operators that end with an element send nothing after disposal by it`() {
    let ended: [(Stream<Int>) -> Stream<Int>] = [
      { $0.last() }, { $0.reduce(0, +) }, { $0.collect().map(\.count) }, { $0.scan(0, +) }, { $0.start(with: 0) },
      { $0.setFailureType(to: TestError.self).concat(with: Source.failed("x")).recover(with: 0) },
    ]
    for apply in ended {
      var completions = 0
      let recorder = apply(Stream.sequence([1, 2])).doOn(completed: { completions += 1 }).first().record()
      #expect(recorder.isCompleted)
      #expect(completions == 0)
    }
  }

  @Test func `first and last`() {
    #expect(numbers.first().record().events == [.next(1), .completed])
    #expect(numbers.last().record().events == [.next(5), .completed])
    #expect(Source.completed().first().record().events == [.completed])
    #expect(Source.completed().last().record().events == [.completed])
    #expect(failing.last().record().events == [.failed("end")])
  }

  @Test func `skip counts elements only`() {
    #expect(numbers.skip(3).record().events == [.next(4), .next(5), .completed])
    // The end is not an element.
    #expect(Source.sequence([1, 2]).skip(5).record().events == [.completed])
    #expect(failing.skip(5).record().events == [.failed("end")])
    #expect(numbers.skip(-1).record().elements == [1, 2, 3, 4, 5])
  }

  @Test func `distinct keeps what differs from its predecessor`() {
    #expect(Stream.sequence([1, 1, 2, 2, 1]).distinct().record().elements == [1, 2, 1])
    #expect(Stream.sequence([nil, nil, 1, nil]).distinct().record().elements == [nil, 1, nil])
    // True keeps the element: the closure says whether the two are distinct.
    #expect(Stream.sequence([1, 3, 2, 4]).distinct { $0 % 2 != $1 % 2 }.record().elements == [1, 2])
    #expect(Stream.sequence([1, 1, 1]).distinct { _, _ in true }.record().elements == [1, 1, 1])
  }

  @Test func `ignoreNil unwraps`() {
    let elements: [Int] = Stream.sequence([1, nil, 2]).ignoreNil().record().elements
    #expect(elements == [1, 2])
  }

  @Test func `start(with:) comes first`() {
    #expect(numbers.start(with: 0).record().elements == [0, 1, 2, 3, 4, 5])
    let probe = Probe<TestError>()
    #expect(probe.stream.start(with: 0).first().record().events == [.next(0), .completed])
    #expect(probe.stream.scan(0, +).first().record().events == [.next(0), .completed])
    #expect(probe.starts == 0)
  }

  @Test func `tryMap ends with the first error thrown`() {
    let probe = Probe<TestError>()
    let recorder = probe.stream.tryMap { number throws(TestError) in
      if number == 2 { throw "two" }
      return "\(number)"
    }.record()
    for element in 1...3 { probe.next(element) }
    #expect(recorder.events == [.next("1"), .failed("two")])
    #expect(probe.disposals == 1)
  }

  @Test func `tryMap makes a stream fail, with the type that is thrown`() {
    let recorder: Recorder<Int, TestError> = Stream.sequence(1...3).tryMap { number throws(TestError) in
      if number == 2 { throw "two" }
      return number
    }.record()
    #expect(recorder.events == [.next(1), .failed("two")])
  }

  @Test func `mapError and setFailureType`() {
    struct Other: Error, Equatable { let name: String }
    #expect(failing.mapError { Other(name: $0.name) }.record().failure == Other(name: "end"))
    let lifted: Source = Stream.just(1).setFailureType(to: TestError.self)
    #expect(lifted.record().events == [.next(1), .completed])
  }

  @Test func `doOn runs its closures in order`() {
    var log: [String] = []
    let watched = failing.doOn(
      next: { log.append("next \($0)") }, start: { log.append("start") }, completed: { log.append("completed") },
      failed: { log.append("failed \($0.name)") }, disposed: { log.append("disposed") })
    #expect(log.isEmpty)
    let subscription = watched.observe { event in log.append("observed \(event.isTermination)") }
    #expect(
      log == [
        "start", "next 1", "observed false", "next 2", "observed false", "failed end", "observed true", "disposed",
      ])
    subscription.dispose()
    #expect(log.last == "disposed" && log.count == 8)
    log = []
    let push = PushStream<Int>()
    let other = push.doOn(completed: { log.append("completed") }, disposed: { log.append("disposed") }).record()
    other.dispose()
    other.dispose()
    push.completed()
    #expect(log == ["disposed"])
  }

  @Test func `doOn that is disposed in its start closure is disposed`() {
    let trigger = PushStream<Int>()
    var log: [String] = []
    let recorder = PushStream<Int>().doOn(
      start: {
        log.append("start")
        trigger.next(1)
      }, disposed: { log.append("disposed") }
    ).take(until: trigger).record()
    #expect(log == ["start", "disposed"] && recorder.events == [.completed])
  }

  @Test func `doOn sees no end after disposal`() {
    var log: [String] = []
    let recorder = Stream.sequence(1...).doOn(
      next: { log.append("\($0)") }, completed: { log.append("completed") }, disposed: { log.append("disposed") }
    ).take(2).record()
    #expect(recorder.isCompleted)
    #expect(log == ["1", "2", "disposed"])
  }

  @Test func `doOn passes no end on that its own closure has answered by disposal`() {
    var starts = 0
    let push = PushStream<Int>()
    let serial = SerialDisposable()
    let second = Stream<Int>.never().doOn(start: { starts += 1 })
    var isDisposed = false
    serial.inner = push.doOn(completed: { serial.dispose() }, disposed: { isDisposed = true })
      .map { $0 }.reduce(0, +).doOn(next: { _ in starts += 1 }).concat(with: second).observeNext { _ in }
    push.completed()
    #expect(isDisposed)
    #expect(starts == 0)
  }

  @Test func `take(until:) completes with the trigger and observes nothing when it comes at once`() {
    let probe = Probe<TestError>()
    let trigger = PushStream<Void>()
    let recorder = probe.stream.take(until: trigger).record()
    probe.next(1)
    trigger.next()
    probe.next(2)
    #expect(recorder.events == [.next(1), .completed])
    #expect(probe.disposals == 1)
    #expect(trigger.observerCount == 0)
    #expect(probe.stream.take(until: Stream.just(())).record().events == [.completed])
    #expect(probe.starts == 1)
  }

  @Test func `take(until:) completes when the trigger completes, and fails with it`() {
    let probe = Probe<TestError>()
    let trigger = PushOperation<Void, TestError>()
    let completing = probe.stream.take(until: trigger).record()
    probe.next(1)
    trigger.completed()
    #expect(completing.events == [.next(1), .completed])
    let failing = probe.stream.take(until: Operation<Void, TestError>.failed("trigger")).record()
    #expect(failing.events == [.failed("trigger")])
    #expect(probe.starts == 1)
    #expect(probe.disposals == 1)
  }

  @Test func `skip(until:) lets pass what comes after the trigger`() {
    let push = PushStream<Int>()
    let trigger = PushStream<Void>()
    let recorder = push.skip(until: trigger).record()
    push.next(1)
    trigger.next()
    #expect(trigger.observerCount == 0)
    push.next(2)
    push.completed()
    #expect(recorder.events == [.next(2), .completed])
    #expect(Stream.just(3).skip(until: Stream<Void>.completed()).record().events == [.next(3), .completed])
    let closed = PushStream<Int>()
    let other = closed.skip(until: trigger).record()
    closed.next(1)
    closed.completed()
    #expect(other.events == [.completed])
    #expect(trigger.observerCount == 0)
  }
}
