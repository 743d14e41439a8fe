// Types and members under the names that ReactiveKit 2 gave them.

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
