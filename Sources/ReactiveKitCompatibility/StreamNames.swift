public import Streams

// Operators, types and members under the names that ReactiveKit 2 and ReactiveSwift gave them. Each is what the attribute
// names, and nothing else.

extension Operation {
  /// See `failed(_:)`.
  @available(*, deprecated, renamed: "failed(_:)")
  public static func failure(_ error: Failure) -> Operation { failed(error) }
}

extension StreamProtocol {
  /// See `observeFailed(isolation:_:)`.
  @available(*, deprecated, renamed: "observeFailed(_:)")
  public func observeError(_ observer: @escaping (Failure) -> Void) -> Subscription { observeFailed(observer) }

  /// See `mapToVoid()`.
  @available(*, deprecated, renamed: "mapToVoid()")
  public func eraseType() -> Operation<Void, Failure> { mapToVoid() }

  /// See `element(at:)`.
  @available(*, deprecated, renamed: "element(at:)")
  public func elementAt(_ index: Int) -> Operation<Element, Failure> { element(at: index) }

  /// See `combineLatest(with:)`.
  @available(*, deprecated, renamed: "combineLatest(with:)")
  public func combineLatestWith<Other: StreamProtocol>(
    _ other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Failure { combineLatest(with: other) }

  /// See `zip(with:)`.
  @available(*, deprecated, renamed: "zip(with:)")
  public func zipWith<Other: StreamProtocol>(
    _ other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Failure { zip(with: other) }

  /// See `merge(with:)`.
  @available(*, deprecated, renamed: "merge(with:)")
  public func mergeWith<Other: StreamProtocol>(_ other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure { merge(with: other) }

  /// See `concat(with:)`.
  @available(*, deprecated, renamed: "concat(with:)")
  public func concatWith<Other: StreamProtocol>(_ other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure { concat(with: other) }

  /// See `amb(with:)`.
  @available(*, deprecated, renamed: "amb(with:)")
  public func ambWith<Other: StreamProtocol>(_ other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure { amb(with: other) }

  /// See `start(with:)`.
  @available(*, deprecated, renamed: "start(with:)")
  public func startWith(_ element: Element) -> Operation<Element, Failure> { start(with: element) }

  /// See `withLatest(from:)`.
  @available(*, deprecated, renamed: "withLatest(from:)")
  public func withLatestFrom<Other: StreamProtocol>(
    _ other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Failure { withLatest(from: other) }

  /// See `observe(on:)`.
  @available(*, deprecated, renamed: "observe(on:)")
  public func observeOn(_ context: ExecutionContext) -> Operation<Element, Failure> { observe(on: context) }

  /// See `observe(on:)`.
  @available(*, deprecated, renamed: "observe(on:)")
  public func observeIn(_ context: ExecutionContext) -> Operation<Element, Failure> { observe(on: context) }

  /// See `execute(on:)`.
  @available(*, deprecated, renamed: "execute(on:)")
  public func executeOn(_ context: ExecutionContext) -> Operation<Element, Failure> { execute(on: context) }

  /// See `execute(on:)`.
  @available(*, deprecated, renamed: "execute(on:)")
  public func executeIn(_ context: ExecutionContext) -> Operation<Element, Failure> { execute(on: context) }

  /// See `withShared(_:)`.
  @available(*, deprecated, renamed: "withShared(_:)")
  public func startWithSignal<Result>(
    _ setUp: (_ signal: Operation<Element, Failure>, _ run: any Disposable) -> Result
  ) -> Result { withShared(setUp) }
}

extension StreamProtocol where Element: Equatable {
  /// See `distinct()`.
  @available(*, deprecated, renamed: "distinct()")
  @_disfavoredOverload
  public func skipRepeats() -> Operation<Element, Failure> { distinct() }
}

extension StreamProtocol where Failure == Never {
  /// See `setFailureType(to:)`.
  @available(*, deprecated, renamed: "setFailureType(to:)")
  @_disfavoredOverload
  public func toOperation<NewFailure: Error>() -> Operation<Element, NewFailure> {
    setFailureType(to: NewFailure.self)
  }
}

// MARK: Failures

extension StreamProtocol {
  /// See `failures()`.
  @available(*, deprecated, renamed: "failures()")
  public func toErrorStream() -> Stream<Failure> { failures() }

  /// See `toStream(logError:completeOnError:)`.
  @available(*, deprecated, renamed: "toStream(logError:completeOnError:)")
  public func toStream(justLogError logError: Bool, completeOnError: Bool = true) -> Stream<Element> {
    toStream(logError: logError, completeOnError: completeOnError)
  }

  /// See `split()`.
  @available(*, deprecated, renamed: "split()")
  @_disfavoredOverload
  public func toStream() -> (Stream<Element>, Stream<Failure>) { split() }

  /// See `mapError(_:)` and `split()`.
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
  /// See `delay(for:on:)`.
  @available(*, deprecated, message: "use delay(for:on:) with a Duration")
  public func delay(_ seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation<Element, Failure> {
    delay(for: duration(seconds), on: scheduler)
  }

  /// See `debounce(for:on:)`.
  @available(*, deprecated, message: "use debounce(for:on:) with a Duration")
  public func debounce(_ seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation<Element, Failure> {
    debounce(for: duration(seconds), on: scheduler)
  }

  /// See `throttle(for:latest:on:)`.
  @available(*, deprecated, message: "use throttle(for:latest:on:) with a Duration")
  public func throttle(_ seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation<Element, Failure> {
    throttle(for: duration(seconds), on: scheduler)
  }

  /// See `sample(for:on:)`.
  @available(*, deprecated, message: "use sample(for:on:) with a Duration")
  public func sample(_ seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation<Element, Failure> {
    sample(for: duration(seconds), on: scheduler)
  }

  /// See `timeout(_:failingWith:on:)`.
  @available(*, deprecated, message: "use timeout(_:failingWith:on:) with a Duration")
  public func timeout(
    _ seconds: Double, with error: Failure, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> { timeout(duration(seconds), failingWith: error, on: scheduler) }
}

extension Operation {
  /// See `timer(_:after:on:)`.
  @available(*, deprecated, message: "use timer(_:after:on:) with a Duration") @_disfavoredOverload
  public static func timer(_ element: Element, time seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation
  {
    timer(element, after: duration(seconds), on: scheduler)
  }
}

extension Operation where Element == Int {
  /// See `interval(_:on:)`.
  @available(*, deprecated, message: "use interval(_:on:) with a Duration")
  public static func interval(_ seconds: Double, on scheduler: (any Scheduler)? = nil) -> Operation {
    interval(duration(seconds), on: scheduler)
  }
}

// MARK: Types and members

/// See `NonDisposable`.
@available(*, deprecated, renamed: "NonDisposable")
public typealias NotDisposable = NonDisposable

/// See `FlattenStrategy`.
@available(*, deprecated, renamed: "FlattenStrategy")
public typealias FlatMapStrategy = FlattenStrategy

extension Disposable {
  /// See `dispose(in:isolation:)`.
  @available(*, deprecated, renamed: "dispose(in:)")
  public func disposeIn(_ bag: DisposeBag) { dispose(in: bag) }

  /// The name that RxSwift gave it.
  @available(*, deprecated, renamed: "dispose(in:)")
  public func disposed(by bag: DisposeBag) { dispose(in: bag) }

  /// The name that Combine gave it.
  @available(*, deprecated, renamed: "dispose(in:)")
  public func store(in bag: DisposeBag) { dispose(in: bag) }
}

extension SubjectProtocol {
  /// See `send(_:)`.
  @available(*, deprecated, renamed: "send(_:)")
  public func on(_ event: Event<Element, Failure>) { send(event) }
}

extension CompositeDisposable {
  /// See `add(_:)`.
  @available(*, deprecated, renamed: "add(_:)")
  public func addDisposable(_ disposable: any Disposable) { add(disposable) }
}

extension DisposeBag {
  /// See `add(_:isolation:)`.
  @available(*, deprecated, renamed: "add(_:)")
  public func addDisposable(_ disposable: any Disposable) { add(disposable) }
}

extension SerialDisposable {
  /// See `inner`.
  @available(*, deprecated, renamed: "inner")
  public var otherDisposable: (any Disposable)? {
    get { inner }
    set { inner = newValue }
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// See `ExecutionContext.immediate`.
@available(*, deprecated, renamed: "ExecutionContext.immediate")
public var ImmediateExecutionContext: ExecutionContext { .immediate }

/// See `DisposeBagProviding`.
@available(*, deprecated, renamed: "DisposeBagProviding")
public typealias DisposeBagProvider = DisposeBagProviding

extension DisposeBagProviding {
  /// See `disposeBag`.
  @available(*, deprecated, renamed: "disposeBag")
  public var rBag: DisposeBag { disposeBag }
}

extension Event {
  /// The name that ReactiveKit 2 gave it.
  @available(*, deprecated, renamed: "element")
  public var unbox: Element? { element }
}
