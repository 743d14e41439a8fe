/// The subscription at the very end of a chain: it holds what the user gave to `observe`, and lets nothing through once it is
/// disposed of.
///
/// It lets go of the closures then: a subscription that somebody keeps does not keep what the observer captured.
@usableFromInline
final class Sink<Element, Failure: Error>: Subscription {
  @exclusivity(unchecked) @usableFromInline var receiver: Receiver<Element, Failure>

  @inlinable
  init(next: @escaping (Element) -> Void, termination: @escaping (Termination<Failure>) -> Void) {
    receiver = Receiver(next, termination)
    super.init(downstream: nil)
  }

  /// A sink whose observer does not ask for failures: one that arrives is reported, with the place of the observation.
  @inlinable
  convenience init(
    reportingAt file: StaticString, _ line: UInt, next: @escaping (Element) -> Void, completed: (() -> Void)? = nil
  ) {
    self.init(next: next, termination: { _ in })
    // What cannot fail needs no memory for the place.
    if Failure.self == Never.self, completed == nil { return }
    flags |= Subscription.reportsBit
    receiver = Receiver(
      next,
      { [unowned(unsafe) self] end in
        switch end {
        case .completed: completed?()
        case .failed(let error): if flags & Subscription.reportsBit != 0 { reportUnobserved(error, file, line) }
        }
      })
  }

  deinit { if flags & Subscription.watchedBit != 0 { EndWatch.somethingEnded() } }

  @inlinable
  func next(_ element: Element) {
    if flags & Subscription.disposedBit != 0 { return }
    let isNested = isDelivering
    isDelivering = true
    receiver.next(element)
    isDelivering = isNested
    if isOver { release() }
  }

  @inlinable
  func terminate(_ termination: Termination<Failure>) {
    if flags & Subscription.disposedBit != 0 { return }
    flags |= Subscription.disposedBit
    let isNested = isDelivering
    isDelivering = true
    receiver.terminate(termination)
    isDelivering = isNested
    release()
    disposeUpstream()
  }

  /// Lets go of the closures, unless one of them is on the stack; then this is done when it returns.
  @usableFromInline
  override func release() {
    if isDelivering { return }
    // Taken out before it is released, which may run anything, and come back here.
    let old = receiver.take()
    _ = consume old
    if flags & Subscription.watchedBit != 0 { tellEnd() }
  }

  private func tellEnd() {
    flags &= ~Subscription.watchedBit
    EndWatch.somethingEnded()
  }
}

/// An error that may say nothing but that the receiver's own side has ended the work, which is no news.
package protocol PossibleCancellation: Error {
  var isCancellation: Bool { get }
}

extension Error {
  /// Whether it is known to say that the work was cancelled.
  package var isCancellation: Bool {
    self is CancellationError || (self as? any PossibleCancellation)?.isCancellation == true
  }
}

@usableFromInline @inline(never)
func reportUnobserved(_ error: any Error, _ file: StaticString, _ line: UInt) {
  if error.isCancellation { return }
  Diagnostics.report(
    """
    The operation observed at \(file):\(line) has failed: \(error). That observer does not ask for failures: use \
    observe(next:termination:), observeFailed, or doOn(failed:), or drop failures with toStream(logError: false).
    """)
}
