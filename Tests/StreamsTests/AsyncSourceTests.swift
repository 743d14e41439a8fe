import Streams
import StreamsTesting
import Testing

/// Asynchronous sequences as streams.
@Suite("Async source", .noLiveResources, .timeLimit(.minutes(15))) @MainActor
struct AsyncSourceTests {
  /// A sequence of numbers that records how many elements it was asked for.
  final class Counter: AsyncSequence, AsyncIteratorProtocol {
    var asked = 0
    var limit = Int.max
    var waits = false

    func makeAsyncIterator() -> Counter { self }

    func next() async throws(TestError) -> Int? { try await next(isolation: #isolation) }

    func next(isolation: isolated (any Actor)?) async throws(TestError) -> Int? {
      asked += 1
      if asked > limit { throw "limit" }
      if waits { while !Task.isCancelled { await Task.yield() } }
      if Task.isCancelled { return nil }
      await Task.yield()
      return asked
    }
  }

  @Test func `its elements and its end are delivered in the observer's isolation`() async {
    let (sequence, continuation) = AsyncStream.makeStream(of: Int.self)
    var events: [Event<Int, Never>] = []
    let subscription = Operation(sequence).observe {
      MainActor.assertIsolated()
      events.append($0)
    }
    #expect(events.isEmpty)
    for number in 1...3 { continuation.yield(number) }
    continuation.finish()
    await eventually { events.count == 4 }
    #expect(events == [.next(1), .next(2), .next(3), .completed])
    #expect(subscription.isDisposed)
  }

  @Test func `its failure is typed`() async {
    let counter = Counter()
    counter.limit = 2
    let recorder = Operation<Int, TestError>(counter).record()
    await eventually { recorder.termination != nil }
    #expect(recorder.events == [.next(1), .next(2), .failed("limit")])
  }

  @Test(arguments: [true, false])
  func `disposing cancels the task, and nothing more is delivered`(waits: Bool) async {
    let counter = Counter()
    counter.waits = waits
    var elements = 0
    weak var watched: Canary?
    do {
      let canary = Canary()
      watched = canary
      let subscription = Operation(counter).observeNext { _ in
        _ = canary
        elements += 1
      }
      await eventually { waits ? counter.asked == 1 : elements > 3 }
      subscription.dispose()
    }
    let before = elements
    let asked = counter.asked
    for _ in 0..<20 { await Task.yield() }
    #expect(elements == before)
    #expect(counter.asked == asked)
    #expect(watched == nil)
  }

  @Test func `disposed at once it asks for nothing`() async {
    let counter = Counter()
    Operation(counter).observeNext { _ in }.dispose()
    for _ in 0..<20 { await Task.yield() }
    #expect(counter.asked == 0)
  }

  @Test func `it ends with its observer`() async {
    let counter = Counter()
    let recorder = Operation(counter).take(3).record()
    await eventually { recorder.isCompleted }
    #expect(recorder.elements == [1, 2, 3])
    #expect(counter.asked == 3)
  }

  @Test func `while it is paused no element is asked for, and one that was asked for waits`() async {
    let counter = Counter()
    let recorder = Operation(counter).record()
    await eventually { recorder.elements.count == 2 }
    recorder.pause()
    let (count, asked) = (recorder.elements.count, counter.asked)
    for _ in 0..<20 { await Task.yield() }
    #expect(recorder.elements.count == count)
    #expect(counter.asked <= asked + 1)
    recorder.resume()
    await eventually { recorder.elements.count >= count + 3 }
    #expect(Array(recorder.elements.prefix(5)) == [1, 2, 3, 4, 5])
    recorder.dispose()
    for _ in 0..<20 { await Task.yield() }
  }

  @Test func `disposing while it is paused ends the task`() async {
    weak var watched: Counter?
    do {
      let counter = Counter()
      watched = counter
      let recorder = Operation(counter).record()
      recorder.pause()
      for _ in 0..<20 { await Task.yield() }
      recorder.dispose()
      for _ in 0..<20 { await Task.yield() }
      #expect(counter.asked == 0)
    }
    // The task retains the sequence until it ends.
    await eventually { watched == nil }
  }

  @Test func `there and back again, with a bound on what waits`() async throws {
    let counter = Counter()
    counter.limit = 500
    var received: [Int] = []
    do {
      for try await value in Operation(counter).values(.pausing(Watermarks(high: 4, low: 1))) {
        received.append(value)
        #expect(counter.asked <= received.count + 6)
      }
      Issue.record("it has not thrown")
    } catch { #expect(error == "limit") }
    #expect(received == Array(1...500))
  }

  @Test func `observing it on a thread that cannot receive elements traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        _ = Operation(AsyncStream<Int> { _ in }, isolation: nil).observeNext { _ in }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("in the actor that created it"))
  }
}
