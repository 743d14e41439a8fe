public import Streams

// Operators, types and members with their names in ReactiveKit 2 and ReactiveSwift. The attribute of each names its replacement.

extension Operation {
  /// The former name of `failed(_:)`.
  @available(*, deprecated, renamed: "failed(_:)")
  public static func failure(_ error: Failure) -> Operation { failed(error) }
}

extension StreamProtocol {
  /// The former name of `observeFailed(isolation:_:)`.
  @available(*, deprecated, renamed: "observeFailed(_:)")
  public func observeError(_ observer: @escaping (Failure) -> Void) -> Subscription { observeFailed(observer) }

  /// The former name of `mapToVoid()`.
  @available(*, deprecated, renamed: "mapToVoid()")
  public func eraseType() -> Operation<Void, Failure> { mapToVoid() }

  /// The former name of `element(at:)`.
  @available(*, deprecated, renamed: "element(at:)")
  public func elementAt(_ index: Int) -> Operation<Element, Failure> { element(at: index) }

  /// The former name of `combineLatest(with:)`.
  @available(*, deprecated, renamed: "combineLatest(with:)")
  public func combineLatestWith<Other: StreamProtocol>(
    _ other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Failure { combineLatest(with: other) }

  /// The former name of `zip(with:)`.
  @available(*, deprecated, renamed: "zip(with:)")
  public func zipWith<Other: StreamProtocol>(
    _ other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Failure { zip(with: other) }

  /// The former name of `merge(with:)`.
  @available(*, deprecated, renamed: "merge(with:)")
  public func mergeWith<Other: StreamProtocol>(_ other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure { merge(with: other) }

  /// The former name of `concat(with:)`.
  @available(*, deprecated, renamed: "concat(with:)")
  public func concatWith<Other: StreamProtocol>(_ other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure { concat(with: other) }

  /// The former name of `amb(with:)`.
  @available(*, deprecated, renamed: "amb(with:)")
  public func ambWith<Other: StreamProtocol>(_ other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure { amb(with: other) }

  /// The former name of `start(with:)`.
  @available(*, deprecated, renamed: "start(with:)")
  public func startWith(_ element: Element) -> Operation<Element, Failure> { start(with: element) }

  /// The former name of `withLatest(from:)`.
  @available(*, deprecated, renamed: "withLatest(from:)")
  public func withLatestFrom<Other: StreamProtocol>(
    _ other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Failure { withLatest(from: other) }

  /// The former name of `observe(on:)`.
  @available(*, deprecated, renamed: "observe(on:)")
  public func observeOn(_ context: ExecutionContext) -> Operation<Element, Failure> { observe(on: context) }

  /// The former name of `observe(on:)`.
  @available(*, deprecated, renamed: "observe(on:)")
  public func observeIn(_ context: ExecutionContext) -> Operation<Element, Failure> { observe(on: context) }

  /// The former name of `execute(on:)`.
  @available(*, deprecated, renamed: "execute(on:)")
  public func executeOn(_ context: ExecutionContext) -> Operation<Element, Failure> { execute(on: context) }

  /// The former name of `execute(on:)`.
  @available(*, deprecated, renamed: "execute(on:)")
  public func executeIn(_ context: ExecutionContext) -> Operation<Element, Failure> { execute(on: context) }

  /// The former name of `withShared(_:)`.
  @available(*, deprecated, renamed: "withShared(_:)")
  public func startWithSignal<Result>(
    _ setUp: (_ signal: Operation<Element, Failure>, _ run: any Disposable) -> Result
  ) -> Result { withShared(setUp) }
}

extension StreamProtocol where Element: Equatable {
  /// The former name of `distinct()`.
  @available(*, deprecated, renamed: "distinct()")
  @_disfavoredOverload
  public func skipRepeats() -> Operation<Element, Failure> { distinct() }
}

extension StreamProtocol where Failure == Never {
  /// The former name of `setFailureType(to:)`.
  @available(*, deprecated, renamed: "setFailureType(to:)")
  @_disfavoredOverload
  public func toOperation<NewFailure: Error>() -> Operation<Element, NewFailure> {
    setFailureType(to: NewFailure.self)
  }
}

// MARK: Failures

extension StreamProtocol {
  /// The former name of `failures()`.
  @available(*, deprecated, renamed: "failures()")
  public func toErrorStream() -> Stream<Failure> { failures() }

  /// The former name of `toStream(logError:completeOnError:)`.
  @available(*, deprecated, renamed: "toStream(logError:completeOnError:)")
  public func toStream(justLogError logError: Bool, completeOnError: Bool = true) -> Stream<Element> {
    toStream(logError: logError, completeOnError: completeOnError)
  }

  /// The former name of `split()`.
  @available(*, deprecated, renamed: "split()")
  @_disfavoredOverload
  public func toStream() -> (Stream<Element>, Stream<Failure>) { split() }

  /// The former name of `mapError(_:)` and `split()`.
  @available(*, deprecated, message: "use mapError(_:) and split()")
  public func toStream<NewFailure: Error>(
    _ transform: @escaping (Failure) -> NewFailure
  ) -> (Stream<Element>, Stream<NewFailure>) { mapError(transform).split() }
}

// MARK: Seconds

/// An interval in seconds.
@available(*, deprecated, message: "use Duration, such as .seconds(2)")
public typealias TimeValue = Double

/// An interval in seconds. One that is too long for a `Duration` is the longest.
private func duration(_ seconds: Double) -> Duration {
  if seconds.isNaN { misuse("An interval of NaN seconds: pass a number, or a Duration.") }
  if seconds.magnitude < 1e18 { return .seconds(seconds) }
  return .seconds(seconds < 0 ? Int64.min : Int64.max)
}

extension StreamProtocol {
  /// The former name of `delay(for:on:)`.
  @available(*, deprecated, message: "use delay(for:on:) with a Duration")
  public func delay(_ seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation<Element, Failure> {
    delay(for: duration(seconds), on: scheduler)
  }

  /// The former name of `debounce(for:on:)`.
  @available(*, deprecated, message: "use debounce(for:on:) with a Duration")
  public func debounce(_ seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation<Element, Failure> {
    debounce(for: duration(seconds), on: scheduler)
  }

  /// The former name of `throttle(for:latest:on:)`.
  @available(*, deprecated, message: "use throttle(for:latest:on:) with a Duration")
  public func throttle(_ seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation<Element, Failure> {
    throttle(for: duration(seconds), on: scheduler)
  }

  /// The former name of `sample(for:on:)`.
  @available(*, deprecated, message: "use sample(for:on:) with a Duration")
  public func sample(_ seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation<Element, Failure> {
    sample(for: duration(seconds), on: scheduler)
  }

  /// The former name of `timeout(_:failingWith:on:)`.
  @available(*, deprecated, message: "use timeout(_:failingWith:on:) with a Duration")
  public func timeout(
    _ seconds: Double, with error: Failure, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> { timeout(duration(seconds), failingWith: error, on: scheduler) }
}

extension Operation {
  /// The former name of `timer(_:after:on:)`.
  @available(*, deprecated, message: "use timer(_:after:on:) with a Duration") @_disfavoredOverload
  public static func timer(_ element: Element, time seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation
  {
    timer(element, after: duration(seconds), on: scheduler)
  }
}

extension Operation where Element == Int {
  /// The former name of `interval(_:on:)`.
  @available(*, deprecated, message: "use interval(_:on:) with a Duration")
  public static func interval(_ seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation {
    interval(duration(seconds), on: scheduler)
  }
}

// MARK: Types and members

/// The former name of `NonDisposable`.
@available(*, deprecated, renamed: "NonDisposable")
public typealias NotDisposable = NonDisposable

/// The former name of `FlattenStrategy`.
@available(*, deprecated, renamed: "FlattenStrategy")
public typealias FlatMapStrategy = FlattenStrategy

extension Disposable {
  /// The former name of `dispose(in:isolation:)`.
  @available(*, deprecated, renamed: "dispose(in:)")
  public func disposeIn(_ bag: DisposeBag) { dispose(in: bag) }

  /// The name in RxSwift.
  @available(*, deprecated, renamed: "dispose(in:)")
  public func disposed(by bag: DisposeBag) { dispose(in: bag) }

  /// The name in Combine.
  @available(*, deprecated, renamed: "dispose(in:)")
  public func store(in bag: DisposeBag) { dispose(in: bag) }
}

extension SubjectProtocol {
  /// The former name of `send(_:)`.
  @available(*, deprecated, renamed: "send(_:)")
  public func on(_ event: Event<Element, Failure>) { send(event) }
}

extension CompositeDisposable {
  /// The former name of `add(_:)`.
  @available(*, deprecated, renamed: "add(_:)")
  public func addDisposable(_ disposable: any Disposable) { add(disposable) }
}

extension DisposeBag {
  /// The former name of `add(_:isolation:)`.
  @available(*, deprecated, renamed: "add(_:)")
  public func addDisposable(_ disposable: any Disposable) { add(disposable) }
}

extension SerialDisposable {
  /// The former name of `inner`.
  @available(*, deprecated, renamed: "inner")
  public var otherDisposable: (any Disposable)? {
    get { inner }
    set { inner = newValue }
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The former name of `ExecutionContext.immediate`.
@available(*, deprecated, renamed: "ExecutionContext.immediate")
public var ImmediateExecutionContext: ExecutionContext { .immediate }

/// The former name of `DisposeBagProviding`.
@available(*, deprecated, renamed: "DisposeBagProviding")
public typealias DisposeBagProvider = DisposeBagProviding

extension DisposeBagProviding {
  /// The former name of `disposeBag`.
  @available(*, deprecated, renamed: "disposeBag")
  public var rBag: DisposeBag { disposeBag }
}

extension Event {
  /// The name in ReactiveKit 2.
  @available(*, deprecated, renamed: "element")
  public var unbox: Element? { element }
}
