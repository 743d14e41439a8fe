/// A hot stream that you send to. Each event is delivered to the current observers.
///
/// ```swift
/// let taps = PushStream<String>()
/// taps.observeNext { print($0) }.dispose(in: bag)
/// taps.next("first")
/// taps.completed()
/// ```
///
/// - Observers run in the order in which they subscribed. An observer that is added during a delivery starts with the next element. An
///   observer that is disposed during a delivery receives nothing more.
/// - Events that are sent during a delivery are delivered after it, to all observers in order.
/// - The terminal event releases the observers. Later events are ignored, and a later observer receives the terminal event
///   immediately.
/// - Deallocation releases the observers without an end.
///
/// It is confined to the first domain that observes it. Use an `Inlet` to send from other threads. It cannot wait: pausing a
/// subscription has no effect.
///
/// - Complexity: One closure call for each observer, without a lock or an allocation. Observing and disposing are amortized O(1).
public final class PushOperation<Element, Failure: Error>: SubjectProtocol {
  @usableFromInline let table = ObserverTable<Element, Failure>()

  /// Creates a subject without observers.
  public init() {}

  deinit {
    // An operator that ends by itself retains its subscription, and thus the table, from inside the table. Only code at home can
    // check that.
    if table.home.isSurelyHere, table.observerCount == 0 {
      table.flags |= ObserverTable<Element, Failure>.vanished
      return
    }
    let table = table
    table.home.perform { table.vanish() }
  }

  /// Delivers an element to all observers.
  @inlinable
  public func next(_ element: Element) { table.next(element) }

  /// Completes or fails the stream.
  @inlinable
  public func terminate(_ termination: Termination<Failure>) { table.terminate(termination) }

  /// The number of observers.
  public var observerCount: Int { table.observerCount }

  /// Adds an observer, and returns its subscription.
  @inlinable
  public func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable { table.subscribe(observer) }
}

/// A hot stream that cannot fail and that you send to.
public typealias PushStream<Element> = PushOperation<Element, Never>

@available(*, unavailable)
extension PushOperation: Sendable {}
