import Headwater
import StreamsTesting
import Testing

@Suite(.noLiveResources) struct ReactiveKitTests {
  @Test func `ReactiveKit 2: Stream<T>`() {
    let stream: Stream<Int> = Streams.Operation<Int, Never>.sequence([1, 2])
    #expect(marks(stream) == "1 2 |")
  }

  @Test func `ReactiveKit 2: Operation<T, E>`() {
    let operation = Streams.Operation<Int, TestError> { observer in
      observer.next(1)
      observer.failed("end")
      return .none
    }
    #expect(marks(operation) == "1 #end")
  }

  @Test func `ReactiveKit 2: PushStream, PushOperation`() {
    let (stream, operation) = (PushStream<Int>(), PushOperation<Int, TestError>())
    let early = (stream.record(), operation.record())
    stream.next(1)
    operation.next(2)
    let late = (stream.record(), operation.record())
    operation.failed("end")
    #expect(marks(early.0) == "1" && marks(early.1) == "2 #end")
    #expect(marks(late.0) == "" && marks(late.1) == "#end")
  }

  @Test func `ReactiveKit 2: Property`() {
    let property = Property(1)
    let doubled: AnyProperty<Int> = property.map { $0 * 2 }
    let recorder = property.record()
    property.value = 2
    #expect(marks(recorder) == "1 2" && doubled.value == 4)
  }

  @Test func `ReactiveKit 2: CollectionProperty`() {
    let numbers = CollectionProperty([1, 2, 3])
    var asked: [Int] = []
    let even = numbers.filter {
      asked.append($0)
      return $0 % 2 == 0
    }
    let recorder = even.record()
    asked = []
    numbers.append(4)
    #expect(asked == [4], "the others are not computed again")
    #expect(even.collection == [2, 4] && recorder.elements.last?.inserts == [1])
  }

  @Test func `ReactiveKit 2: OperationEvent.Failure`() {
    let event = Event<Int, TestError>.failed("end")
    #expect(event.isFailure && event.error == "end" && Numbers.failed("end").record().events == [event])
  }

  @Test func `ReactiveKit 2: disposeIn(rBag)`() {
    let push = PushStream<Int>()
    let bag = DisposeBag()
    let recorder = push.record()
    recorder.subscription.dispose(in: bag)
    push.next(1)
    bag.dispose()
    push.next(2)
    #expect(marks(recorder) == "1")
  }

  @Test func `ReactiveKit 2: bindTo(_:)`() {
    let source = Property("a")
    let (target, label, pushed) = (Property(""), Label(), PushStream<String>())
    let recorder = pushed.record()
    let action = Action<String, Int, TestError> { .just($0.count) }
    let counts = action.values.record()
    let bag = DisposeBag()
    source.bind(to: target).dispose(in: bag)
    source.bind(to: Binder(label) { $0.text = $1 }).dispose(in: bag)
    source.bind(to: label.reactive[\.text]).dispose(in: bag)
    source.bind(to: pushed).dispose(in: bag)
    source.bind(to: action).dispose(in: bag)
    source.value = "bc"
    #expect(target.value == "bc" && label.text == "bc" && marks(recorder) == "a bc" && counts.elements == [1, 2])
  }

  @Test func `ReactiveKit 2: bidirectionalBindTo(_:)`() {
    let (one, other) = (Property(1), Property(2))
    let bag = DisposeBag()
    let recorder = one.record()
    one.bidirectionalBind(to: other).dispose(in: bag)
    #expect(other.value == 1, "the first one decides at the beginning")
    other.value = 3
    one.value = 4
    #expect(one.value == 4 && other.value == 4)
    #expect(marks(recorder) == "1 3 4", "no change is sent back")
  }

  @Test func `ReactiveKit 2: observeError`() {
    var errors: [TestError] = []
    _ = Numbers.failed("end").observeFailed { errors.append($0) }
    #expect(errors == ["end"])
  }

