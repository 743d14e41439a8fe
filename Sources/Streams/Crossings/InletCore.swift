import CStreams
public import DequeModule

/// The shared state of an inlet and its stream: the locked buffer, and the subject that delivers in the home domain.
@usableFromInline
// Sendable: the lock protects the buffer, and only code at home uses the rest.
final class InletCore<Element: Sendable>: ClosingObserver, @unchecked Sendable {
  @usableFromInline
  struct State {
    @usableFromInline var elements = Deque<Element>()
    @usableFromInline var home: (any Mailbox)?
    @usableFromInline var dropped = 0
    /// True if a drain was posted and has not begun.
    @usableFromInline var isScheduled = false
    @usableFromInline var isFinished = false
    @usableFromInline var isClosed = false
    /// True after `cancel()`.
    @usableFromInline var isCancelled = false
    var pressureObserver: Pressure?
    /// The number of pending elements at which the sender is notified; `Int.max` without a closure and after `.high`.
    @usableFromInline var highMark = Int.max
    /// The last notification of the sender.
    var pressure = InletPressure.low
    /// True while a thread notifies the sender. It checks again afterwards.
    var isTelling = false
    /// Called once after the home has closed.
    var onClose: (@Sendable () -> Void)?

    @usableFromInline init() {}

    /// The home, if there is something to deliver and no drain is posted.
    @inlinable
    mutating func takeTurn() -> (any Mailbox)? {
      guard let home, !isScheduled, !elements.isEmpty || isFinished else { return nil }
      isScheduled = true
      return home
    }
  }

  @usableFromInline let state = Lock(State())
  @usableFromInline let capacity: Int
  @usableFromInline let policy: OverflowPolicy
  // Weak, because the actor can retain the inlet.
  private let isolation: WeakActor?
  /// The only sending domain, if there is only one.
  private let sender: (any Mailbox)?
  @usableFromInline let subject = PushStream<Element>()

  #if Tracing
  /// The name in a recording.
  @usableFromInline let traceName = Trace.isOn ? "Inlet<\(Element.self)> #\(Trace.newID())" : "Inlet<\(Element.self)>"
  #endif

  // At home.
  private var hasEnded = false
  /// The rest of the batch in which the observers paused.
  @exclusivity(unchecked) @usableFromInline var rest = Deque<Element>()
  @exclusivity(unchecked) @usableFromInline var observers = 0
  /// The reason for which the stream keeps the loop running while it has an observer, for diagnostics; nil if it does not.
  private let reason: String?
  /// Retained from the first observer to the end, or until the last observer has left.
  private var keepAlive: (any Disposable)?
  private var pausedObservers = 0
  /// The message to report if there is something to deliver and no observer.
  private var whenUnobserved: String?
  /// True if the home notifies this of its end.
  private var isNotified = false
  /// True while all observers are paused.
  @exclusivity(unchecked) @usableFromInline var isHeld = false
  /// True if elements are pending for the time when they resume.
  @exclusivity(unchecked) @usableFromInline var isWaiting = false

  init(
    _ capacity: Int, _ policy: OverflowPolicy, _ reason: String?, _ isolation: (any Actor)?,
    from sender: (any Mailbox)? = nil
  ) {
    self.sender = sender
    self.capacity = capacity
    self.reason = reason
    self.policy = policy
    self.isolation = isolation.map(WeakActor.init)
  }

  var dropped: Int { state.withLock { $0.dropped } }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  // MARK: Any thread

  @inlinable
  func send(_ element: consuming Element) -> Bool {
    var slot: Element? = element
    return send(from: &slot)
  }

  /// Sends the element in `slot`, which is empty afterwards. A refused element stays there. The reference moves under the lock, so
  /// that the home finds no other reference if it drops the element before this thread continues.
  @inlinable
  func send(from slot: inout Element?) -> Bool {
    // Released outside the lock.
    var displaced: Element?
    var displacedFrom: (any Mailbox)?
    var isHigh = false
    var probe: (any Mailbox)?
    let (isAccepted, home) = state.withLock { state -> (Bool, (any Mailbox)?) in
      if state.isFinished || state.isClosed { return (false, nil) }
      if state.elements.count >= capacity {
        state.dropped += 1
        // While the observers are paused no drain is posted, and only posting shows that an actor's home has closed.
        if state.isScheduled, state.dropped % capacity == 0 { probe = state.home }
        if policy == .dropNewest { return (false, nil) }
        displaced = state.elements.popFirst()
        if !_isPOD(Element.self) { displacedFrom = state.home }
      }
      if let element = slot.take() { state.elements.append(element) }
      isHigh = state.elements.count >= state.highMark
      #if Tracing
      // Under the lock, so that the numbers are recorded in their order.
      if Trace.isOn { Trace.count(traceName, state.elements.count) }
      #endif
      return (true, state.takeTurn())
    }
    // Checked again at home, because its sender on another thread may still refer to it, and this thread may have no loop.
    if displaced != nil { Untaken.dispose(&displaced, at: displacedFrom) }
    if isHigh { tell(isHome: false) }
    if let home { return wake(home) }
    if let probe, hasClosed(probe) { return false }
    return isAccepted
  }

