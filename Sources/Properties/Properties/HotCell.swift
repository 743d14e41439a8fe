internal import DequeModule
public import Streams

/// What cells have in common: something that is delivered to those who observe it, now and at each change.
///
/// A change is visible before its observers run. One that is made from inside a delivery is visible at once and delivered
/// after it, so each observer sees every change, in order. Whoever observes gets the newest delivered state at once; after
/// the end that state and the end.
///
/// Ownership: property ===> cell ===> push stream ===> observers; view ===> cell. Nothing in a cell holds a property.
@usableFromInline
class HotCell<Element> {
  /// Observers are being called.
  @exclusivity(unchecked) @usableFromInline final var isBusy = false
  /// Something waits for the delivery to end: changes, or the end.
  @exclusivity(unchecked) @usableFromInline final var hasAfterwork = false
  @usableFromInline final let push = PushStream<Element>()

  private final var pending = Deque<Element>()
  private final var hasReported = false
  private final var isEnding = false
  private(set) final var isEnded: Bool
  /// What is being delivered, where something newer waits behind it.
  final var lagging: Element?

  /// More changes than these, waiting for one delivery to end or made in turn before it does, are reported.
  static var reportingBound: Int { 65_536 }

  init(isEnded: Bool) { self.isEnded = isEnded }

  /// Delivers an element; not while busy.
  @inlinable @inline(__always)
  final func deliver(_ element: Element) {
    isBusy = true
    push.next(element)
    isBusy = false
    if hasAfterwork { finishDelivery() }
  }

  /// Has an element wait for the end of the delivery. `lagging` has been set before the state changed.
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

  /// Nothing came of a change that set `lagging`.
  final func forgetLagging() { if pending.isEmpty { lagging = nil } }

  @usableFromInline
  final func finishDelivery() {
    isBusy = true
    var rounds = 0
    while let next = pending.popFirst() {
      rounds += 1
      if rounds > Self.reportingBound { report() }
      lagging = pending.isEmpty ? nil : next
      push.next(next)
    }
    lagging = nil
    isBusy = false
    hasAfterwork = false
    if isEnding { finish() }
  }

  /// Ends the cell, after the delivery if there is one: its observers get the completion.
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

  /// Ends the cell at home: for the deinit of its owner.
  @usableFromInline
  final func endAtHome() { push.endAtHome { [self] in end() } }

  private func finish() {
    isEnding = false
    isEnded = true
    push.completed()
  }

  /// Lets the observer in and delivers the current state, which is the newest that has been delivered or is being delivered.
  /// What changes meanwhile reaches it too, and who comes meanwhile stands behind it.
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

  /// Lets the observer in: it starts with the next change.
  @usableFromInline
  final func enter(_ observer: Observer<Element, Never>, isComposing: Bool) -> any Disposable {
    if isEnded {
      observer.completed()
      return .none
    }
    return isComposing ? push.subscribeUnsettled(observer) : push.subscribe(observer)
  }
}