  @Test func `ReactiveKit 2: flatMap(.Latest)`() {
    func strategy(_ strategy: FlattenStrategy) -> String {
      let outer = PushStream<Int>()
      let inner = [PushStream<String>(), PushStream<String>(), PushStream<String>()]
      let recorder = outer.flatMap(strategy) { inner[$0] }.record()
      for number in 0..<3 { outer.next(number) }
      for number in [1, 0, 2, 1] { inner[number].next("\(number)") }
      return marks(recorder)
    }
    #expect(strategy(.latest) == "2")
    #expect(strategy(.merge) == "1 0 2 1")
    #expect(strategy(.concat) == "0")
    #expect(strategy(.concurrent(limit: 2)) == "1 0 1")
    #expect(strategy(.throttle) == "0")
    #expect(strategy(.race) == "1 1")
    #expect(marks(Stream.sequence([1, 2]).flatMapLatest { Stream.just($0) }) == "1 2 |")
  }

  @Test func `ReactiveKit 2: startWith, zipWith, mergeWith`() {
    let numbers = Stream.sequence([1, 2])
    #expect(marks(numbers.start(with: 0)) == "0 1 2 |")
    #expect(marks(numbers.merge(with: Stream.just(3))) == "1 2 3 |")
    // An endless source is paused, or this would not end.
    let zipped = Stream.sequence(1...).zip(with: PushStream<String>())
    let recorder = zipped.record()
    #expect(marks(recorder) == "")
    #expect(marks(numbers.zip(with: Stream.sequence(5...)).map { $0 + $1 }) == "6 8 |")
  }

  @Test func `ReactiveKit 2: combineLatestWith`() {
    let (one, other) = (PushStream<Int>(), PushStream<Int>())
    let recorder = one.combineLatest(with: other).map { $0 * 10 + $1 }.record()
    one.next(1)
    one.next(2)
    other.next(5)
    one.next(3)
    #expect(marks(recorder) == "25 35")
    let (a, b, c) = (Stream.just(1), Stream.just(2), Stream.just(3))
    #expect(marks(Headwater.combineLatest(a, b, c).map { $0 + $1 + $2 }) == "6 |")
    #expect(marks(Stream.combineLatest([a, b, c])) == "[1, 2, 3] |")
  }

  @Test func `ReactiveKit 2: throttle(seconds)`() {
    let scheduler = VirtualScheduler()
    let source = scheduler.hot("ab-c--d-|")
    let first = source.throttle(for: .seconds(2)).record(on: scheduler)
    let latest = source.throttle(for: .seconds(2), latest: true).record(on: scheduler)
    scheduler.advance(by: .seconds(12))
    first.expect("a--c--d-|")
    latest.expect("a-b-c-d-|")
  }

  @Test func `ReactiveKit 2: shareReplay(limit)`() {
    var runs = 0
    let push = PushStream<Int>()
    let counted = Stream<Int>.deferred {
      runs += 1
      return push.toStream()
    }
    let shared = counted.shareReplay(1)
    let first = shared.record()
    push.next(1)
    #expect(marks(shared) == "1" && runs == 1)
    first.dispose()
    #expect(marks(shared) == "" && runs == 2, "the run ended with its last observer")
    let lazy = counted.replayLazily(1)
    let other = lazy.record()
    push.next(2)
    other.dispose()
    #expect(marks(lazy) == "2" && runs == 3)
  }

