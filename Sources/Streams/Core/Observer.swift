/// The receiver of a stream's events, to which a producer sends.
///
/// ```swift
/// let source = Operation<String, Never> { observer in
///   observer.next("only")
///   observer.completed()
///   return BlockDisposable { print("disposed") }
/// }
/// source.observeNext { print($0) }.dispose(in: bag)
/// ```
///
/// The observer of `Operation { observer in … }` is guarded. Events after the end and after disposal are dropped. An element that
/// is sent during a delivery is delivered after it. Observers between operators are not guarded again.
///
/// - Complexity: Sending is a closure call, without a lock, an enum, or an allocation.
@frozen
public struct Observer<Element, Failure: Error> {
  @usableFromInline let onNext: (Element) -> Void
  @usableFromInline let onTermination: (Termination<Failure>) -> Void

  /// The subscription that this observer belongs to.
  public let subscription: Subscription

  /// Creates an observer. An operator passes the subscription of the downstream observer, unless the operator can end by itself.
  @inlinable
  public init(
    for subscription: Subscription, next: @escaping (Element) -> Void,
    termination: @escaping (Termination<Failure>) -> Void
  ) {
    self.subscription = subscription
    onNext = next
    onTermination = termination
  }

  /// Delivers an element.
  @inlinable
  public func next(_ element: Element) { onNext(element) }

  /// Completes or fails the stream.
  @inlinable
  public func terminate(_ termination: Termination<Failure>) { onTermination(termination) }

  /// Completes the stream.
  @inlinable
  public func completed() { onTermination(.completed) }

  /// Fails the stream.
  @inlinable
  public func failed(_ error: Failure) { onTermination(.failed(error)) }

  /// Delivers an event.
  @inlinable
  public func send(_ event: Event<Element, Failure>) {
    switch event {
    case .next(let element): onNext(element)
    case .failed(let error): onTermination(.failed(error))
    case .completed: onTermination(.completed)
    }
  }

  /// True if no further event will be delivered. Check it in a loop that emits synchronously.
  @inlinable
  public var isDisposed: Bool { subscription.isDisposed }

  /// True while the observer is paused. A producer that can stop should stop until `resume()` of its disposable is called.
  @inlinable
  public var isPaused: Bool { subscription.isPaused }
}

extension Observer where Element == Void {
  /// Delivers the empty element.
  @inlinable
  public func next() { onNext(()) }
}

@available(*, unavailable)
extension Observer: Sendable {}
