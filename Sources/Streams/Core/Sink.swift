/// The gate at the very end of a chain: it holds what the user gave to `observe`, and lets nothing through once closed.
@usableFromInline
final class Sink<Element, Failure: Error>: Gate {
  @usableFromInline let onNext: (Element) -> Void
  @usableFromInline let onTermination: (Termination<Failure>) -> Void

  @inlinable
  init(next: @escaping (Element) -> Void, termination: @escaping (Termination<Failure>) -> Void) {
    onNext = next
    onTermination = termination
    super.init(parent: nil)
  }

  @inlinable
  func next(_ element: Element) {
    if !isClosedHere { onNext(element) }
  }

  @inlinable
  func terminate(_ termination: Termination<Failure>) {
    if isClosedHere { return }
    closeHere()
    onTermination(termination)
  }
}
