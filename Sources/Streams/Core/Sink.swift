/// The gate at the very end of a chain: it holds what the user gave to `observe`, and lets nothing through once closed.
///
/// Once closed it lets go of the closures: a subscription that somebody keeps does not keep what the observer captured.
@usableFromInline
final class Sink<Element, Failure: Error>: Gate {
  @usableFromInline
  struct Target: ~Copyable {
    @usableFromInline let onNext: (Element) -> Void
    @usableFromInline let onTermination: (Termination<Failure>) -> Void

    @inlinable
    init(_ onNext: @escaping (Element) -> Void, _ onTermination: @escaping (Termination<Failure>) -> Void) {
      self.onNext = onNext
      self.onTermination = onTermination
    }
  }

  @usableFromInline
  struct Slot: ~Copyable {
    @usableFromInline var target: Target?

    @inlinable
    init(_ target: consuming Target?) { self.target = consume target }

    /// `target.take()` would look up its type at run time.
    @inlinable @inline(__always)
    mutating func take() -> Target? {
      let old = consume self
      self = Slot(nil)
      return old.target
    }
  }

  // Not copyable, and bound by a switch, so that a delivery borrows the closure: no retain and release for each element.
  // Optional chaining would copy it.
  @exclusivity(unchecked) @usableFromInline var slot: Slot

  @inlinable
  init(next: @escaping (Element) -> Void, termination: @escaping (Termination<Failure>) -> Void) {
    slot = Slot(Target(next, termination))
    super.init(parent: nil)
  }

  @inlinable
  func next(_ element: Element) {
    if isClosedHere { return }
    let isNested = isDelivering
    isDelivering = true
    switch slot.target {
    case .some(let target): target.onNext(element)
    case .none: break
    }
    isDelivering = isNested
    if isOver { didClose() }
  }

  @inlinable
  func terminate(_ termination: Termination<Failure>) {
    if isClosedHere { return }
    closeHere()
    if flags & Gate.reportsBit != 0, case .failed(let error) = termination { reportUnobserved(error) }
    let isNested = isDelivering
    isDelivering = true
    switch slot.target {
    case .some(let target): target.onTermination(termination)
    case .none: break
    }
    isDelivering = isNested
    didClose()
  }

  /// See `Gate`. The subscription stays open, but there is nothing left to deliver.
  @usableFromInline
  override func sourceDidVanish() {
    flags |= Gate.vanishedBit
    didClose()
  }

  /// Lets go of the closures, unless one of them is on the stack; then this is done when it returns.
  @usableFromInline
  override func didClose() {
    if isDelivering { return }
    // Taken out before it is released, which may run anything, and come back here.
    let old = slot.take()
    _ = consume old
  }
}

/// An error that may say nothing but that the receiver's own side has ended the work, which is no news.
package protocol PossibleCancellation: Error {
  var isCancellation: Bool { get }
}

@usableFromInline @inline(never)
func reportUnobserved(_ error: any Error) {
  if error is CancellationError || (error as? any PossibleCancellation)?.isCancellation == true { return }
  Diagnostics.report(
    """
    An operation has failed, and nothing observes its failures: \(error). Observe it with observe(next:termination:) or \
    observeFailed, or drop its failures with toStream(logError: false).
    """)
}
