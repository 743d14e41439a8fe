/// A type that you can observe: an operation, a stream, or a subject.
///
/// ```swift
/// func log(_ stream: some StreamProtocol<Int, Never>) -> Subscription {
///   stream.map { "\($0)" }.observeNext { print($0) }
/// }
/// log(Stream.just(1)).dispose(in: bag)
/// ```
///
/// Operators are methods of this protocol and return an `Operation`.
public protocol StreamProtocol<Element, Failure> {
  /// The type of the elements.
  associatedtype Element
  /// The type of the failure; `Never` for a `Stream`.
  associatedtype Failure: Error

  /// Starts delivering to `observer`, without a guard. Use `observe` and `observeNext` unless you write an operator.
  ///
  /// The returned disposable stops the source. Attach it to the observer's subscription, or return it from an operator. A hot
  /// source returns that subscription itself. Traps if the subscription observes two hot streams simultaneously.
  func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable
}

extension StreamProtocol {
  /// Erases the type of the stream to `Operation`.
  @inlinable
  public func toOperation() -> Operation<Element, Failure> {
    Operation(name: nil, unguarded: { observer in self.subscribe(observer) })
  }
}

extension StreamProtocol where Failure == Never {
  /// Erases the type of the stream to `Stream`.
  @inlinable
  public func toStream() -> Stream<Element> { toOperation() }
}
