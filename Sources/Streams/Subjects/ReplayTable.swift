/// An observer table with the last elements, which late observers receive.
@frozen @usableFromInline
struct ReplayTable<Element, Failure: Error> {
  @usableFromInline let table = ObserverTable<Element, Failure>()
  @usableFromInline let memory: ReplayMemory<Element>

  @inlinable
  init(limit: Int) {
    let memory = ReplayMemory<Element>(limit)
    self.memory = memory
    addMemory()
    // The initializer does not settle the home; the first observer or send does.
    table.home = .unset
  }

  /// The first observer, which stores each element. Elements are stored at their delivery and not when they are sent, so that an
  /// observer that is added during a delivery receives the element once.
  @inlinable
  func addMemory() {
    if memory.limit == 0 { return }
    let subscription = Subscription(downstream: nil)
    _ = table.subscribe(Observer(for: subscription, next: { [memory] in memory.add($0) }, termination: { _ in }))
  }

  /// Releases all observers except the memory, without an end.
  @usableFromInline
  func removeObservers() {
    table.removeAll()
    if !isEnding { addMemory() }
  }

  /// The number of observers without the memory.
  @inlinable
  var observerCount: Int { table.observerCount - (memory.limit == 0 || isTerminated ? 0 : 1) }

  @inlinable
  var isTerminated: Bool { table.termination != nil }

  /// True if the end was sent. Observers can receive it after a running delivery.
  @inlinable
  var isEnding: Bool { isTerminated || table.queue.termination != nil }

  /// Sends the stored elements to an observer, then adds it. Elements that are sent meanwhile are queued, and reach it too.
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

/// The last elements of a stream: an array that grows to its limit and is a ring from then on.
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
    // The old element is released after the new one is stored, because a deinit can run any code.
    var other = element
    swap(&elements[oldest], &other)
    oldest = oldest &+ 1 == limit ? 0 : oldest &+ 1
  }

  /// The elements, oldest first. A copy, which shares the memory if possible.
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
