public import CStreams

/// The guard of a user's producer, and the exit of an operator that has several upstreams or holds elements.
///
/// It drops events after the end and after disposal, queues events that are sent during a delivery, and disposes the upstream
/// exactly once. When it is over, it releases the downstream, even if the producer retains its observer.
///
/// Its upstream is the disposable that the producer returned, or the state of the operator (`OperatorState`).
///
/// Ownership: producer ===> SerializedSubscription ===> downstream observer; SerializedSubscription ===> the upstream. The end
/// and disposal cut both.
@usableFromInline
package final class SerializedSubscription<Element, Failure: Error>: Subscription {
  @exclusivity(unchecked) @usableFromInline var receiver: Receiver<Element, Failure>
  @exclusivity(unchecked) @usableFromInline var queue = ReentryQueue<Element, Failure>()

  /// The ID of the observing domain, or 0 if it has no thread.
  @usableFromInline let domain: UInt

  @inlinable
  package init(_ observer: Observer<Element, Failure>) {
    domain = currentDomain()
    receiver = Receiver(observer.onNext, observer.onTermination)
    super.init(downstream: observer.subscription)
  }

  /// An object that the closures of the producer's observer retain. Its deallocation shows that all of them were released.
  @usableFromInline
  final class Hold {
    @usableFromInline let subscription: SerializedSubscription

    @inlinable
    init(_ subscription: SerializedSubscription) { self.subscription = subscription }

    @inlinable
    deinit { if subscription.flags & Subscription.disposedBit == 0 { subscription.producerDidRelease() } }
  }

  /// Runs `producer` with a guarded observer.
  @inlinable
  func connect(_ producer: (Observer<Element, Failure>) -> any Disposable) {
    let hold = Hold(self)
    withExtendedLifetime(hold) {
      let next = { hold.subscription.next($0) }
      attach(producer(Observer(for: self, next: next, termination: { hold.subscription.terminate($0) })))
    }
  }

  /// Handles a producer that released its observer without an end. If it has nothing to undo either, the source has vanished.
  ///
  /// On another thread this cannot be decided safely, and in an actor's domain never. There the subscription stays until its
  /// disposal.
  @usableFromInline
  func producerDidRelease() {
    if domain == 0 || isOutside { return }
    // Does not read `isDisposed`: the upstream may be releasing the observer while it modifies its own state.
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

  /// Checks the thread, because region isolation lets an observer leave its domain, for example into a C callback.
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

  /// Resumes the upstream. A source that answers immediately delivers inside this call; this loop then does the resumes that
  /// those deliveries postponed.
  private func resumeAfterDelivery() {
    if flags & Subscription.resumingBit != 0 { return }
    flags |= Subscription.resumingBit
    while flags & (Subscription.resumesBit | Subscription.disposedBit) == Subscription.resumesBit {
      flags &= ~Subscription.resumesBit
      super.resume()
    }
    flags &= ~Subscription.resumingBit
  }

  /// A completion that is held is queued like one that is sent during a delivery, so events after it are dropped.
  @usableFromInline
  package override func holdCompletion() { holdsCompletion = true }

  @usableFromInline
  package override func releaseCompletion(isDelivered: Bool) {
    holdsCompletion = false
    if queue.termination == nil { return }
    if !isDelivered { queue.termination = nil }
    drain()
  }

  @usableFromInline
  func finish(_ termination: Termination<Failure>) {
    if holdsCompletion, termination.failure == nil {
      isDelivering = true
      queue.append(termination)
      return
    }
    flags |= Subscription.disposedBit
    let receiver = receiver.take()
    disposeUpstream()
    receiver.terminate(termination)
  }

  /// Releases the closures. If a delivery is running, it does so when it ends.
  @usableFromInline
  override func release() {
    if isDelivering { return }
    queue.removeAll()
    let old = receiver.take()
    withExtendedLifetime(old) {}
  }

  /// Disposes the upstream. A second call does nothing.
  @usableFromInline
  package override func dispose() {
    if flags & Subscription.disposedBit != 0 { return }
    checkThread()
    super.dispose()
  }

  /// Pauses the upstream, or cancels a resume that was postponed.
  @usableFromInline
  package override func pause() {
    checkThread()
    if flags & Subscription.resumesBit != 0 { flags &= ~Subscription.resumesBit } else { super.pause() }
  }

  /// Resumes the upstream. During a delivery this is postponed to its end. Otherwise a source that answers immediately would queue
  /// all its elements behind that delivery, and the observer could pause again before they are delivered.
  @usableFromInline
  package override func resume() {
    checkThread()
    if flags & Subscription.pausedBit != 0, isDelivering {
      flags |= Subscription.resumesBit
    } else {
      super.resume()
    }
  }

  /// Releases the operator if its source has vanished and it holds no element. For an operator that can drop its last element
  /// without a delivery.
  @usableFromInline
  package func checkVanished() { if flags & Subscription.vanishedBit != 0 { sourceDidVanish() } }

  /// Handles a source that vanished. An operator with several upstreams waits for the last one, and an operator that holds elements
  /// delivers them first.
  @usableFromInline
  override func sourceDidVanish() {
    // The operator that is released below retains this subscription.
    defer { withExtendedLifetime(self) {} }
    flags |= Subscription.vanishedBit
    if isDelivering || flags & Subscription.disposedBit != 0 || !queue.isEmpty { return }
    if let state = upstream as? any OperatorState, !state.isOver { return }
    // Taken out before they are released, because a deinit can run any code. The downstream needs their captures until then.
    let receiver = receiver.take()
    let upstream = upstream.take()
    notifyDownstreamOfVanishing()
    upstream?.dispose()
    withExtendedLifetime(receiver) {}
  }
}
