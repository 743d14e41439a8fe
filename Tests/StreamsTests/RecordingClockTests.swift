import Streams
import StreamsTesting
import Testing

@Suite("The clock of a recording", .noLiveResources)
struct RecordingClockTests {
  @Test("It is the default of what is started by a plain send, for as long as the recording lives") func later() {
    let scheduler = VirtualScheduler()
    let source = PushStream<Int>()
    let recorder = source.flatMap(.latest) { Stream.timer($0, after: .seconds(1)) }.record(on: scheduler)
    source.next(1)
    scheduler.advance(by: .seconds(2))
    source.next(2)
    scheduler.advance(by: .seconds(2))
    #expect(recorder.elements == [1, 2])
    #expect(recorder.elementTimes == [.seconds(1), .seconds(3)])
  }

  @Test("The latest recording decides, and afterwards the one before") func several() {
    let (one, other) = (VirtualScheduler(), VirtualScheduler())
    let source = PushStream<Int>()
    let timed = source.flatMap(.merge) { Stream.timer($0, after: .seconds(1)) }
    let recorder = timed.record(on: one)
    do {
      let second = Stream<Int>.never().record(on: other)
      source.next(1)
      withExtendedLifetime(second) {}
    }
    source.next(2)
    #expect(one.pendingCount == 1 && other.pendingCount == 1)
    one.advance(by: .seconds(1))
    #expect(recorder.elements == [2])
    other.removeAll()
  }
}
