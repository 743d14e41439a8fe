/// A hot stream into which you push: what is sent goes to those who observe at that moment.
///
/// ```swift
/// let taps = PushStream<String>()
/// taps.observeNext { print($0) }.dispose(in: bag)
/// taps.next("first")
/// taps.completed()
/// ```
///
/// - Observers run in the order in which they subscribed. One that is added during a delivery starts with the next
///   element; one that is disposed during a delivery gets no more.
/// - What is sent from inside a delivery is delivered after it, to all observers in order.
/// - The terminal event releases the observers. What is sent after it is ignored; whoever observes after it gets it at
///   once.
/// - Letting go of it releases the observers without telling them anything.
///
/// Confined to the domain in which it is first observed; other threads send through an `Inlet`.
///
/// Cost: a closure call for each observer; no lock, no allocation. Observing and disposing are O(1), amortised.
///
/// It cannot wait: pausing a subscription to it has no effect.
public final class PushOperation<Element, Failure: Error>: SubjectProtocol {
  @usableFromInline let table = ObserverTable<Element, Failure>()

  /// Makes one that nobody observes.
  public init() {}

  deinit {
    // An operator that ends by itself holds its subscription, and thus the table, from inside the table. Elsewhere than at
    // home nobody may look into it.
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

  /// Ends the stream as `termination` says.
  @inlinable
  public func terminate(_ termination: Termination<Failure>) { table.terminate(termination) }

  /// The number of observers.
  public var observerCount: Int { table.observerCount }

  /// See `StreamProtocol`.
  @inlinable
  public func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable { table.subscribe(observer) }
}

/// A hot stream that cannot fail and into which you push.
public typealias PushStream<Element> = PushOperation<Element, Never>

@available(*, unavailable)
extension PushOperation: Sendable {}
