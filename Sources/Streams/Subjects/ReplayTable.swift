public import DequeModule

/// An observer table that remembers the last elements, and gives them to those who come late.
@usableFromInline
final class ReplayTable<Element, Failure: Error> {
  @usableFromInline let table = ObserverTable<Element, Failure>()
  @usableFromInline let limit: Int
  @exclusivity(unchecked) @usableFromInline var memory = Deque<Element>()

  @inlinable
  init(limit: Int) {
    self.limit = limit
    if limit == 0 { return }
    // The first observer: an element is remembered at its delivery, not when it is sent, so that who observes during a
    // delivery gets it once.
    _ = table.subscribe(
      Observer(gate: Gate(), next: { [unowned(unsafe) self] in remember($0) }, termination: { _ in }))
  }

  @inlinable
  func remember(_ element: Element) {
    if memory.count == limit { memory.removeFirst() }
    memory.append(element)
  }

  /// The number of observers, the memory not counted.
  @inlinable
  var observerCount: Int { table.observerCount - (limit == 0 || isTerminated ? 0 : 1) }

  @inlinable
  var isTerminated: Bool { table.termination != nil }

  /// Sends what is remembered, then lets the observer in. What is sent meanwhile waits, and reaches it too.
  @inlinable
  func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable {
    table.home.settle(for: "A hot stream")
    let isNested = table.flags & ObserverTable<Element, Failure>.delivering != 0
    table.flags |= ObserverTable<Element, Failure>.delivering
    for element in memory {
      if observer.gate.isClosed { break }
      observer.onNext(element)
    }
    var place: any Disposable = NonDisposable()
    if !observer.gate.isClosed { place = table.subscribe(observer) }
    if !isNested {
      table.flags &= ~ObserverTable<Element, Failure>.delivering
      if table.flags & ObserverTable<Element, Failure>.afterwork != 0 { table.finishDelivery() }
    }
    return place
  }
}