  @Test func `ReactiveKit 2: observeOn, executeOn`() async throws {
    let elements = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var elements: [Int] = []
      let source = Stream.sequence([1, 2])
      let subscription = source.execute(on: loop.context).observe(on: loop.context).observeNext { elements.append($0) }
      #expect(elements.isEmpty, "a later turn of the same domain")
      loop.run()
      subscription.dispose()
      return elements
    }
    #expect(elements == [1, 2])
    #expect(try await moved([1, 2]) == [1, 2])
  }

  /// The elements that a consumer on a queue receives.
  @MainActor private func moved(_ numbers: [Int]) async throws -> [Int] {
    let queue = Queue(label: "consumer")
    let received = Lock<[Int]>([])
    let isThere = Lock(false)
    let ended = PushStream<Void>()
    let end = Confined(ended)
    let subscription = Stream.sequence(numbers).observe(on: queue, watermarks: Watermarks(high: 8)) { stream, bag in
      isThere.withLock { $0 = queue.isCurrent == true }
      stream.observe(
        next: { number in received.withLock { $0.append(number) } }, termination: { _ in end.async { $0.next() } }
      ).dispose(in: bag)
    }
    _ = await ended.firstValue()
    subscription.dispose()
    queue.shutdown()
    #expect(isThere.withLock { $0 })
    return received.withLock { $0 }
  }

  @Test @MainActor func `ReactiveKit 2: Queue.main`() async {
    let done = PushStream<Bool>()
    let sender = Confined(done)
    let queue = Queue(label: "other")
    defer { queue.shutdown() }
    queue.async { _ = Queue.main.async { sender.async { $0.next(MainActor.assumeIsolated { true }) } } }
    #expect(await done.firstValue() == true)
  }

  @Test func `ReactiveKit 2: Queue(name:)`() throws {
    let queue = Queue(label: "worker")
    defer { queue.shutdown() }
    #expect(try queue.sync { Queue.current?.label } == "worker")
  }

  @Test @MainActor func `ReactiveKit 2: queue.after, queue.sync of every queue`() async throws {
    let queue = Queue(label: "worker")
    defer { queue.shutdown() }
    let ended = PushStream<Bool>()
    let end = Confined(ended)
    queue.after(.milliseconds(1)) {
      // Another queue waits for the main queue.
      let isMain = try? Queue.main.sync { MainActor.assumeIsolated { true } }
      end.async { $0.next(isMain == true) }
    }
    #expect(await ended.firstValue() == true)
    Queue.main.after(.milliseconds(1)) { end.async { $0.next(true) } }
    #expect(await ended.firstValue() == true)
  }

  @Test func `ReactiveKit 2: toStream(justLogError: true)`() {
    let reports = captureDiagnostics {
      let stream: Stream<Int> = Numbers.just(1).concat(with: .failed("end")).toStream(logError: true)
      #expect(marks(stream) == "1 |")
    }
    #expect(reports.count == 1 && reports[0].contains("end"))
  }

  @Test func `ReactiveKit 2: toErrorStream()`() {
    #expect(marks(Numbers.just(1).concat(with: .failed("end")).failures().map(\.name)) == "end |")
  }

  @Test func `ReactiveKit 2: SimpleDisposable, SerialDisposable, CompositeDisposable`() {
    let (one, other) = (SimpleDisposable(), SimpleDisposable())
    let serial = SerialDisposable(one)
    serial.inner = other
    #expect(one.isDisposed && !other.isDisposed)
    let composite = CompositeDisposable([serial])
    composite.dispose()
    #expect(other.isDisposed)
    let late = SimpleDisposable()
    composite.add(late)
    #expect(late.isDisposed)
  }

  @Test func `ReactiveKit 2: Queue.global, Queue.background`() async {
    let number = await withCheckedContinuation { continuation in
      Queue.background.async { continuation.resume(returning: 1) }
    }
    #expect(number == 1)
  }

  @Test func `ReactiveKit 2: PropertyOf(property)`() {
    let property = Property(1)
    let view: AnyProperty<Int> = property.readOnlyView
    property.value = 2
    #expect(view.value == 2)
  }

  @Test func `ReactiveKit 2: subject.on(.Next(x))`() {
    let subject = PushOperation<Int, TestError>()
    let recorder = subject.record()
    subject.send(.next(1))
    subject.next(2)
    subject.send(.failed("end"))
    #expect(marks(recorder) == "1 2 #end")
  }
}
