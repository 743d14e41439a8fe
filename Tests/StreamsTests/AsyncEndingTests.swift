import Streams
import StreamsTesting
import Testing

/// All ways in which an iteration ends, in the isolation of the main actor. In a test process, that is not a loop's thread.
@Suite("Async endings", .noLiveResources, .timeLimit(.minutes(15))) @MainActor
struct AsyncEndingTests {
  let probe = Probe<Never>()

  private func expectDisposedOnce() async {
    await eventually { probe.disposals > 0 }
    for _ in 0..<10 { await Task.yield() }
    #expect(probe.disposals == 1)
    #expect(probe.starts == 1)
  }

  @Test func `break`() async {
    probe.atStart = { for number in 1...10 { $0.next(number) } }
    for await value in probe.stream.values() where value == 3 { break }
    await expectDisposedOnce()
  }

  @Test func `an error in the body`() async {
    probe.atStart = { $0.next(1) }
    await #expect(throws: TestError("body")) {
      for await _ in probe.stream.values() { throw TestError("body") }
    }
    await expectDisposedOnce()
  }

  @Test(arguments: [true, false]) func `letting go of the iterator, asked or not`(asks: Bool) async {
    weak var watched: Canary?
    do {
      let canary = Canary()
      watched = canary
      probe.atStart = { $0.next(1) }
      var iterator = probe.stream.map { (_: Int) in canary }.values().makeAsyncIterator()
      if asks { #expect(await iterator.next() === canary) }
    }
    await expectDisposedOnce()
    #expect(watched == nil)
  }

  @Test func `letting go of the iterator on another thread disposes of the source at home`() async throws {
    // Moves a value to the thread that releases it.
    struct Box<Value>: @unchecked Sendable {
      let value: Value
    }
    for _ in 0..<50 {
      var disposals = 0
      let stream = Stream<Int> { _ in
        BlockDisposable {
          MainActor.assertIsolated()
          disposals += 1
        }
      }
      let held = Lock<Box<AsyncValues<Int, Never>.Iterator>?>(nil)
      do {
        // Released on another thread on purpose, and not used there otherwise.
        nonisolated(unsafe) let iterator = stream.values().makeAsyncIterator()
        held.withLock { $0 = Box(value: iterator) }
      }
      try await onOwnThread { _ = held.withLock { $0.take() } }
      await eventually { disposals == 1 }
    }
  }

  @Test func `a source that has gone without an end, after what waits`() async {
    var push: PushStream<Int>? = PushStream()
    var iterator = push!.map { $0 + 1 }.values().makeAsyncIterator()
    push?.next(1)
    push?.next(2)
    push = nil
    #expect(await iterator.next() == 2)
    #expect(await iterator.next() == 3)
    #expect(await iterator.next() == nil)
  }

  @Test func `a source that goes while it is waited for`() async {
    let stream: Stream<Int>
    var input: PushStream<Int>?
    do {
      let pipe = Stream<Int>.pipe()
      (stream, input) = (pipe.stream, pipe.input)
    }
    var sum: Int?
    let task = Task { sum = await stream.values().reduce(0, +) }
    await eventually { input!.observerCount == 1 }
    input?.next(3)
    input = nil
    await task.value
    #expect(sum == 3)
  }

  @Test func `a source that has gone before an element: nil, and an error that says so`() async {
    func gone() -> Stream<Int> { Stream.pipe().stream }
    #expect(await gone().firstValue() == nil)
    await #expect(throws: StreamEnded.self) { try await gone().value }
  }

  @Test func `cancellation while it waits gives nil`() async {
    let task = Task {
      var received: [Int] = []
      for await value in probe.stream.values() { received.append(value) }
      return received
    }
    await eventually { probe.starts == 1 }
    probe.next(1)
    for _ in 0..<10 { await Task.yield() }
    task.cancel()
    #expect(await task.value == [1])
    await expectDisposedOnce()
  }

  @Test func `cancellation drops what waits`() async {
    let task = Task {
      var iterator = probe.stream.values().makeAsyncIterator()
      while !Task.isCancelled { await Task.yield() }
      let first = await iterator.next()
      // The source is disposed inside the call, because the caller is at home.
      #expect(probe.disposals == 1)
      let second = await iterator.next()
      return [first, second]
    }
    await eventually { probe.starts == 1 }
    for number in 1...10 { probe.next(number) }
    task.cancel()
    #expect(await task.value == [nil, nil])
    probe.next(11)
    await expectDisposedOnce()
  }

  @Test func `cancellation before the first next()`() async {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      for await _ in probe.stream.values() { Issue.record("an element") }
    }
    task.cancel()
    await task.value
    await expectDisposedOnce()
  }

  @Test func `completion while it waits`() async {
    let task = Task { for await _ in probe.stream.values() {} }
    await eventually { probe.starts == 1 }
    for _ in 0..<10 { await Task.yield() }
    probe.terminate(.completed)
    await task.value
    await expectDisposedOnce()
  }

  @Test func `completion, elements and cancellation at once`() async {
    for round in 0..<200 {
      let probe = Probe<Never>()
      let task = Task { for await _ in probe.stream.values(.latest) {} }
      await eventually { probe.starts == 1 }
      Task.detached { task.cancel() }
      for number in 0..<(round % 5) { probe.next(number) }
      if round.isMultiple(of: 2) { probe.terminate(.completed) }
      await task.value
      await eventually { probe.disposals == 1 }
    }
  }

  @Test func `asking from two tasks at once traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      let iterator = Stream<Int>.never().values().makeAsyncIterator()
      let tasks = (0..<2).map { _ in
        Task {
          var iterator = iterator
          _ = await iterator.next()
        }
      }
      for task in tasks { await task.value }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Make an iterator for each of them."))
  }

  actor Keeper {
    private var values: AsyncValues<Int, Never>?
    private var iterator: AsyncValues<Int, Never>.Iterator?

    func keep(_ disposals: AsyncStream<Void>.Continuation) {
      let stream = Stream<Int> { _ in BlockDisposable { disposals.yield() } }
      values = stream.values()
      iterator = values?.makeAsyncIterator()
    }
  }

  @Test nonisolated func `an actor that keeps an iterator can die, which disposes of the source`() async {
    let (disposals, continuation) = AsyncStream.makeStream(of: Void.self)
    weak var watched: Keeper?
    do {
      let keeper = Keeper()
      watched = keeper
      await keeper.keep(continuation)
    }
    #expect(await disposals.first { true } != nil)
    await eventually { watched == nil }
  }
}
