extension ObserverTable {
  @inlinable
  var isTerminated: Bool { termination != nil }

  @inlinable
  var isDelivering: Bool { flags & Self.delivering != 0 }

  /// True if the end was sent. Observers can receive it after a running delivery.
  @inlinable
  var isEnding: Bool { isTerminated || queue.termination != nil }

  /// Delivers an element and stores it. The same as `next` for a table with a memory, without a call that is out of line.
  @inlinable
  func nextStored(_ element: Element) {
    checkHome()
    if flags & (Self.delivering | Self.terminated) != 0 { nextWithFlags(element) } else { storeAndDeliver(element) }
  }

  @inlinable @inline(__always)
  func storeAndDeliver(_ element: Element) {
    flags |= Self.delivering
    // The deinit of the oldest element can add an observer, which has received the new one already.
    let end = count
    memory?.add(element)
    deliver(element, to: end)
    flags &= ~Self.delivering
    if flags & Self.afterwork != 0 { finishDelivery() }
  }

  /// Adds an observer and sends the stored elements to it first. Elements that are sent during this call are queued, and are
  /// also delivered to the observer.
  ///
  /// Elements are stored at their delivery and not when they are sent, so that an observer that is added during a delivery receives
  /// the element once.
  @inlinable
  func replay(to observer: Observer<Element, Failure>) -> any Disposable {
    guard let memory else { return subscribe(observer) }
    return replay(memory.inOrder, to: observer)
  }

  /// Adds an observer and sends `elements` to it first. Elements that are sent during this call are queued.
  @inlinable
  func replay(_ elements: ContiguousArray<Element>, to observer: Observer<Element, Failure>) -> any Disposable {
    home.settle(for: "A hot stream")
    let isNested = flags & Self.delivering != 0
    flags |= Self.delivering
    // Added first, so that an observer that subscribes inside these deliveries follows it.
    let isAdded = flags & (Self.terminated | Self.vanished) == 0
    if isAdded { _ = subscribe(observer) }
    for element in elements {
      if observer.subscription.isDisposed { break }
      observer.onNext(element)
    }
    var place: any Disposable = .none
    if observer.subscription.isDisposed {
      if isAdded { remove(observer.subscription) }
    } else {
      place = isAdded ? observer.subscription : subscribe(observer)
    }
    if !isNested {
      flags &= ~Self.delivering
      if flags & Self.afterwork != 0 { finishDelivery() }
    }
    return place
  }

  /// Empties the memory, and releases its elements after `body`, because a deinit can run any code.
  @inlinable
  func forgettingElements(_ body: () -> Void = {}) {
    let elements = memory?.takeAll()
    body()
    withExtendedLifetime(elements) {}
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
    // The old element is released last, because a deinit can run any code.
    var other = element
    swap(&elements[oldest], &other)
    oldest = oldest &+ 1 == limit ? 0 : oldest &+ 1
    withExtendedLifetime(other) {}
  }

  /// The elements, oldest first. A copy, which shares the memory if possible.
  @inlinable
  var inOrder: ContiguousArray<Element> {
    if oldest == 0 { return elements }
    return ContiguousArray(elements[oldest...] + elements[..<oldest])
  }

  /// Empties the memory. The caller releases the elements when nothing is half done, because a deinit can run any code.
  @inlinable
  func takeAll() -> ContiguousArray<Element> {
    let old = elements
    elements = []
    oldest = 0
    return old
  }
}
