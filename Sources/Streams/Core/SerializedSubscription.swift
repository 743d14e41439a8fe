public import CStreams

/// The guard in front of a producer that somebody else wrote, and the exit of an operator that has several upstreams or holds
/// elements.
///
/// It drops what comes after the end or after disposal, queues what is sent from inside a delivery, disposes the upstream
/// exactly once, and lets go of the downstream when it is over, also where the producer holds on to its observer.
///
/// Its upstream is what the producer has returned, or the state of the operator (`OperatorState`).
///
/// Ownership: producer ===> SerializedSubscription ===> downstream observer; SerializedSubscription ===> the upstream. The end
/// and disposal cut both.
@usableFromInline
package final class SerializedSubscription<Element, Failure: Error>: Subscription {
  @exclusivity(unchecked) @usableFromInline var receiver: Receiver<Element, Failure>
  @exclusivity(unchecked) @usableFromInline var queue = ReentryQueue<Element, Failure>()

  /// The number of the domain that observes; 0 if it has no thread.
  @usableFromInline let domain: UInt

  @inlinable
  package init(_ observer: Observer<Element, Failure>) {
    domain = currentDomain()
    receiver = Receiver(observer.onNext, observer.onTermination)
    super.init(downstream: observer.subscription)
  }

  /// What the closures of the producer's observer hold. It goes with the last of them.
  @usableFromInline
  final class Hold {
    @usableFromInline let subscription: SerializedSubscription

    @inlinable
    init(_ subscription: SerializedSubscription) { self.subscription = subscription }

    @inlinable
    deinit { if subscription.flags & Subscription.disposedBit == 0 { subscription.producerDidRelease() } }
  }

  /// Runs `producer` with an observer of its own.
  @inlinable
  func connect(_ producer: (Observer<Element, Failure>) -> any Disposable) {
    let hold = Hold(self)
    withExtendedLifetime(hold) {
      let next = { hold.subscription.next($0) }
      attach(producer(Observer(for: self, next: next, termination: { hold.subscription.terminate($0) })))
    }
  }

  /// The producer has released its observer without an end. If there is nothing to undo either, it has gone.
  ///
  /// Nobody can tell on another thread what happens in the domain meanwhile, and in an actor's domain nobody ever can: there
  /// the subscription waits for its disposal.
  @usableFromInline
  func producerDidRelease() {
    if domain == 0 || isOutside { return }
    // Not asked whether it is disposed of: it may be releasing the observer, and hold its own state exclusively.
    if let upstream, !(upstream is NonDisposable), (upstream as? Subscription)?.isOver != true { return }
    sourceDidVanish()
  }

  @inlinable
  package func next(_ element: Element) {
    if isOutside { return producerSentOutside(of: domain) }
    if flags & Subscription.disposedBit != 0 { return }
    if isDelivering {
      queue.append(element)
      return
    }
    isDelivering = true
    receiver.next(element)
    isDelivering = false
    if flags & Subscription.afterDeliveryBits != 0 || !queue.isEmpty { drain() }
  }

  @inlinable
  package func terminate(_ termination: Termination<Failure>) {
    if isOutside { return producerSentOutside(of: domain) }
    if flags & Subscription.disposedBit != 0 { return }
    if isDelivering {
      queue.append(termination)
      return
    }
    finish(termination)
  }

  /// Region isolation lets an observer out of its domain: a C callback on another thread reaches it.
  @inlinable @inline(__always)
  var isOutside: Bool { headwater_is_outside(domain) }

  private func checkThread() { if isOutside { subscriptionUsedOutside(of: domain) } }

  @usableFromInline
  func drain() {
    defer { withExtendedLifetime(self) {} }
    isDelivering = true
    while flags & Subscription.disposedBit == 0, let element = queue.popElement() { receiver.next(element) }
    isDelivering = false
    if flags & Subscription.disposedBit != 0 {
      release()
    } else if let termination = queue.takeTermination() {
      finish(termination)
    } else {
      if flags & Subscription.resumesBit != 0 { resumeAfterDelivery() }
      checkVanished()
    }
  }

  /// A source that answers at once delivers in here. What that delivery postpones is done by this loop, which is further down
  /// the stack.
  private func resumeAfterDelivery() {
    if flags & Subscription.resumingBit != 0 { return }
    flags |= Subscription.resumingBit
    while flags & (Subscription.resumesBit | Subscription.disposedBit) == Subscription.resumesBit {
      flags &= ~Subscription.resumesBit
      super.resume()
    }
    flags &= ~Subscription.resumingBit
  }

  @usableFromInline
  func finish(_ termination: Termination<Failure>) {
    flags |= Subscription.disposedBit
    let receiver = receiver.take()
    disposeUpstream()
    receiver.terminate(termination)
  }

  /// Lets go of everything, unless a delivery is on the stack, which does it when it ends.
  @usableFromInline
  override func release() {
    if isDelivering { return }
    queue.removeAll()
    let old = receiver.take()
    _ = consume old
  }

  /// Stops the producer. Idempotent.
  @usableFromInline
  package override func dispose() {
    if flags & Subscription.disposedBit != 0 { return }
    checkThread()
    super.dispose()
  }

  /// Passes the request on to the upstream, or takes back what `resume()` has postponed.
  @usableFromInline
  package override func pause() {
    checkThread()
    if flags & Subscription.resumesBit != 0 { flags &= ~Subscription.resumesBit } else { super.pause() }
  }

  /// Passes the request on to the upstream; if a delivery is on the stack, after it. A source that answers at once would be
  /// queued behind that delivery with all its elements, and the observer may pause again before they come.
  @usableFromInline
  package override func resume() {
    checkThread()
    if flags & Subscription.pausedBit != 0, isDelivering {
      flags |= Subscription.resumesBit
    } else {
      super.resume()
    }
  }

  /// Releases the operator if its source has been deallocated and it holds nothing any more. For an operator that can drop
  /// or keep its last element without a delivery.
  @usableFromInline
  package func checkVanished() { if flags & Subscription.vanishedBit != 0 { sourceDidVanish() } }

  /// See `Subscription`. An operator with several upstreams waits for the last of them, and one that holds elements delivers
  /// them.
  @usableFromInline
  override func sourceDidVanish() {
    // The operator that is released below holds this subscription.
    defer { withExtendedLifetime(self) {} }
    flags |= Subscription.vanishedBit
    if isDelivering || flags & Subscription.disposedBit != 0 || !queue.isEmpty { return }
    if let state = upstream as? any OperatorState, !state.isOver { return }
    // Taken out before they are released, which may run anything; the one downstream needs what they hold until then.
    let receiver = receiver.take()
    let upstream = upstream.take()
    notifyDownstreamOfVanishing()
    upstream?.dispose()
    _ = consume receiver
  }
}
