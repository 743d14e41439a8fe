import Streams
import StreamsTesting
import Testing

@Suite("The clock of a recording", .noLiveResources)
struct RecordingClockTests {
  @Test func `it is the default of what is started by a plain send, for as long as the recording lives`() {
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

  @Test func `the recording that a stream ends in decides, whatever else is recorded meanwhile`() {
    let (one, other) = (VirtualScheduler(), VirtualScheduler())
    let source = PushStream<Int>()
    let timed = source.flatMap(.merge) { Stream.timer($0, after: .seconds(1)) }
    let recorder = timed.record(on: one)
    let second = Stream<Int>.never().record(on: other)
    source.next(1)
    #expect(one.pendingCount == 1 && other.pendingCount == 0)
    one.advance(by: .seconds(1))
    #expect(recorder.elements == [1])
    withExtendedLifetime(second) {}
  }

  @Test func `what ends in no recording has the clock of the latest, and afterwards of the one before`() {
    let (one, other) = (VirtualScheduler(), VirtualScheduler())
    let first = Stream<Int>.never().record(on: one)
    let bag = DisposeBag()
    var fired: [Int] = []
    do {
      let second = Stream<Int>.never().record(on: other)
      Stream.timer(1, after: .seconds(1)).observeNext { fired.append($0) }.dispose(in: bag)
      #expect(one.pendingCount == 0 && other.pendingCount == 1)
      withExtendedLifetime(second) {}
    }
    Stream.timer(2, after: .seconds(1)).observeNext { fired.append($0) }.dispose(in: bag)
    #expect(one.pendingCount == 1 && other.pendingCount == 1)
    one.advance(by: .seconds(1))
    other.advance(by: .seconds(1))
    #expect(fired == [2, 1])
    withExtendedLifetime(first) {}
  }
}
