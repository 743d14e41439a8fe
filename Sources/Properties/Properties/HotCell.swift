internal import DequeModule
public import Streams

/// The state of a property or a live collection, with its observers.
///
/// A change is visible before the observers run. A change during a delivery is visible immediately and is delivered after it, so each
/// observer receives every change in order. A new observer receives the newest delivered state immediately; after the end, that state
/// and the end.
///
/// Ownership: property ===> cell ===> push stream ===> observers; view ===> cell. A cell does not retain its property.
@usableFromInline
class HotCell<Element> {
  /// True during a delivery.
  @exclusivity(unchecked) @usableFromInline final var isBusy = false
  /// True if changes or the end are pending until the delivery ends.
  @exclusivity(unchecked) @usableFromInline final var hasAfterwork = false
  @usableFromInline final let push = PushStream<Element>()
  /// The number of delivered elements, by which a composed property sees that a closure has changed its source.
  @exclusivity(unchecked) @usableFromInline final var deliveries = 0

  private final var pending = Deque<Element>()
  private final var hasReported = false
  private final var isEnding = false
  private(set) final var isEnded: Bool
  /// The element of the running delivery if a newer one is pending.
  final var lagging: Element?

  /// The number of changes during one delivery beyond which it is reported.
  static var reportingBound: Int { 65_536 }

  init(isEnded: Bool) { self.isEnded = isEnded }

  /// Delivers an element. Not during a delivery.
  @inlinable @inline(__always)
  final func deliver(_ element: Element) {
    isBusy = true
    deliveries &+= 1
    push.next(element)
    isBusy = false
    if hasAfterwork { finishDelivery() }
  }

  /// Queues an element until the delivery ends. The caller has set `lagging` before it changed the state.
  final func deliverLater(_ element: Element) {
    if isEnded || isEnding { return }
    pending.append(element)
    hasAfterwork = true
    if pending.count > Self.reportingBound { report() }
  }

  private func report() {
    if hasReported { return }
    hasReported = true
    Diagnostics.report(
      """
      More than \(Self.reportingBound) values of a property of type \(Element.self) were set while one of its values was \
      being delivered. Remove the observer that sets the property it observes, or break the ring of bindings.
      """)
  }

  /// Resets `lagging` after a change that changed nothing.
  final func forgetLagging() { if pending.isEmpty { lagging = nil } }

  @usableFromInline
  final func finishDelivery() {
    isBusy = true
    var rounds = 0
    while let next = pending.popFirst() {
      rounds += 1
      if rounds > Self.reportingBound { report() }
      lagging = pending.isEmpty ? nil : next
      deliveries &+= 1
      push.next(next)
    }
    lagging = nil
    isBusy = false
    hasAfterwork = false
    if isEnding { finish() }
  }

  /// Ends the cell, after a running delivery. Its observers receive the completion.
  @usableFromInline
  final func end() {
    if isEnded || isEnding { return }
    if isBusy {
      isEnding = true
      hasAfterwork = true
    } else {
      finish()
    }
  }

  /// Ends the cell in the home domain. For the deinitializer of its owner.
  @usableFromInline
  final func endAtHome() { push.endAtHome { [self] in end() } }

  private func finish() {
    isEnding = false
    isEnded = true
    push.completed()
  }

  /// Adds an observer and delivers the current state, which is the latest one that was or is being delivered. Changes during this call are
  /// also delivered to the observer, and observers that are added during this call come after it.
  @usableFromInline
  final func subscribe(
    _ observer: Observer<Element, Never>, startingWith current: Element, isComposing: Bool
  ) -> any Disposable {
    if isEnded {
      observer.next(current)
      if !observer.isDisposed { observer.completed() }
      return .none
    }
    let wasBusy = isBusy
    isBusy = true
    let place = enter(observer, isComposing: isComposing)
    observer.next(current)
    if !wasBusy {
      isBusy = false
      if hasAfterwork { finishDelivery() }
    }
    return place
  }

  /// Adds an observer that starts with the next change.
  @usableFromInline
  final func enter(_ observer: Observer<Element, Never>, isComposing: Bool) -> any Disposable {
    if isEnded {
      observer.completed()
      return .none
    }
    return isComposing ? push.subscribeUnsettled(observer) : push.subscribe(observer)
  }
}
