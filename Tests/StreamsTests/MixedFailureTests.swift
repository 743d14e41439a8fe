import Streams
import StreamsTesting
import Testing

/// A stream that cannot fail combined with one that can, in either order, and subjects that are known only by their protocol.
@Suite(.noLiveResources)
struct MixedFailureTests {
  let sure = Stream.sequence([1, 2])
  let risky = Source.just(10).concat(with: Source.failed("end"))

  @Test func `what combines fails as the one that can`() {
    #expect(sure.combineLatest(with: risky).map { $0.0 + $0.1 }.record().events == [.next(12), .failed("end")])
    #expect(risky.combineLatest(with: sure).map { $0.1 }.record().events.last == .failed("end"))
    #expect(sure.zip(with: risky).map { $0.0 + $0.1 }.record().events == [.next(11), .failed("end")])
    #expect(risky.zip(with: sure).map { $0.0 + $0.1 }.record().events == [.failed("end")])
    #expect(sure.withLatest(from: risky).record().failure == "end")
    #expect(risky.withLatest(from: sure).map { $0.1 }.record().events == [.next(2), .failed("end")])
  }

  @Test func `what joins fails as the one that can`() {
    #expect(sure.merge(with: risky).record().events == [.next(1), .next(2), .next(10), .failed("end")])
    #expect(risky.merge(with: sure).record().events == [.next(10), .failed("end")])
    #expect(sure.concat(with: risky).record().events == [.next(1), .next(2), .next(10), .failed("end")])
    #expect(risky.concat(with: sure).record().events == [.next(10), .failed("end")])
    #expect(sure.amb(with: risky).record().events == [.next(1), .next(2), .completed])
    #expect(risky.amb(with: sure).record().events == [.next(10), .failed("end")])
    #expect(sure.take(untilReplacement: risky).record().events == [.next(10), .failed("end")])
    #expect(risky.take(untilReplacement: sure).record().events == [.next(1), .next(2), .completed])
  }

  @Test func `inner streams that fail in another way are flattened with a mapping`() {
    struct Other: Error { let name: String }
    let inner = { (name: String) in
      Operation<Int, Other>.just(1).concat(with: Operation<Int, Other>.failed(Other(name: name)))
    }
    let mapping = { (other: Other) in TestError(other.name) }
    let outer = Operation<Operation<Int, Other>, TestError>.sequence([inner("a"), inner("b")])
    #expect(outer.merge(mapError: mapping).record().events == [.next(1), .failed("a")])
    #expect(outer.concat(mapError: mapping).record().events == [.next(1), .failed("a")])
    #expect(outer.switchToLatest(mapError: mapping).record().events == [.next(1), .failed("a")])
  }

  @Test func `a subject is known by its protocol`() {
    let subjects: [AnySubject<Int, TestError>] = [
      PublishSubject(), ReplaySubject(bufferSize: 2), ReplayOneSubject(),
    ]
    for subject in subjects {
      let recorder = subject.toOperation().record()
      subject.next(1)
      subject.send(.next(2))
      subject.send(.failed("end"))
      subject.completed()
      subject.next(3)
      #expect(recorder.events == [.next(1), .next(2), .failed("end")])
    }
    let void: AnySubject<Void, Never> = ReplayOneSubject()
    void.next()
    void.send(.completed)
    #expect(void.toOperation().record().events.count == 2)
  }

  @Test func `every subject can be fed`() {
    let elements = ReplaySubject<Int, Never>(bufferSize: 9)
    let errors = ReplayOneSubject<TestError, Never>()
    let all = ReplaySubject<Int, TestError>(bufferSize: 9)
    let activity = ReplaySubject<Bool, Never>(bufferSize: 9)
    _ = risky.feedNextInto(elements).feedErrorInto(errors).feedInto(all).feedActivityInto(activity).record()
    #expect(elements.record().elements == [10])
    #expect(errors.record().elements == ["end"])
    #expect(all.record().events == [.next(10), .failed("end")])
    #expect(activity.record().elements == [true, false])
  }

  @Test func `toStream that feeds its error can go on without an end`() {
    let errors = ReplayOneSubject<TestError, Never>()
    #expect(risky.toStream(feedErrorInto: errors, completeOnError: false).record().events == [.next(10)])
    #expect(errors.record().elements == ["end"])
  }

  @Test func `a disposable that remembers, and one that disposes when it goes`() {
    let flag = SimpleDisposable()
    #expect(!flag.isDisposed && SimpleDisposable(isDisposed: true).isDisposed)
    var scoped: DeinitDisposable? = DeinitDisposable(flag)
    #expect(!flag.isDisposed && scoped?.isDisposed == false)
    scoped = nil
    #expect(flag.isDisposed)
    let push = PushStream<Int>()
    let early = DeinitDisposable(push.observeNext { _ in })
    early.dispose()
    #expect(early.isDisposed)
    #expect(push.observerCount == 0)
  }
}
