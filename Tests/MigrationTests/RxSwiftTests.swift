import Headwater
import StreamsTesting
import Testing

@Suite(.noLiveResources) struct RxSwiftTests {
  @Test func `RxSwift: Observable<T>`() {
    let stream: Streams.Operation<Int, TestError> = .failed("end")
    let error: TestError? = stream.record().failure
    #expect(error == "end")
  }

  @Test @MainActor func `RxSwift: Single, Maybe, Completable`() async throws {
    #expect(try await Numbers.sequence([1, 2]).value == 1, "the first one; the others are not waited for")
    #expect(try await Numbers.completed().firstValue() == nil)
    await #expect(throws: StreamEnded.self) { try await Numbers.completed().value }
    await #expect(throws: TestError("end")) { try await Numbers.failed("end").value }
    #expect(marks(Numbers.sequence([1, 2]).single(orFail: "two")) == "#two")
  }

  @Test func `RxSwift: Driver, Signal`() {
    let push = PushOperation<Int, TestError>()
    let driver: Stream<Int> = push.recover(with: 0).shareReplay(1)
    let first = driver.record()
    push.next(1)
    let late = driver.record()
    push.failed("end")
    #expect(marks(first) == "1 0 |" && marks(late) == "1 0 |")
  }

  @Test func `RxSwift: Observable.create`() {
    let isDisposed = SimpleDisposable()
    let stream = Numbers { observer in
      observer.next(1)
      observer.completed()
      return isDisposed
    }
    #expect(marks(stream) == "1 |" && isDisposed.isDisposed)
  }

  @Test func `RxSwift: of, from`() {
    #expect(marks(Stream.sequence(1...).take(2)) == "1 2 |", "an endless sequence stops")
  }

  @Test func `RxSwift: just, empty, never, error`() {
    #expect(marks(Numbers.just(1)) == "1 |" && marks(Numbers.completed()) == "|")
    #expect(marks(Numbers.never()) == "" && marks(Numbers.failed("end")) == "#end")
  }

  @Test func `RxSwift: deferred`() {
    var count = 0
    let stream = Stream<Int>.deferred {
      count += 1
      return .just(count)
    }
    #expect(count == 0 && marks(stream) == "1 |" && marks(stream) == "2 |")
  }

  @Test func `RxSwift: interval, timer`() {
    let scheduler = VirtualScheduler()
    let timer = Stream.timer("x", after: .seconds(2)).record(on: scheduler)
    let interval = Stream.interval(.seconds(1)).record(on: scheduler)
    scheduler.advance(by: .seconds(2))
    interval.pause()
    scheduler.advance(by: .seconds(3))
    interval.resume()
    scheduler.advance(by: .seconds(1))
    timer.expect("--(x|)")
    #expect(interval.elementTimes == [.seconds(1), .seconds(2), .seconds(6)], "what was missed is skipped")
    interval.dispose()
  }

  @Test func `RxSwift: PublishSubject`() {
    let subject = PublishSubject<Int, TestError>()
    let recorder = subject.record()
    subject.next(1)
    subject.completed()
    #expect(marks(recorder) == "1 |" && marks(subject) == "|")
  }

  @Test func `RxSwift: BehaviorSubject`() {
    let subject = ReplayOneSubject<Int, TestError>()
    #expect(marks(subject) == "", "no initial element")
    subject.next(1)
    subject.next(2)
    #expect(marks(subject) == "2")
  }

  @Test func `RxSwift: BehaviorRelay`() {
    var relay: Property<Int>? = Property(1)
    let recorder = relay!.record()
    relay?.value = 2
    relay = nil
    #expect(marks(recorder) == "1 2 |")
  }

