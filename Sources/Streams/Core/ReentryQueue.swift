public import DequeModule

/// A queue of events that were sent during a delivery and are delivered after it, in order.
///
/// Its size is not limited. Beyond `reportingBound` events it reports once through `Diagnostics`.
@usableFromInline
struct ReentryQueue<Element, Failure: Error> {
  /// A longer queue is reported, because two streams probably feed each other.
  @usableFromInline static var reportingBound: Int { 65_536 }

  @usableFromInline var elements = Deque<Element>()
  @usableFromInline var termination: Termination<Failure>?
  @usableFromInline var hasReported = false

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { elements.isEmpty && termination == nil }

  @usableFromInline
  mutating func append(_ element: Element) {
    if termination != nil { return }
    elements.append(element)
    if elements.count > Self.reportingBound, !hasReported {
      hasReported = true
      Diagnostics.report(
        """
        More than \(Self.reportingBound) elements of type \(Element.self) have been sent from inside the delivery of one \
        element and wait for it to end. Observers that send to the stream they observe never let it end.
        """)
    }
  }

  @usableFromInline
  mutating func append(_ termination: Termination<Failure>) {
    if self.termination == nil { self.termination = termination }
  }

  @inlinable
  mutating func popElement() -> Element? { elements.popFirst() }

  /// The terminal event, or nil while elements are pending before it.
  @inlinable
  mutating func takeTermination() -> Termination<Failure>? {
    guard elements.isEmpty else { return nil }
    return termination.take()
  }

  /// Drops the pending elements, but not the terminal event.
  @usableFromInline
  mutating func dropElements() {
    if elements.isEmpty { return }
    var old = Deque<Element>()
    swap(&old, &elements)
    Untaken.disposeAll(&old)
  }

  /// Drops the pending events.
  @usableFromInline
  mutating func removeAll() {
    var old = ReentryQueue()
    swap(&old, &self)
    Untaken.disposeAll(&old.elements)
  }
}
