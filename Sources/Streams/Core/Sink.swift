/// The very end of a chain: it holds what the user gave to `observe`, and lets nothing through once its gate has closed.
///
/// It is not the gate itself, which the subscription holds: only the upstream holds the sink, so a subscription that
/// somebody keeps after the end does not keep what the observer captured.
@usableFromInline
final class Sink<Element, Failure: Error> {
  @usableFromInline let gate: Gate
  @usableFromInline let onNext: (Element) -> Void
  @usableFromInline let onTermination: (Termination<Failure>) -> Void

  @inlinable
  init(
    gate: Gate, next: @escaping (Element) -> Void, termination: @escaping (Termination<Failure>) -> Void
  ) {
    self.gate = gate
    onNext = next
    onTermination = termination
  }

  @inlinable
  func next(_ element: Element) {
    if !gate.isClosedHere { onNext(element) }
  }

  @inlinable
  func terminate(_ termination: Termination<Failure>) {
    if gate.isClosedHere { return }
    gate.closeHere()
    onTermination(termination)
  }
}
