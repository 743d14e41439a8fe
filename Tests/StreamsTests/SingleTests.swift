import Streams
import StreamsTesting
import TestSupport
import Testing

@Suite("single", .noLiveResources) @MainActor
struct SingleTests {
  private typealias Numbers = Streams.Operation<Int, TestError>

  @Test func `single fails without an element, and at once with a second one`() {
    #expect(Numbers.sequence([7]).single(orFail: "not one").record().events == [.next(7), .completed])
    #expect(Numbers.completed().single(orFail: "not one").record().events == [.failed("not one")])
    #expect(Numbers.sequence(1...).single(orFail: "not one").record().events == [.failed("not one")])
    #expect(Numbers.failed("source").single(orFail: "not one").record().events == [.failed("source")])
  }

  @Test func `single disposes of what it holds when there is a second element, and when its observer leaves`()
    async
  {
    let counter = ResourceCounter()
    let stream = PushOperation<Resource, TestError>()
    let recorder = stream.single(orFail: "two").map { _ in }.record()
    for _ in 0..<2 { stream.next(Resource(counter)) }
    #expect(recorder.failure == "two")
    // The sender refers to the second one until `next` returns.
    await eventually { counter.count == 0 }
    let subscription = stream.single(orFail: "two").observe { _ in }
    stream.next(Resource(counter))
    #expect(counter.count == 1)
    subscription.dispose()
    #expect(counter.count == 0)
  }
}
