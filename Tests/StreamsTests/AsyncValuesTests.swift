import StreamsTesting
import Testing

@testable import Streams

/// Yields until `condition` holds. A correct implementation always makes it true. The deadline is for broken code.
func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation
) async {
  let deadline = ContinuousClock.now + .seconds(600)
  while !condition() {
    if ContinuousClock.now > deadline {
      Issue.record("what the test waits for has not come", sourceLocation: sourceLocation)
      return
    }
    await Task.yield()
  }
}

@Suite("Async values", .noLiveResources, .timeLimit(.minutes(15)))
struct AsyncValuesTests {
  @Test func `a task without an actor gets all elements`() async {
    var received: [Int] = []
    for await value in Stream.sequence(1...1000).values() { received.append(value) }
    #expect(received == Array(1...1000))
  }

  @Test(arguments: [true, false])
  func `the end comes after what waits, and once`(fails: Bool) async throws {
    let probe = Probe<TestError>()
    var iterator = probe.stream.values().makeAsyncIterator()
    #expect(probe.starts == 1)
    probe.next(1)
    probe.next(2)
    probe.terminate(fails ? .failed("broken") : .completed)
    var received: [Int] = []
    do throws(TestError) {
      while let value = try await iterator.next() { received.append(value) }
      #expect(!fails)
    } catch {
      #expect(fails)
      #expect(error == "broken")
    }
    #expect(received == [1, 2])
    #expect(try await iterator.next() == nil)
    #expect(probe.disposals == 1)
  }

  @Test func `each iterator is a subscription of its own`() async {
    let push = PushStream<Int>()
    let values = push.values()
    #expect(push.observerCount == 0)
    var one = values.makeAsyncIterator()
    push.next(1)
    var two = values.makeAsyncIterator()
    push.next(2)
    push.completed()
    #expect(await [one.next(), one.next(), one.next()] == [1, 2, nil])
    #expect(await [two.next(), two.next()] == [2, nil])
  }

  @Test(arguments: [
    (AsyncBuffering.bounded(2, .dropOldest), [4, 5]), (.bounded(2, .dropNewest), [1, 2]), (.latest, [5]),
    (.unbounded, [1, 2, 3, 4, 5]), (.pausing, [1, 2, 3, 4, 5]),
  ])
  func `a policy keeps what it says`(_ policy: AsyncBuffering, _ expected: [Int]) async {
    let push = PushStream<Int>()
    let values = push.values(policy)
    var received: [Int] = []
    var iterator = values.makeAsyncIterator()
    for number in 1...5 { push.next(number) }
    push.completed()
    while let value = await iterator.next() { received.append(value) }
    #expect(received == expected)
  }

  @Test(arguments: [(0, 1), (3, 10), (16, 64)])
  func `pausing bounds what waits of an infinite sequence`(low: Int, high: Int) async {
    var iterator = Stream.sequence(0...).values(.pausing(Watermarks(high: high, low: low))).makeAsyncIterator()
    for number in 0..<1000 { #expect(await iterator.next() == number) }
    #if DEBUG
    #expect(iterator.core.buffer.peak == high)
    #endif
  }

  @Test func `the source is paused at the high mark and resumed at the low one`() async {
    let probe = Probe<Never>()
    var iterator = probe.stream.values(.pausing(Watermarks(high: 3, low: 1))).makeAsyncIterator()
    for number in 1...3 {
      #expect(probe.pauses == 0)
      probe.next(number)
    }
    #expect(probe.pauses == 1)
    #expect(await iterator.next() == 1)
    #expect(probe.resumes == 0)
    #expect(await iterator.next() == 2)
    #expect(probe.resumes == 1)
    for number in 4...5 { probe.next(number) }
    #expect(probe.pauses == 2)
  }

  @Test func `a source that cannot wait goes on, and that is reported once`() async {
    let push = PushStream<Int>()
    var iterator = push.values(.pausing(Watermarks(high: 2, low: 1))).makeAsyncIterator()
    let reports = captureDiagnostics { for number in 1...50 { push.next(number) } }
    #expect(reports.count == 1)
    #expect(reports.first?.contains("more than 4 elements") == true)
    for number in 1...50 { #expect(await iterator.next() == number) }
  }

  @Test func `the greatest mark is as good as none`() async {
    let push = PushStream<Int>()
    var iterator = push.values(.pausing(Watermarks(high: .max, low: .max - 1))).makeAsyncIterator()
    for number in 1...50 { push.next(number) }
    for number in 1...50 { #expect(await iterator.next() == number) }
  }

  /// A class that is not Sendable.
  final class Message {
    var text = ""
  }

  actor Owner {
    private let push = PushStream<Message>()
    private(set) var texts: [String] = []

    func listen() async {
      for await message in push.values() { texts.append(message.text) }
    }

    func send(_ text: String) {
      let message = Message()
      message.text = text
      push.next(message)
    }

    func finish() { push.completed() }
    var observers: Int { push.observerCount }
  }

  @Test func `an actor iterates over its own stream, whose elements are not Sendable`() async {
    let owner = Owner()
    let task = Task { await owner.listen() }
    while await owner.observers == 0 { await Task.yield() }
    for number in 0..<100 { await owner.send("\(number)") }
    await owner.finish()
    await task.value
    #expect(await owner.texts == (0..<100).map(String.init))
  }

  @Test @MainActor
  func `the main actor iterates over a stream that it feeds meanwhile`() async {
    let push = PushStream<Message>()
    var texts: [String] = []
    let task = Task { for await message in push.values() { texts.append(message.text) } }
    await eventually { push.observerCount == 1 }
    for number in 0..<100 {
      let message = Message()
      message.text = "\(number)"
      push.next(message)
      if number.isMultiple(of: 7) { await Task.yield() }
    }
    push.completed()
    await task.value
    #expect(texts == (0..<100).map(String.init))
  }

  @Test func `watermarks that make no sense trap with the rule`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream<Int>.never().values(.pausing(Watermarks(high: 4, low: 4)))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("high is more than low"))
  }
}
