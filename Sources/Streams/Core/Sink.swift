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

  /// A sink whose observer does not ask for failures: one that arrives is reported, with the place of the observation.
  @inlinable
  convenience init(
    reportingAt file: StaticString, _ line: UInt, next: @escaping (Element) -> Void, completed: (() -> Void)? = nil
  ) {
    self.init(next: next, termination: { _ in })
    // What cannot fail needs no memory for the place.
    if Failure.self == Never.self, completed == nil { return }
    flags |= Gate.reportsBit
    slot = Slot(
      Target(
        next,
        { [unowned(unsafe) self] end in
          switch end {
          case .completed: completed?()
          case .failed(let error): if flags & Gate.reportsBit != 0 { reportUnobserved(error, file, line) }
          }
        }))
  }

  deinit { if flags & Gate.watchedBit != 0 { EndWatch.somethingEnded() } }

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
    if flags & Gate.watchedBit != 0 { tellEnd() }
  }

  private func tellEnd() {
    flags &= ~Gate.watchedBit
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
