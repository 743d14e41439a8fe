/// What a producer sends to: a closure for elements, a closure for the end, and the subscription that it belongs to.
///
/// ```swift
/// let source = Operation<String, Never> { observer in
///   observer.next("only")
///   observer.completed()
///   return BlockDisposable { print("nobody wants more") }
/// }
/// source.observeNext { print($0) }.dispose(in: bag)
/// ```
///
/// Sending is a plain closure call: no lock, no enum, no allocation. A producer that is written as
/// `Operation { observer in … }` may call its observer in any way: what comes after the end or after disposal is dropped,
/// and an element sent while another is being delivered is delivered after it. Observers that operators hand to each other
/// are not guarded again.
@frozen
public struct Observer<Element, Failure: Error> {
  @usableFromInline let onNext: (Element) -> Void
  @usableFromInline let onTermination: (Termination<Failure>) -> Void

  /// The subscription that this observer belongs to.
  public let subscription: Subscription

  /// Makes an observer out of its parts. Operators pass the subscription on from the observer downstream, unless they end by
  /// themselves.
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

  /// Ends the stream as `termination` says.
  @inlinable
  public func terminate(_ termination: Termination<Failure>) { onTermination(termination) }

  /// Ends the stream regularly.
  @inlinable
  public func completed() { onTermination(.completed) }

  /// Ends the stream with an error.
  @inlinable
  public func failed(_ error: Failure) { onTermination(.failed(error)) }

  /// Delivers an element or the end.
  @inlinable
  public func send(_ event: Event<Element, Failure>) {
    switch event {
    case .next(let element): onNext(element)
    case .failed(let error): onTermination(.failed(error))
    case .completed: onTermination(.completed)
    }
  }

  /// True when nothing that is sent will arrive any more. Ask it in a loop that emits synchronously.
  @inlinable
  public var isDisposed: Bool { subscription.isDisposed }

  /// True while the observer would rather wait. A producer that can stop, stops; its disposable's `resume()` tells when
  /// to go on.
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
