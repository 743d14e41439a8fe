/// The last subscription of a chain. It retains the closures of `observe` until it is over.
///
/// After the end or a disposal it releases the closures, so a retained subscription does not retain their captures.
@usableFromInline
final class Sink<Element, Failure: Error>: Subscription {
  @exclusivity(unchecked) @usableFromInline var receiver: Receiver<Element, Failure>

  @inlinable
  init(next: @escaping (Element) -> Void, termination: @escaping (Termination<Failure>) -> Void) {
    receiver = Receiver(next, termination)
    super.init(downstream: nil)
  }

  /// Creates a sink whose observer does not handle failures. A failure is reported with the file and line of the observation.
  @inlinable
  convenience init(
    reportingAt file: StaticString, _ line: UInt, next: @escaping (Element) -> Void, completed: (() -> Void)? = nil
  ) {
    self.init(next: next, termination: { _ in })
    // A stream that cannot fail needs no memory for file and line.
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
    #if Tracing
    if Trace.isOn { return nextRecorded(element) }
    #endif
    deliver(element)
  }

  #if Tracing
  // Out of line, so that `next` stays short enough to be inlined.
  @usableFromInline @inline(never)
  func nextRecorded(_ element: Element) {
    Trace.deliver(element, to: self)
    deliver(element)
    Trace.end()
  }
  #endif

  @inlinable @inline(__always)
  func deliver(_ element: Element) {
    let isNested = isDelivering
    isDelivering = true
    observing { receiver.next(element) }
    isDelivering = isNested
    if isOver { release() }
  }

  @inlinable
  func terminate(_ termination: Termination<Failure>) {
    if flags & Subscription.disposedBit != 0 { return }
    flags |= Subscription.disposedBit
    #if Tracing
    if Trace.isOn { Trace.ended(self, termination) }
    #endif
    let isNested = isDelivering
    isDelivering = true
    observing { receiver.terminate(termination) }
    isDelivering = isNested
    release()
    disposeUpstream()
  }

  /// Releases the closures. If one of them is running, it is released when it returns.
  @usableFromInline
  override func release() {
    if isDelivering { return }
    // Taken out before it is released, because a deinit can run any code, including this.
    let old = receiver.take()
    withExtendedLifetime(old) {}
    if flags & Subscription.watchedBit != 0 { tellEnd() }
  }

  private func tellEnd() {
    flags &= ~Subscription.watchedBit
    EndWatch.somethingEnded()
  }
}

/// An error that can be a cancellation by the receiver, which is not reported.
package protocol PossibleCancellation: Error {
  var isCancellation: Bool { get }
}

extension Error {
  /// True if the error is known to be a cancellation.
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
