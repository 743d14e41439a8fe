import ReactiveKitCompatibility
import Streams
import StreamsTesting
import Testing

private typealias Source = Operation<Int, TestError>

/// The names of ReactiveKit 2 still work, and mean what they meant.
@Suite(.noLiveResources)
struct StreamNamesTests {
  @available(*, deprecated)
  @Test func `operators under their old names`() {
    let source = Source.sequence([1, 2, 2])
    #expect(Source.failure("end").record().events == [.failed("end")])
    var errors: [TestError] = []
    _ = Source.failed("end").observeError { errors.append($0) }
    #expect(errors == ["end"])
    #expect(source.eraseType().record().elements.count == 3)
    #expect(source.elementAt(1).record().elements == [2])
    #expect(source.combineLatestWith(Source.just(9)).map { $0.0 + $0.1 }.record().elements == [11])
    #expect(source.zipWith(Source.sequence([10, 20])).map { $0.0 + $0.1 }.record().elements == [11, 22])
    #expect(source.mergeWith(Source.just(3)).record().elements == [1, 2, 2, 3])
    #expect(source.concatWith(Source.just(3)).record().elements == [1, 2, 2, 3])
    #expect(source.ambWith(Source.just(3)).record().elements == [1, 2, 2])
    #expect(source.startWith(0).record().elements == [0, 1, 2, 2])
    #expect(source.withLatestFrom(Source.just(5)).map { $0.1 }.record().elements == [5, 5, 5])
    #expect(source.observeOn(.immediate).observeIn(ImmediateExecutionContext).record().elements == [1, 2, 2])
    #expect(source.executeOn(.immediate).executeIn(.immediate).record().elements == [1, 2, 2])
    #expect(source.startWithSignal { signal, _ in signal.record() }.elements == [1, 2, 2])
    #expect(source.skipRepeats().record().elements == [1, 2])
    let operation: Source = Stream.just(1).toOperation()
    #expect(operation.record().events == [.next(1), .completed])
  }

  @available(*, deprecated)
  @Test func `failures under their old names`() {
    let failing = Source.just(1).concat(with: Source.failed("end"))
    #expect(failing.toErrorStream().record().events == [.next("end"), .completed])
    #expect(failing.toStream(justLogError: false).record().events == [.next(1), .completed])
    #expect(failing.toStream(justLogError: false, completeOnError: false).record().events == [.next(1)])
    let push = PushOperation<Int, TestError>()
    let (elements, errors): (Stream<Int>, Stream<TestError>) = push.toStream()
    let recorders = (elements.record(), errors.record())
    let names: (Stream<Int>, Stream<RenamedError>) = push.toStream { RenamedError(name: $0.name) }
    let name = names.1.map(\.name).record()
    push.next(1)
    push.failed("end")
    #expect(recorders.0.events == [.next(1), .completed])
    #expect(recorders.1.events == [.next("end"), .completed])
    #expect(name.events == [.next("end"), .completed])
  }

  struct RenamedError: Error, Equatable {
    let name: String
  }

  @available(*, deprecated)
  @Test func `intervals in seconds`() {
    let scheduler = VirtualScheduler()
    let half: TimeValue = 0.5
    let recorders = [
      Source.just(1).delay(half).record(on: scheduler),
      Source.just(1).concat(with: Source.never()).debounce(half).record(on: scheduler),
      Source.just(1).concat(with: Source.never()).throttle(half).record(on: scheduler),
      Source.just(1).concat(with: Source.never()).sample(half).record(on: scheduler),
      Source.timer(1, time: half).record(on: scheduler),
      Source.interval(half).take(1).map { $0 + 1 }.record(on: scheduler),
    ]
    let timeout = Source.never().timeout(half, with: "late").record(on: scheduler)
    scheduler.advance(by: .seconds(2))
    #expect(recorders.map(\.elements) == Array(repeating: [1], count: 6))
    #expect(recorders.map { $0.elementTimes[0] } == [0.5, 0.5, 0, 0.5, 0.5, 0.5].map { .seconds($0) })
    #expect(timeout.events == [.failed("late")])
    for recorder in recorders { recorder.dispose() }
  }

  @available(*, deprecated)
  @Test func `types and members under their old names`() {
    let strategy: FlatMapStrategy = .merge
    #expect(strategy == FlattenStrategy.merge)
    #expect(!NotDisposable().isDisposed)
    let flags = (0..<6).map { _ in SimpleDisposable() }
    let bag = DisposeBag()
    let composite = CompositeDisposable()
    let push = PushStream<Int>()
    let recorder = push.record()
    push.on(.next(1))
    #expect(recorder.elements == [1])
    flags[0].disposeIn(bag)
    flags[4].disposed(by: bag)
    flags[5].store(in: bag)
    bag.addDisposable(flags[1])
    composite.addDisposable(flags[2])
    let serial = SerialDisposable()
    serial.otherDisposable = flags[3]
    #expect(serial.otherDisposable != nil)
    final class Owner: DisposeBagProvider {
      let disposeBag = DisposeBag()
    }
    let owner = Owner()
    #expect(owner.rBag === owner.disposeBag)
    bag.dispose()
    composite.dispose()
    serial.dispose()
    #expect(flags.allSatisfy { $0.isDisposed })
  }
}