  /// Returns true if an actor's home has closed. Other homes notify of their end, and run the drain that is posted before.
  @usableFromInline
  func hasClosed(_ home: any Mailbox) -> Bool {
    if home is any ClosingMailbox || home.post({}) { return false }
    close()
    return true
  }

  /// Drops the pending elements. Neither they nor an end is delivered.
  func cancel() {
    // Released outside the lock.
    var rest = Deque<Element>()
    let (calls, home) = state.withLock { state in
      state.isFinished = true
      state.isCancelled = true
      swap(&rest, &state.elements)
      return ((state.pressureObserver.take(), state.onClose.take()), state.takeTurn())
    }
    _ = calls
    drop(&rest)
    if let home { _ = wake(home) }
  }

  func finish() {
    var none = Deque<Element>()
    finish(after: &none)
  }

  /// Finishes after the elements in `last`, which can exceed the capacity because the sender cannot wait. If the inlet has closed,
  /// they stay in `last`.
  func finish(after last: inout Deque<Element>) {
    let home = state.withLock { state -> (any Mailbox)? in
      if state.isFinished { return nil }
      state.isFinished = true
      if !state.isClosed {
        while let element = last.popFirst() { state.elements.append(element) }
      }
      return state.takeTurn()
    }
    if let home { _ = wake(home) }
  }

  @inlinable
  func wake(_ home: any Mailbox) -> Bool {
    if home.post({ self.drain() }) { return true }
    close()
    return false
  }

  /// Drops the pending elements after the home has closed, and notifies a sender that was asked to pause.
  @usableFromInline
  func close() {
    // Released outside the lock.
    var rest = Deque<Element>()
    let onClose = state.withLock { state in
      state.isClosed = true
      swap(&rest, &state.elements)
      return state.onClose.take()
    }
    drop(&rest)
    onClose?()
    tell(isHome: false)
  }

