/// Whatever can be observed: operations, streams, subjects.
///
/// ```swift
/// func log(_ stream: some StreamProtocol<Int, Never>) -> Subscription {
///   stream.map { "\($0)" }.observeNext { print($0) }
/// }
/// log(Stream.just(1)).dispose(in: bag)
/// ```
///
/// Operators are written on this protocol, once, and give an `Operation`.
public protocol StreamProtocol<Element, Failure> {
  /// What it delivers.
  associatedtype Element
  /// How it may fail; `Never` for a `Stream`.
  associatedtype Failure: Error

  /// Starts delivering to `observer`: the unguarded entry on which operators are built.
  ///
  /// Use `observe`, `observeNext` and their siblings unless you write an operator. The returned disposable stops the
  /// production. Attach it to the observer's subscription, or return it from an operator: a hot source returns that
  /// subscription itself, which knows where it is. An observer serves one subscription: one that is in two hot streams at once
  /// traps.
  func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable
}

extension StreamProtocol {
  /// The same stream as a plain `Operation`, its concrete type forgotten.
  @inlinable
  public func toOperation() -> Operation<Element, Failure> {
    Operation(unguarded: { observer in self.subscribe(observer) })
  }
}

extension StreamProtocol where Failure == Never {
  /// The same stream as a plain `Stream`, its concrete type forgotten.
  @inlinable
  public func toStream() -> Stream<Element> { toOperation() }
}
