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

  // MARK: One result

  @Test func `a result is delivered in the observer's isolation, once for each observer`() async {
    var calls = 0
    let stream = Stream<Int>.awaiting {
      MainActor.assertIsolated()
      calls += 1
      await Task.yield()
      return calls
    }
    #expect(calls == 0)
    let (first, second) = (stream.record(), stream.record())
    #expect(first.events.isEmpty)
    await eventually { first.termination != nil && second.termination != nil }
    #expect(Set(first.elements + second.elements) == [1, 2] || first.elements + second.elements == [2, 2])
    #expect(first.isCompleted && second.isCompleted && calls == 2)
  }

  @Test func `the error of an awaited closure is typed`() async {
    let recorder = Operation<Int, TestError>.awaiting { () throws(TestError) in
      await Task.yield()
      throw "no"
    }.record()
    await eventually { recorder.termination != nil }
    #expect(recorder.events == [.failed("no")])
  }

  @Test func `disposing cancels an awaited closure, and its result is disposed`() async {
    var (hasBegun, wasCanceled, isDisposed) = (false, false, false)
    let subscription = Stream<BlockDisposable>.awaiting {
      hasBegun = true
      while !Task.isCancelled { await Task.yield() }
      wasCanceled = true
      return BlockDisposable { isDisposed = true }
    }.observeNext { _ in Issue.record("delivered after disposal") }
    await eventually { hasBegun }
    subscription.dispose()
    await eventually { wasCanceled && isDisposed }
  }

  @Test func `a result is held while the observer is paused`() async {
    var (hasBegun, isAllowed, hasReturned) = (false, false, false)
    let recorder = Stream<Int>.awaiting {
      hasBegun = true
      while !isAllowed { await Task.yield() }
      hasReturned = true
      return 1
    }.record()
    await eventually { hasBegun }
    recorder.pause()
    isAllowed = true
    await eventually { hasReturned }
    for _ in 0..<20 { await Task.yield() }
    #expect(recorder.events.isEmpty)
    recorder.resume()
    await eventually { recorder.termination != nil }
    #expect(recorder.elements == [1] && recorder.isCompleted)
  }

  @Test func `it can begin with a dot where a stream is expected`() async {
    func answer(_ body: () -> Stream<String>) -> Stream<String> { body() }
    let recorder = answer {
      .awaiting {
        await Task.yield()
        return "slept"
      }
    }.record()
    await eventually { recorder.termination != nil }
    #expect(recorder.elements == ["slept"])
  }
}
