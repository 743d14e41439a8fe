/// An observer table and a memory of the last elements, which those get who come late.
@frozen @usableFromInline
struct ReplayTable<Element, Failure: Error> {
  @usableFromInline let table = ObserverTable<Element, Failure>()
  @usableFromInline let memory: ReplayMemory<Element>

  @inlinable
  init(limit: Int) {
    let memory = ReplayMemory<Element>(limit)
    self.memory = memory
    addMemory()
    // Making is not using: home is settled by the first who observes or sends.
    table.home = .unset
  }

  /// The first observer: an element is remembered at its delivery, not when it is sent, so that who observes during a
  /// delivery gets it once.
  @inlinable
  func addMemory() {
    if memory.limit == 0 { return }
    let subscription = Subscription(downstream: nil)
    _ = table.subscribe(Observer(for: subscription, next: { [memory] in memory.add($0) }, termination: { _ in }))
  }

  /// Releases all observers but the memory, without notifying them.
  @usableFromInline
  func removeObservers() {
    table.removeAll()
    if !isEnding { addMemory() }
  }

  /// The number of observers, the memory not counted.
  @inlinable
  var observerCount: Int { table.observerCount - (memory.limit == 0 || isTerminated ? 0 : 1) }

  @inlinable
  var isTerminated: Bool { table.termination != nil }

  /// The end has been sent, although the observers may receive it after what is being delivered.
  @inlinable
  var isEnding: Bool { isTerminated || table.queue.termination != nil }

  /// Sends what is remembered, then lets the observer in. What is sent meanwhile waits, and reaches it too.
  @inlinable
  func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable {
    table.home.settle(for: "A hot stream")
    let isNested = table.flags & ObserverTable<Element, Failure>.delivering != 0
    table.flags |= ObserverTable<Element, Failure>.delivering
    for element in memory.inOrder {
      if observer.subscription.isDisposed { break }
      observer.onNext(element)
    }
    var place: any Disposable = .none
    if !observer.subscription.isDisposed { place = table.subscribe(observer) }
    if !isNested {
      table.flags &= ~ObserverTable<Element, Failure>.delivering
      if table.flags & ObserverTable<Element, Failure>.afterwork != 0 { table.finishDelivery() }
    }
    return place
  }
}

/// The last elements of a stream: an array that grows to its limit, and a ring from then on.
@usableFromInline
final class ReplayMemory<Element> {
  @usableFromInline let limit: Int
  @exclusivity(unchecked) @usableFromInline var elements: ContiguousArray<Element> = []
  @exclusivity(unchecked) @usableFromInline var oldest = 0

  @inlinable
  init(_ limit: Int) { self.limit = limit }

  @inlinable
  func add(_ element: Element) {
    if elements.count < limit {
      elements.append(element)
      return
    }
    // What is forgotten is released when the new one is in its place: releasing may run anything.
    var other = element
    swap(&elements[oldest], &other)
    oldest = oldest &+ 1 == limit ? 0 : oldest &+ 1
  }

  /// The oldest first. A copy, which shares the memory where it can.
  @inlinable
  var inOrder: ContiguousArray<Element> {
    if oldest == 0 { return elements }
    return ContiguousArray(elements[oldest...] + elements[..<oldest])
  }

  @inlinable
  func removeAll() {
    let old = elements
    elements = []
    oldest = 0
    _ = consume old
  }
}
