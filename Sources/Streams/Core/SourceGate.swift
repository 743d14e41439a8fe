public import CStreams

/// An operator that holds elements, or has several upstreams, as its exit sees it.
@usableFromInline
package protocol ExitOwner: AnyObject {
  /// All upstreams have ended or gone, and nothing that is held waits for its time: nothing more will be sent.
  var isOver: Bool { get }

  /// Ends the upstreams and the timers, and drops what is held.
  func stop()

  /// Resumes the sources and timers. Not called while the exit delivers.
  func resumeSources()
}

/// The guard in front of a producer that somebody else wrote.
///
/// It drops what comes after the end or after disposal, queues what is sent from inside a delivery, disposes the
/// producer's disposable exactly once, and lets go of the downstream when it is over, also where the producer holds on to
/// its observer.
///
/// Ownership: producer ===> SourceGate ===> downstream observer; SourceGate ===> the producer's disposable. The downstream
/// side of that cycle is cut at the end and at disposal.
@usableFromInline
package final class SourceGate<Element, Failure: Error>: Gate, Disposable {
  @usableFromInline
  struct Downstream: ~Copyable {
    @usableFromInline let onNext: (Element) -> Void
    @usableFromInline let onTermination: (Termination<Failure>) -> Void

    @inlinable
    init(_ observer: Observer<Element, Failure>) {
      onNext = observer.onNext
      onTermination = observer.onTermination
    }
  }

  // Not copyable, and bound by a switch, so that a delivery borrows the closure: no retain and release for each element.
  // Optional chaining would copy it.
  @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
  @exclusivity(unchecked) @usableFromInline var upstream: (any Disposable)?
  @exclusivity(unchecked) @usableFromInline var queue = ReentryQueue<Element, Failure>()
  /// The operator whose exit this is, until it is over.
  @exclusivity(unchecked) @usableFromInline package var owner: (any ExitOwner)?

  /// The number of the domain that observes; 0 if it has no thread.
  @usableFromInline let domain: UInt

  @inlinable
  package init(_ observer: Observer<Element, Failure>) {
    domain = currentDomain()
    downstream = Downstream(observer)
    super.init(parent: observer.gate)
  }

  @inlinable
  var observer: Observer<Element, Failure> {
    Observer(gate: self, next: { self.next($0) }, termination: { self.terminate($0) })
  }

  @inlinable
  package func next(_ element: Element) {
    if isOutside { return producerSentOutside(of: domain) }
    if isClosedHere { return }
    if isDelivering {
      queue.append(element)
      return
    }
    isDelivering = true
    switch downstream {
    case .some(let downstream): downstream.onNext(element)
    case .none: break
    }
    isDelivering = false
    if flags & Gate.afterDeliveryBits != 0 || !queue.isEmpty { drain() }
  }

  @inlinable
  package func terminate(_ termination: Termination<Failure>) {
    if isOutside { return producerSentOutside(of: domain) }
    if isClosedHere { return }
    if isDelivering {
      queue.append(termination)
      return
    }
    finish(termination)
  }

  /// Region isolation lets an observer out of its domain: a C callback on another thread reaches it.
  @inlinable @inline(__always)
  var isOutside: Bool { headwater_is_outside(domain) }

  private func checkSubscriptionThread() { if isOutside { subscriptionUsedOutside(of: domain) } }

  @usableFromInline
  func drain() {
    defer { withExtendedLifetime(self) {} }
    isDelivering = true
    while !isClosedHere, let element = queue.popElement() { downstream?.onNext(element) }
    isDelivering = false
    if isClosedHere {
      release()
    } else if let termination = queue.takeTermination() {
      finish(termination)
    } else {
      if flags & Gate.resumesBit != 0 { resumeAfterDelivery() }
      if flags & Gate.vanishedBit != 0 { sourceDidVanish() }
    }
  }

  /// A source that answers at once delivers in here. What that delivery postpones is done by this loop, which is further down
  /// the stack.
  private func resumeAfterDelivery() {
    if flags & Gate.resumingBit != 0 { return }
    flags |= Gate.resumingBit
    while flags & (Gate.resumesBit | Gate.closedBit) == Gate.resumesBit {
      flags &= ~(Gate.resumesBit | Gate.pausedBit)
      if let owner { owner.resumeSources() } else { upstream?.resume() }
    }
    flags &= ~Gate.resumingBit
  }

  /// Has the sources go on after the delivery that is on the stack. False if there is none.
  @usableFromInline
  package func postponeResume() -> Bool {
    if isDelivering { flags |= Gate.resumesBit }
    return isDelivering
  }

  /// Takes that back. False if there is nothing to take back.
  @usableFromInline
  package func takeBackResume() -> Bool {
    if flags & Gate.resumesBit == 0 { return false }
    flags &= ~Gate.resumesBit
    return true
  }

  @usableFromInline
  func finish(_ termination: Termination<Failure>) {
    closeHere()
    let owner = owner.take()
    let target = downstream.take()
    upstream.take()?.dispose()
    switch target {
    case .some(let target): target.onTermination(termination)
    case .none: break
    }
    _ = consume owner
  }

  /// Lets go of everything, unless a delivery is on the stack, which does it when it ends.
  @usableFromInline
  func release() {
    if isDelivering { return }
    queue.removeAll()
    let owner = owner.take()
    let target = downstream.take()
    _ = consume target
    _ = consume owner
  }

  @usableFromInline
  func attach(_ upstream: any Disposable) {
    if isClosedHere {
      upstream.dispose()
    } else {
      self.upstream = upstream
      if isPaused {
        flags |= Gate.pausedBit
        upstream.pause()
      }
    }
  }

  /// True after the end and after `dispose()`.
  @usableFromInline package var isDisposed: Bool { isClosedHere }

  /// Stops the producer. Idempotent.
  @usableFromInline package func dispose() {
    if isClosedHere { return }
    checkSubscriptionThread()
    closeHere()
    upstream.take()?.dispose()
    release()
  }

  /// Passes the request on to the producer's disposable.
  @usableFromInline package func pause() {
    guard flags & (Gate.pausedBit | Gate.closedBit) == 0 || flags & Gate.resumesBit != 0 else { return }
    checkSubscriptionThread()
    if takeBackResume() { return }
    flags |= Gate.pausedBit
    upstream?.pause()
  }

  /// Passes the request on to the producer's disposable, after the delivery that is on the stack.
  @usableFromInline package func resume() {
    guard flags & Gate.pausedBit != 0 else { return }
    checkSubscriptionThread()
    if postponeResume() { return }
    flags &= ~Gate.pausedBit
    upstream?.resume()
  }

  /// Releases the operator if its source has been deallocated and it holds nothing any more. For an operator that can drop
  /// or keep its last element without a delivery.
  package func checkVanished() { if flags & Gate.vanishedBit != 0 { sourceDidVanish() } }

  /// See `Gate`. An operator with several upstreams waits for the last of them, and one that holds elements delivers them.
  @usableFromInline
  override func sourceDidVanish() {
    // The operator that is released below holds this gate.
    defer { withExtendedLifetime(self) {} }
    flags |= Gate.vanishedBit
    if isDelivering || isClosedHere || !queue.isEmpty { return }
    if let owner, !owner.isOver { return }
    // Taken out before they are released, which may run anything; the gate downstream needs what they hold until then.
    let owner = owner.take()
    let target = downstream.take()
    let upstream = upstream.take()
    owner?.stop()
    super.sourceDidVanish()
    _ = consume upstream
    _ = consume target
    _ = consume owner
  }
}
