import Streams
import StreamsTesting
import Testing

@Suite("Async value", .noLiveResources, .timeLimit(.minutes(15))) @MainActor
struct AsyncValueTests {
  @Test func `value is the first element, and the source is disposed`() async throws {
    let probe = Probe<TestError>()
    probe.atStart = { for number in 1...3 { $0.next(number) } }
    #expect(try await probe.stream.value == 1)
    #expect(probe.disposals == 1)
    #expect(await Stream.sequence(5...).firstValue() == 5)
  }

  @Test func `value of what fails or ends throws`() async {
    await #expect(throws: TestError("broken")) { try await Operation<Int, TestError>.failed("broken").value }
    await #expect(throws: StreamEnded()) { try await Stream<Int>.completed().value }
    #expect(await Stream<Int>.completed().firstValue() == nil)
    do throws(TestError) {
      _ = try await Operation<Int, TestError>.failed("broken").firstValue()
      Issue.record("it has not thrown")
    } catch {
      #expect(error == "broken")
    }
  }

  @Test(arguments: [true, false]) func `cancelling disposes of the source`(first: Bool) async throws {
    let probe = Probe<Never>()
    let task = Task { () throws -> Int? in
      if first { return await probe.stream.firstValue() }
      return try await probe.stream.value
    }
    await eventually { probe.starts == 1 }
    task.cancel()
    if first {
      #expect(try await task.value == nil)
    } else {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    await eventually { probe.disposals == 1 }
  }

  /// What happens, before the task has run again.
  enum Order: CaseIterable { case element, failure, elementLate }

  @Test(arguments: Order.allCases) func `what has arrived when the task is cancelled is delivered`(_ order: Order)
    async throws
  {
    let push = PushOperation<Int, TestError>()
    let task = Task { try await push.toOperation().value }
    await eventually { push.observerCount == 1 }
    if order == .elementLate { task.cancel() }
    if order == .failure { push.failed("broken") } else { push.next(1) }
    task.cancel()
    switch order {
    case .element: #expect(try await task.value == 1)
    case .failure: await #expect(throws: TestError("broken")) { try await task.value }
    case .elementLate: await #expect(throws: CancellationError.self) { try await task.value }
    }
    await eventually { push.observerCount == 0 }
  }

  @Test func `a task that is cancelled already starts nothing`() async {
    let probe = Probe<Never>()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      _ = await probe.stream.firstValue()
    }
    task.cancel()
    await task.value
    #expect(probe.starts == 0)
  }

  @Test func `the element of a hot stream`() async throws {
    let push = PushOperation<Canary, TestError>()
    let canary = Canary()
    let task = Task { _ = try await push.toOperation().value === canary }
    await eventually { push.observerCount == 1 }
    push.next(canary)
    #expect(push.observerCount == 0, "disposed by the element, not by the task")
    push.next(Canary())
    try await task.value
  }

  @Test(arguments: [true, false]) func `value and firstValue() retain the stream that they await`(first: Bool)
    async throws
  {
    var push: PushStream<Int>? = PushStream()
    weak let kept = push
    // The task takes the only other reference.
    var stream = push?.map { $0 + 1 }
    let task = Task { () throws -> Int? in
      if first { return await stream.take()?.firstValue() }
      return try await stream.take()?.value
    }
    push = nil
    await eventually { kept == nil || kept?.observerCount == 1 }
    for _ in 0..<10 { await Task.yield() }
    #expect(kept != nil)
    kept?.next(1)
    #expect(try await task.value == 2)
    await eventually { kept == nil }
  }

  @Test func `a loop over the values of a subject does not retain the subject, and ends with it`() async {
    var push: PushStream<Int>? = PushStream()
    weak let kept = push
    // The task takes the only other reference.
    var subject = push
    var received: [Int] = []
    let task = Task {
      for await number in subject.take()!.values() { received.append(number) }
    }
    await eventually { kept?.observerCount == 1 }
    push?.next(1)
    await eventually { received == [1] }
    push = nil
    await eventually { kept == nil }
    task.cancel()
    await task.value
  }
}
