import Foundation
import FoundationSupport
import Headwater
import Observation
import StreamsTesting
import Testing

@Suite(.noLiveResources) struct CombineTests {
  @Test func `Combine: Publisher, AnyPublisher`() {
    func twice(_ stream: some StreamProtocol<Int, Never>) -> Streams.Operation<Int, Never> { stream.map { $0 * 2 } }
    let property = Property(1)
    #expect(marks(twice(property)) == "2")
  }

  @Test func `Combine: eraseToAnyPublisher()`() {
    let subject = PushOperation<Int, TestError>()
    let erased: Numbers = subject.toOperation()
    let recorder = erased.record()
    subject.next(1)
    #expect(marks(recorder) == "1" && marks(Property(2).toOperation()) == "2 |")
  }

  @Test func `Combine: PassthroughSubject`() {
    let subject = PushStream<Int>()
    subject.next(1)
    let recorder = subject.record()
    subject.next(2)
    #expect(marks(recorder) == "2")
  }

  @Test func `Combine: CurrentValueSubject, @Published`() {
    let property = Property(1)
    var seen: [Int] = []
    let subscription = property.observeNext { [unowned property] _ in seen.append(property.value) }
    property.value = 2
    #expect(seen == [1, 2], "told after the value has changed")
    subscription.dispose()
  }

  @Observable fileprivate final class Model: ReactiveCompatible { var count = 0 }

  @Test func `Combine: @Observable`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let model = Model()
      var counts: [Int] = []
      let subscription = model.reactive.values(for: \.count).observeNext { counts.append($0) }
      model.count = 1
      model.count = 2
      #expect(counts == [0])
      let timer = Streams.Stream.timer((), after: .milliseconds(1)).observeNext {}
      loop.run()
      #expect(counts == [0, 2], "on the next turn, the last value")
      timer.dispose()
      subscription.dispose()
    }
  }

  @Test func `Combine: Just, Empty, Fail, Deferred`() {
    #expect(marks(Numbers.just(1)) == "1 |" && marks(Numbers.completed()) == "|")
    #expect(marks(Numbers.failed("end")) == "#end" && marks(Numbers.deferred { .just(2) }) == "2 |")
  }

  @Test @MainActor func `Combine: Future`() async {
    var runs = 0
    let future = Numbers { observer in
      runs += 1
      observer.next(runs)
      observer.completed()
      return .none
    }
    #expect(runs == 0 && marks(future) == "1 |" && marks(future) == "2 |", "once for each observer")
    let elsewhere = Numbers.execute(on: Queue.background.context) { () throws(TestError) in throw "end" }
    await #expect(throws: TestError("end")) { try await elsewhere.value }
  }

  @Test func `Combine: sink`() {
    var log: [String] = []
    Numbers.just(1).observe(next: { log.append("\($0)") }, termination: { log.append("\($0)") }).dispose()
    #expect(log == ["1", "completed"])
  }

  @Test func `Combine: AnyCancellable, store(in:)`() {
    let push = PushStream<Int>()
    do { _ = push.observeNext { _ in } }
    #expect(push.observerCount == 1, "letting go of a subscription does not end it")
    do {
      let bag = DisposeBag()
      push.observeNext { _ in }.dispose(in: bag)
      #expect(push.observerCount == 2)
    }
    #expect(push.observerCount == 1)
    push.completed()
  }

  @Test func `Combine: assign(to:on:)`() {
    var label: Label? = Label()
    let push = PushStream<String>()
    push.bind(to: label!.reactive[\.text])
    push.next("a")
    #expect(label?.text == "a")
    weak let reference = label
    label = nil
    #expect(reference == nil && push.observerCount == 0)
  }

  @Test func `Combine: Subscribers.Demand`() {
    var sent = 0
    var subscription: Subscription?
    let push = PushStream<Int>()
    subscription = push.flatMap(.concat) { _ in Streams.Stream.sequence(1...).doOn(next: { sent = $0 }) }.observeNext {
      if $0 == 3 { subscription?.pause() }
    }
    push.next(0)
    #expect(sent == 3)
    subscription?.dispose()
  }

  @Test func `Combine: compactMap`() {
    #expect(marks(Streams.Stream.sequence(["1", "x"]).compactMap { Int($0) }) == "1 |")
  }

  @Test func `Combine: removeDuplicates(), removeDuplicates(by:)`() {
    let numbers = Streams.Stream.sequence([1, 1, 3, 2])
    #expect(marks(numbers.removeDuplicates()) == "1 3 2 |")
    #expect(marks(numbers.removeDuplicates { $0 % 2 == $1 % 2 }) == "1 2 |")
  }

  @Test func `Combine: prefix(_:), dropFirst(_:)`() {
    let numbers = Streams.Stream.sequence([1, 2, 3])
    #expect(
      marks(numbers.prefix(2)) == "1 2 |" && marks(numbers.dropFirst(2)) == "3 |"
        && marks(numbers.dropFirst()) == "2 3 |")
  }

  @Test func `Combine: prefix(untilOutputFrom:), drop(untilOutputFrom:)`() {
    let (source, trigger) = (PushStream<Int>(), PushStream<Int>())
    let (taken, dropped) = (source.take(until: trigger).record(), source.skip(until: trigger).record())
    source.next(1)
    trigger.next(0)
    source.next(2)
    #expect(marks(taken) == "1 |" && marks(dropped) == "2")
    #expect(marks(Streams.Stream<Int>.never().take(until: Streams.Stream<Int>.completed())) == "|")
  }

  @Test func `Combine: prefix(while:), drop(while:)`() {
    let numbers = Streams.Stream.sequence([1, 2, 1])
    #expect(marks(numbers.prefix { $0 < 2 }) == "1 |" && marks(numbers.drop { $0 < 2 }) == "2 1 |")
  }

  @Test func `Combine: output(at:), ignoreOutput(), replaceEmpty(with:)`() {
    let numbers = Streams.Stream.sequence([1, 2])
    #expect(marks(numbers.element(at: 1)) == "2 |" && marks(numbers.ignoreElements()) == "|")
    #expect(marks(Streams.Stream<Int>.completed().defaultIfEmpty(1)) == "1 |")
  }

  @Test func `Combine: prepend, append`() {
    #expect(marks(Streams.Stream.just(1).start(with: 0).concat(with: Streams.Stream.just(2))) == "0 1 2 |")
  }

  @Test func `Combine: scan`() {
    #expect(marks(Streams.Stream.sequence([1, 2]).scan(0) { $0 + $1 }) == "0 1 3 |")
  }

  @Test func `Combine: collect(), collect(_:), collect(.byTime(…))`() {
    let numbers = Streams.Stream.sequence([1, 2, 3])
    #expect(marks(numbers.collect()) == "[1, 2, 3] |" && marks(numbers.buffer(2)) == "[1, 2] |")
    #expect(marks(numbers.buffer(2, emitPartial: true)) == "[1, 2] [3] |")
    let scheduler = VirtualScheduler()
    let recorder = scheduler.hot("ab|").buffer(for: .seconds(5)).record(on: scheduler)
    scheduler.advance(by: .seconds(6))
    #expect(marks(recorder) == #"["a", "b"] |"#)
  }
}
