import Streams
import StreamsTesting
import Testing

@Suite(.noLiveResources) struct RecorderTests {
  @Test func `keeps events with their times`() {
    let scheduler = VirtualScheduler()
    let recorder = Stream<Int>.interval(.seconds(1)).take(2).record(on: scheduler)
    #expect(recorder.events.isEmpty && recorder.termination == nil)
    scheduler.advance(by: .seconds(5))
    #expect(recorder.events == [.next(0), .next(1), .completed])
    #expect(recorder.elementTimes == [.seconds(1), .seconds(2)])
    #expect(recorder.terminationTime == .seconds(2))
    #expect(recorder.isCompleted)
  }

  @Test func `tells a failure`() {
    let recorder = Operation<Int, TestError>.failed("no").record()
    #expect(recorder.failure == "no")
    #expect(!recorder.isCompleted)
    #expect(recorder.elements.isEmpty)
    #expect(recorder.failure != "yes")
  }

  @Test func `letting go of it disposes of the subscription`() {
    let push = PushStream<Int>()
    var recorder: Recorder<Int, Never>? = push.record()
    #expect(push.observerCount == 1)
    push.next(1)
    #expect(recorder?.elements == [1])
    recorder = nil
    #expect(push.observerCount == 0)
  }

  @Test func `pauses and disposes`() {
    let push = PushStream<Int>()
    let recorder = push.record()
    recorder.dispose()
    push.next(1)
    #expect(recorder.elements.isEmpty)
    #expect(recorder.subscription.isDisposed)
  }

  @Test @MainActor func `the clock reaches what another task of the domain makes the stream observe`() async {
    let scheduler = VirtualScheduler()
    let push = PushStream<Int>()
    let recorder = push.flatMap(.latest) { Stream.timer($0, after: .seconds(100)) }.record(on: scheduler)
    await Task { push.next(1) }.value
    scheduler.advance(by: .seconds(100))
    #expect(recorder.elements == [1])
    #expect(recorder.elementTimes == [.seconds(100)])
  }
}
