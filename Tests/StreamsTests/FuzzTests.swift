import Streams
import StreamsTesting
import Testing

/// Every operator that holds elements, compared with its model: pauses, resumes, disposals, and sends nested inside deliveries,
/// with sources that can wait and with sources that cannot.
@Suite(.noLiveResources)
struct FuzzTests {
  private let interval = Duration.milliseconds(3)

  @Test func `buffer does what its model does`() {
    fuzz(BufferModel.init) { $0.a.stream.buffer(2, emitPartial: true).map { "\($0)" } }
  }

  @Test func `debounce does what its model does`() {
    fuzz(DebounceModel.init) { $0.a.stream.debounce(for: interval).map { "\($0)" } }
  }

  @Test func `throttle does what its model does`() {
    fuzz(ThrottleModel.init) { $0.a.stream.throttle(for: interval, latest: true).map { "\($0)" } }
  }

  @Test func `sample does what its model does`() {
    fuzz(SampleModel.init) { $0.a.stream.sample(for: interval).map { "\($0)" } }
  }

  @Test func `delay does what its model does`() {
    fuzz(DelayModel.init) { $0.a.stream.delay(for: interval).map { "\($0)" } }
  }

  @Test func `zip does what its model does`() {
    fuzz(ZipModel.init) { $0.a.stream.zip(with: $0.b.stream).map { "\($0)+\($1)" } }
  }

  @Test func `flatMap(.concat) does what its model does`() {
    fuzz(ConcatModel.init) { subject in
      subject.a.stream.flatMap(.concat) { [unowned subject] number in
        if number % 2 == 0 { return .sequence([number * 100, number * 100 + 1]) }
        let inner = PushOperation<Int, TestError>()
        subject.sendOther = { inner.send($0) }
        return inner.toOperation()
      }.map { "\($0)" }
    }
  }

  @Test func `pausable(by:buffering:) does what its model does`() {
    fuzz(PausableModel.init) { subject in
      let isRunning = subject.b.stream.map { $0 % 2 == 0 }.toStream(logError: false)
      return subject.a.stream.pausable(by: isRunning, buffering: 100).map { "\($0)" }
    }
  }

  @Test func `observe(on:) does what its model does`() {
    fuzz(TurnModel.init) { subject in
      let turns = TurnTests.Turns()
      subject.didAdvance = { turns.take() }
      return subject.a.stream.observe(on: turns.context).map { "\($0)" }
    }
  }
}
