import Headwater
import StreamsTesting
import Synchronization
import Testing

@Suite(.noLiveResources) struct ReactiveSwiftTests {
  @Test func `ReactiveSwift: SignalProducer<T, E>`() {
    var runs = 0
    let producer = Numbers { observer in
      runs += 1
      observer.next(runs)
      observer.completed()
      return .none
    }
    #expect(runs == 0 && marks(producer) == "1 |" && marks(producer) == "2 |")
  }

  @Test func `ReactiveSwift: Property(capturing:)`() {
    let property = Property(1)
    let view: AnyProperty<Int> = property.readOnlyView
    property.value = 2
    #expect(view.value == 2)
  }

  @Test func `ReactiveSwift: MutableCollectionProperty.changesProducer`() {
    let list = CollectionProperty([1])
    let recorder = list.steps.record()
    let known = recorder.elements.count
    list.append(2)
    #expect(Array(recorder.elements[known...]) == [.begin, .step(.insert(2, at: 1)), .end])
  }

  @Test func `ReactiveSwift: ImmediateScheduler`() {
    let log = Mutex<[Int]>([])
    ExecutionContext.immediate.execute { log.withLock { $0.append(1) } }
    log.withLock { $0.append(2) }
    #expect(log.withLock { $0 } == [1, 2])
  }

  @Test func `ReactiveSwift: Signal<T, E>`() {
    let signal = PushOperation<Int, TestError>()
    let recorder = signal.record()
    signal.next(1)
    signal.failed("end")
    #expect(marks(recorder) == "1 #end")
  }

  @Test func `ReactiveSwift: Signal.pipe()`() {
    let (stream, input) = Numbers.pipe()
    let recorder = stream.record()
    input.next(1)
    input.completed()
    #expect(marks(recorder) == "1 |")
  }

  @Test func `ReactiveSwift: Signal.Observer`() {
    var marks: [String] = []
    let observer = Observer<Int, TestError>(
      for: Subscription(downstream: nil), next: { marks.append("\($0)") }, termination: { marks.append("\($0)") })
    let disposable = Numbers.just(1).subscribe(observer)
    #expect(marks == ["1", "completed"])
    disposable.dispose()
  }

  @Test func `ReactiveSwift: Event.value, .interrupted`() {
    let push = PushOperation<Int, TestError>()
    let recorder = push.record()
    push.next(1)
    recorder.dispose()
    push.next(2)
    #expect(recorder.events == [.next(1)], "disposal sends nothing")
  }

  @Test func `ReactiveSwift: MutableProperty`() async throws {
    let property = Property(1)
    property.modify { $0 += 1 }
    #expect(property.swap(3) == 2 && property.value == 3)
    // Another thread changes the property through `Confined`.
    let value = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let property = Property(1)
      let confined = Confined(property)
      let queue = Queue(label: "other")
      defer { queue.shutdown() }
      queue.async { confined.async { $0.value = 2 } }
      _ = loop.run(until: property.filter { $0 == 2 }.take(1).toOperation())
      return property.value
    }
    #expect(value == 2)
  }

  @Test func `ReactiveSwift: Property`() {
    let property = Property(1)
    let view: AnyProperty<Int> = property.readOnlyView
    property.value = 2
    #expect(view.value == 2)
  }

  @Test func `ReactiveSwift: Property(initial:then:)`() {
    let push = PushStream<Int>()
    let property = AnyProperty(initial: 0, then: push)
    #expect(property.value == 0)
    push.next(1)
    #expect(property.value == 1)
  }

  @Test func `ReactiveSwift: property.producer, .signal`() {
    let property = Property(1)
    let (producer, signal) = (property.record(), property.changes.record())
    property.value = 2
    #expect(marks(producer) == "1 2" && marks(signal) == "2")
  }

  @Test func `ReactiveSwift: start, startWithValues, observeValues`() {
    let push = PushStream<Int>()
    var log: [String] = []
    let bag = DisposeBag()
    push.observeNext { log.append("hot \($0)") }.dispose(in: bag)
    push.next(1)
    Stream.just(2).observeNext { log.append("cold \($0)") }.dispose(in: bag)
    Stream.just(3).observe { log.append("\($0)") }.dispose(in: bag)
    #expect(log == ["hot 1", "cold 2", "next(3)", "completed"])
  }

  @Test func `ReactiveSwift: startWithSignal`() {
    var runs = 0
    let source = Stream<Int>.deferred {
      runs += 1
      return .sequence([1, 2])
    }
    let recorders = source.withShared { signal, _ in (signal.record(), signal.map { $0 * 2 }.record()) }
    #expect(runs == 1 && marks(recorders.0) == "1 2 |" && marks(recorders.1) == "2 4 |")
  }

  @Test func `ReactiveSwift: Action`() {
    let state = PushOperation<Int, TestError>()
    let action = Action<Int, Int, TestError> { _ in state.toOperation() }
    let values = action.values.record()
    let applied = action.apply(1)
    #expect(state.observerCount == 0, "it runs when it is observed")
    let recorder = applied.record()
    #expect(!action.isEnabled.value && action.isExecuting.value)
    #expect(marks(action.apply(2)) == "#disabled")
    state.next(7)
    state.completed()
    #expect(marks(recorder) == "7 |" && marks(values) == "7" && action.isEnabled.value)
    let other = Action<Int, Int, TestError> { .just($0) }
    let started = other.values.record()
    other.start(5)
    #expect(marks(started) == "5")
  }

  @Test func `ReactiveSwift: Action(state:enabledIf:execute:)`() {
    weak var released: Property<Int>?
    let action: Action<Int, Int, TestError>
    do {
      let state = Property(1)
      released = state
      action = Action(state: state, enabledIf: { $0 > 0 }) { state, input in .just(state + input) }
      #expect(marks(action.apply(1)) == "2 |")
      state.value = 0
      #expect(!action.isEnabled.value)
    }
    #expect(released == nil, "the action does not retain its state")
  }

  @Test func `ReactiveSwift: BindingTarget, <~`() {
    let source = Property(1)
    let (target, other) = (Property(0), Property(0))
    let bag = DisposeBag()
    (target <~ source).dispose(in: bag)
    source.bind(to: other).dispose(in: bag)
    source.value = 2
    #expect(target.value == 2 && other.value == 2)
  }

  @Test func `ReactiveSwift: object.reactive[.key]`() {
    let label = Label()
    let bag = DisposeBag()
    (label.reactive[\.text] <~ Stream.just("a")).dispose(in: bag)
    #expect(label.text == "a")
  }

  @Test func `ReactiveSwift: Lifetime, Lifetime.Token`() {
    var token: Lifetime.Token? = Lifetime.Token()
    var log: [String] = []
    let recorder: Recorder<Int, Never>
    do {
      let lifetime = Lifetime(token!)
      lifetime.observeEnded { log.append("ended") }
      recorder = Stream<Int>.never().take(during: lifetime).record()
    }
    #expect(log.isEmpty && marks(recorder) == "")
    token = nil
    #expect(log == ["ended"] && marks(recorder) == "|")
  }

  @Test func `ReactiveSwift: AnyDisposable { }`() {
    var count = 0
    let disposable = BlockDisposable { count += 1 }
    disposable.dispose()
    disposable.dispose()
    #expect(count == 1)
  }

  @Test func `ReactiveSwift: ScopedDisposable`() {
    let inner = SimpleDisposable()
    do { _ = DeinitDisposable(inner) }
    #expect(inner.isDisposed)
  }
}