  @Test func `RxSwift: ReplaySubject.create(bufferSize:)`() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 2)
    for number in 1...3 { subject.next(number) }
    #expect(marks(subject) == "2 3")
  }

  @Test func `RxSwift: subscribe(onNext:)`() {
    var elements: [Int] = []
    let subscription = Stream.sequence([1, 2]).observeNext { elements.append($0) }
    #expect(elements == [1, 2])
    subscription.dispose()
  }

  @Test func `RxSwift: DisposeBag, disposed(by:)`() {
    let push = PushStream<Int>()
    do {
      let bag = DisposeBag()
      push.observeNext { _ in }.dispose(in: bag)
      #expect(push.observerCount == 1)
    }
    #expect(push.observerCount == 0)
  }

  @Test @MainActor func `RxSwift: Binder, bind(to:)`() async {
    let label = MainLabel()
    let bag = DisposeBag()
    let source = Property("a")
    source.bind(to: Binder(label) { $0.text = $1 }).dispose(in: bag)
    #expect(label.text == "a", "where the element is sent, at once")
    let other = MainLabel()
    source.bind(to: Binder(main: other) { $0.text = $1 }).dispose(in: bag)
    _ = await other.changes.firstValue()
    #expect(other.text == "a")
  }

  @MainActor final class MainLabel {
    let changes = PushStream<Void>().self
    var text = "" { didSet { changes.next() } }
  }

  private final class Field: LifetimeProviding {
    var text = ""
    let clicks = PushStream<Void>()
    let typed = PushStream<Void>()
    private let token = Lifetime.Token()
    var lifetime: Lifetime { Lifetime(token) }
  }

  @Test func `RxSwift: ControlEvent, ControlProperty`() {
    let field = Field()
    let event = ControlEvent(field.clicks, of: field).record()
    let text = ControlProperty(of: field, get: { $0.text }, set: { $0.text = $1 }, changes: field.typed)
    let recorder = text.record()
    field.clicks.next()
    field.text = "a"
    field.typed.next()
    Stream.just("b").bind(to: text)
    #expect(event.elements.count == 1 && recorder.elements == ["", "a"] && field.text == "b")
  }

  final class Downloader: ProxyOwner {
    weak var delegate: (any DownloaderDelegate)?
    let proxies = ProtocolProxyRegistry()
  }

  protocol DownloaderDelegate: AnyObject {
    func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool
  }

  final class DownloaderProxy: ProtocolProxy<any DownloaderDelegate>, DownloaderDelegate {
    let shouldRetry = ProxyMethod<Bool, Downloader, Int>()
    func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool {
      call(shouldRetry, (downloader, attempt)) { $0.downloader(downloader, shouldRetry: attempt) }
    }
  }

  private final class Controller: DownloaderDelegate {
    func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool { attempt < 3 }
  }

  @Test func `RxSwift: DelegateProxy`() {
    let (downloader, controller) = (Downloader(), Controller())
    downloader.delegate = controller
    let proxy = DownloaderProxy.install(on: downloader, at: \.delegate)
    let attempts = proxy.shouldRetry.stream.map { $0.1 }.record()
    let answers = [1, 5].map { downloader.delegate?.downloader(downloader, shouldRetry: $0) }
    #expect(answers == [true, false], "the delegate that was there answers")
    #expect(attempts.elements == [1, 5])
    attempts.dispose()
    proxy.dispose()
    #expect(downloader.delegate === controller)
  }

  @Test func `RxSwift: distinctUntilChanged()`() {
    #expect(marks(Stream.sequence([1, 1, 2, 1]).distinct()) == "1 2 1 |")
  }

  @Test func `RxSwift: compactMap`() {
    #expect(marks(Stream.sequence(["1", "x"]).compactMap { Int($0) }) == "1 |")
  }

  @Test func `RxSwift: startWith, concat`() {
    #expect(marks(Stream.just(1).start(with: 0).concat(with: Stream.just(2))) == "0 1 2 |")
  }

  @Test func `RxSwift: scan`() { #expect(marks(Stream.sequence([1, 2]).scan(0) { $0 + $1 }) == "0 1 3 |") }

  @Test func `RxSwift: buffer(timeSpan:count:)`() {
    let scheduler = VirtualScheduler()
    let recorder = scheduler.hot("ab------c-").buffer(for: .seconds(3)).record(on: scheduler)
    scheduler.advance(by: .seconds(9))
    #expect(marks(recorder) == #"["a", "b"] ["c"]"#)
    recorder.dispose()
    #expect(marks(Stream.sequence([1, 2, 3]).buffer(2)) == "[1, 2] |")
    #expect(marks(Stream.sequence([1, 2, 3]).buffer(2, emitPartial: true)) == "[1, 2] [3] |")
  }

  @Test func `RxSwift: take(while:), skip(while:)`() {
    let numbers = Stream.sequence([1, 2, 1])
    #expect(marks(numbers.take { $0 < 2 }) == "1 |" && marks(numbers.skip { $0 < 2 }) == "2 1 |")
  }

  @Test func `RxSwift: groupBy`() {
    var groups: [Int: Recorder<Int, Never>] = [:]
    Stream.sequence([1, 2, 3]).groupBy { $0 % 2 }.observeNext { groups[$0.key] = $0.elements.record() }.dispose()
    #expect(groups.mapValues { marks($0) } == [1: "1 3 |", 0: "2 |"])
    var late: Streams.Operation<Int, Never>?
    let push = PushStream<Int>()
    let subscription = push.groupBy { _ in 0 }.observeNext { late = $0.elements }
    push.next(1)
    #expect(late.map { marks($0) } == "1", "the first element waits for the first observer")
    subscription.dispose()
  }

  @Test func `RxSwift: single()`() {
    #expect(marks(Numbers.sequence([1, 2]).single(orFail: "not one")) == "#not one")
    #expect(marks(Numbers.completed().single(orFail: "not one")) == "#not one")
    #expect(marks(Numbers.just(1).single(orFail: "not one")) == "1 |")
  }

  @Test func `RxSwift: ifEmpty(switchTo:)`() {
    #expect(marks(Stream<Int>.completed().switchIfEmpty(Stream.just(1))) == "1 |")
  }

  @Test func `RxSwift: scan(into:)`() {
    #expect(marks(Stream.sequence([1]).scan(into: [Int]()) { $0.append($1) }) == "[] [1] |")
  }

  @Test func `RxSwift: take(until:)`() {
    let trigger = PushStream<Void>()
    let recorder = Stream<Int>.never().take(until: trigger).record()
    trigger.completed()
    #expect(marks(recorder) == "|", "the end of the other stream is enough")
  }

  @Test func `RxSwift: withLatestFrom`() {
    #expect(marks(Stream.just(1).withLatest(from: Property(2)).map { "\($0),\($1)" }) == "1,2 |")
  }

  @Test func `RxSwift: sample`() {
    let trigger = PushStream<Void>()
    let recorder = Property(1).sample(on: trigger).record()
    trigger.next()
    trigger.next()
    #expect(recorder.elements == [1, 1], "an element may be sent again")
  }

  @Test func `RxSwift: amb, ifEmpty(default:), elementAt`() {
    let (one, other) = (PushStream<Int>(), PushStream<Int>())
    let recorder = one.amb(with: other).record()
    other.next(1)
    one.next(2)
    #expect(marks(recorder) == "1")
    #expect(marks(Stream<Int>.completed().defaultIfEmpty(1)) == "1 |")
    #expect(marks(Stream.sequence([1, 2]).element(at: 1)) == "2 |")
    #expect(marks(Stream.sequence([1, 2]).element(at: 5)) == "|")
  }
}
