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

  // Not copyable, and bound by a switch, so that a delivery borrows the closure: no retain and release for each element.
  // Optional chaining would copy it.
  @exclusivity(unchecked) @usableFromInline var target: Target?

  @inlinable
  init(next: @escaping (Element) -> Void, termination: @escaping (Termination<Failure>) -> Void) {
    target = Target(next, termination)
    super.init(parent: nil)
  }

  @inlinable
  func next(_ element: Element) {
    if isClosedHere { return }
    let isNested = isDelivering
    isDelivering = true
    switch target {
    case .some(let target): target.onNext(element)
    case .none: break
    }
    isDelivering = isNested
    if isClosedHere { didClose() }
  }

  @inlinable
  func terminate(_ termination: Termination<Failure>) {
    if isClosedHere { return }
    closeHere()
    let isNested = isDelivering
    isDelivering = true
    switch target {
    case .some(let target): target.onTermination(termination)
    case .none: break
    }
    isDelivering = isNested
    didClose()
  }

  /// Lets go of the closures, unless one of them is on the stack; then this is done when it returns.
  @usableFromInline
  override func didClose() {
    if isDelivering { return }
    // Stored before the old value is released, which may run anything. `take()` would look up its type at run time.
    target = nil
  }
}