  /// Calls `body` once after the home has closed, or immediately if it has.
  func onClose(_ body: @escaping @Sendable () -> Void) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.onClose = body }
      return state.isClosed
    }
    if isClosed { body() }
  }

  func homeWillClose() {
    close()
    drop(&rest)
    subject.table.removeAll()
  }

  deinit {
    // The stream was never observed, or home closed while its observers paused.
    drop(&self.rest)
    var rest = Deque<Element>()
    state.withLock { swap(&rest, &$0.elements) }
    #if Tracing
    if Trace.isOn, !rest.isEmpty { Trace.count(traceName, 0) }
    #endif
    drop(&rest)
  }

  /// Disposes elements that no observer takes, at the sender's home if there is one, where the call that sent them has ended.
  @usableFromInline
  func drop(_ elements: inout Deque<Element>) {
    guard let sender, !elements.isEmpty else { return Untaken.disposeAll(&elements) }
    let held = Held<Deque<Element>>()
    swap(&held.value, &elements)
    let dropped = Transfer(held)
    _ = sender.postWhileClosing { dropped.value.drop() }
  }

  // MARK: At home

  /// Adds an observer. The elements wait only while all observers that are `counted` are paused.
  func subscribe(_ observer: Observer<Element, Never>, isCounted: Bool = true) -> any Disposable {
    guard let here = Home.current(isolation?.actor).mailbox else {
      misuse(
        """
        An Inlet's stream was observed on a thread that cannot receive its elements. Observe it on a loop's thread, on the \
        main actor, or in the actor that created the Inlet.
        """)
    }
    // Threads do not identify actors, so an element could be delivered in a wrong one. The runtime checks the actor, and names the
    // expected one.
    if here is ActorMailbox, let actor = isolation?.actor {
      if actor === MainActor.shared {
        misuse(
          """
          An Inlet that was made on the main actor is observed outside of it. Make the Inlet in the actor that observes \
          it, and give it to those that send.
          """)
      }
      actor.preconditionIsolated()
    }
    // Settled under the lock, so that of two domains that observe at once one traps before both use the subject.
    let first = state.withLock { state in
      let first = state.home ?? here
      state.home = first
      return first
    }
    Home(at: first).verify("An Inlet's stream")
    if !isNotified {
      isNotified = true
      if let here = here as? any ClosingMailbox, !here.notifyOfClosing(self) { close() }
    }
    if isCounted { whenUnobserved = nil }
    let place = subject.subscribe(observer)
    let subscription: any Disposable = isCounted && !place.isDisposed ? InletSubscription(self, place) : place
    if let home = state.withLock({ $0.takeTurn() }) { _ = wake(home) }
    return subscription
  }

  /// Reports `message` if there is something to deliver and still no observer.
  func reportIfUnobserved(_ message: String) { if observers == 0 { whenUnobserved = message } }

  @usableFromInline
  func reportUnobserved() { if let message = whenUnobserved.take() { Diagnostics.report(message) } }

  fileprivate func change(observers: Int, paused: Int) {
    self.observers += observers
    pausedObservers += paused
    if observers != 0 { updateKeepAlive() }
    isHeld = pausedObservers > 0 && pausedObservers == self.observers
    if isHeld || !isWaiting { return }
    isWaiting = false
    if let home = state.withLock({ $0.home }) { _ = wake(home) }
  }

  @usableFromInline
  func end() {
    // Released outside the lock.
    let old = state.withLock { $0.pressureObserver.take() }
    _ = old
    hasEnded = true
    updateKeepAlive()
    subject.completed()
  }

  @usableFromInline
  func cancelled() {
    hasEnded = true
    updateKeepAlive()
  }

  private func updateKeepAlive() {
    guard let reason, observers > 0, !hasEnded else {
      keepAlive.take()?.dispose()
      return
    }
    if keepAlive != nil { return }
    let (home, isWanted) = state.withLock { ($0.home, !$0.isCancelled && !$0.isClosed) }
    if isWanted { keepAlive = home?.keepAlive(for: reason) }
  }

  @inlinable
  func drain() {
    if isHeld {
      // Stays scheduled during the pause, so that no other drain is posted.
      isWaiting = true
      #if Tracing
      if Trace.isOn { Trace.instant("inlet", "\(traceName) waits, because all observers are paused") }
      #endif
      return
    }
    // Taken out and not copied, so that a dropped element has no other reference.
    var elements = Deque<Element>()
    let (isFinished, isCancelled) = state.withLock { state in
      state.isScheduled = false
      swap(&elements, &state.elements)
      #if Tracing
      if Trace.isOn { Trace.count(traceName, 0) }
      #endif
      return (state.isFinished, state.isCancelled)
    }
    if isCancelled {
      drop(&rest)
      cancelled()
      return
    }
    if !rest.isEmpty {
      rest.append(contentsOf: elements)
      swap(&rest, &elements)
      rest = []
    }
    while !elements.isEmpty {
      // All observers have left.
      if observers == 0 {
        reportUnobserved()
        drop(&elements)
        break
      }
      guard let element = elements.popFirst() else { break }
      subject.next(element)
      if isHeld, !elements.isEmpty || isFinished {
        rest = elements
        isWaiting = true
        return
      }
    }
    tell(isHome: true)
    if isFinished { end() }
  }
}

/// A subscription to an inlet's stream, with its pause state.
private final class InletSubscription<Element: Sendable>: Disposable {
  private var core: InletCore<Element>?
  private let place: any Disposable
  private let domain = currentDomain()
  private var isPaused = false

  init(_ core: InletCore<Element>, _ place: any Disposable) {
    self.core = core
    self.place = place
    core.change(observers: 1, paused: 0)
  }

  var isDisposed: Bool { place.isDisposed }

  func dispose() {
    place.dispose()
    core.take()?.change(observers: -1, paused: isPaused ? -1 : 0)
  }

  func pause() {
    guard let core, !isPaused else { return }
    check()
    isPaused = true
    core.change(observers: 0, paused: 1)
  }

  func resume() {
    guard let core, isPaused else { return }
    check()
    isPaused = false
    core.change(observers: 0, paused: -1)
  }

  private func check() { if headwater_is_outside(domain) { subscriptionUsedOutside(of: domain) } }
}
