import CStreams
public import DequeModule

/// What the inlet and its stream share: the locked buffer, and at home the subject that delivers.
@usableFromInline
// Sendable: the buffer is behind the lock; the rest is touched at home alone.
final class InletCore<Element: Sendable>: ClosingObserver, @unchecked Sendable {
  @usableFromInline
  struct State {
    @usableFromInline var elements = Deque<Element>()
    @usableFromInline var home: (any Mailbox)?
    @usableFromInline var dropped = 0
    /// A drain has been posted and has not begun.
    @usableFromInline var isScheduled = false
    @usableFromInline var isFinished = false
    @usableFromInline var isClosed = false
    /// What waits is not wanted, nor is the end.
    @usableFromInline var isCancelled = false
    var marks: InletMarks?
    /// As many waiting elements are worth telling; no number is, while nobody asks or the sender has been told.
    @usableFromInline var highMark = Int.max
    /// What the sender has been told last.
    var pressure = InletPressure.low
    /// Somebody is calling the sender back, and looks again afterwards.
    var isTelling = false
    /// Called once when home has closed.
    var onClose: (@Sendable () -> Void)?

    @usableFromInline init() {}

    /// The home to wake, if there is something to deliver and nobody has woken it.
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
  // An actor may keep the inlet that it made.
  private let isolation: WeakActor?
  /// The only domain that sends, if there is only one.
  private let sender: (any Mailbox)?
  @usableFromInline let subject = PushStream<Element>()

  // At home.
  private var hasEnded = false
  /// What has been taken from the buffer when the observers paused.
  @exclusivity(unchecked) @usableFromInline var rest = Deque<Element>()
  @exclusivity(unchecked) @usableFromInline var observers = 0
  /// What keeps the loop running while the stream is observed, for a person who asks; nil if nothing does.
  private let reason: String?
  /// Held from the first observer to the end, or until the last observer has left.
  private var keepAlive: (any Disposable)?
  private var pausedObservers = 0
  /// What is to be reported when there is something to deliver and no observer.
  private var whenUnobserved: String?
  /// Home says when it closes.
  private var isNotified = false
  /// All who observe pause.
  @exclusivity(unchecked) @usableFromInline var isHeld = false
  /// There is something to deliver when they resume.
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

  /// Sends what is in `slot`, which is empty afterwards; a refused element stays there. The slot's reference goes with the
  /// element, under the lock: whoever drops it at home finds no reference here, however long this thread waits for its turn.
  @inlinable
  func send(from slot: inout Element?) -> Bool {
    // Released after the lock.
    var displaced: Element?
    var isHigh = false
    var probe: (any Mailbox)?
    let (isAccepted, home) = state.withLock { state -> (Bool, (any Mailbox)?) in
      if state.isFinished || state.isClosed { return (false, nil) }
      if state.elements.count >= capacity {
        state.dropped += 1
        // While the observers pause nobody posts a drain, and only posting tells that home has closed.
        if state.isScheduled, state.dropped % capacity == 0 { probe = state.home }
        if policy == .dropNewest { return (false, nil) }
        displaced = state.elements.popFirst()
      }
      if let element = slot.take() { state.elements.append(element) }
      isHigh = state.elements.count >= state.highMark
      return (true, state.takeTurn())
    }
    if displaced != nil { Untaken.dispose(&displaced) }
    if isHigh { tell(isHome: false) }
    if let home { return wake(home) }
    if let probe, !probe.post({}) {
      close()
      return false
    }
    return isAccepted
  }

  /// Drops what waits; neither that nor the end is delivered.
  func cancel() {
    // Released after the lock.
    var rest = Deque<Element>()
    let (calls, home) = state.withLock { state in
      state.isFinished = true
      state.isCancelled = true
      swap(&rest, &state.elements)
      return ((state.marks.take(), state.onClose.take()), state.takeTurn())
    }
    _ = calls
    drop(&rest)
    if let home { _ = wake(home) }
  }

  func finish() {
    var none = Deque<Element>()
    finish(after: &none)
  }

  /// Finishes after `last`, which is taken beyond the capacity: the sender cannot wait. If the inlet has closed, they are left there.
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

  /// Home has closed: drops what waits, and lets a sender that has been told to wait find that out.
  @usableFromInline
  func close() {
    // Released after the lock.
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

  /// Has `body` called once when home has closed; at once if it has.
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
    // Never observed.
    var rest = Deque<Element>()
    state.withLock { swap(&rest, &$0.elements) }
    drop(&rest)
  }

  /// Disposes of elements that no observer will take, at the sender's home if it has one: there the call that has sent them
  /// does not refer to them any more.
  @usableFromInline
  func drop(_ elements: inout Deque<Element>) {
    guard let sender, !elements.isEmpty else { return Untaken.disposeAll(&elements) }
    let held = Held<Deque<Element>>()
    swap(&held.value, &elements)
    let dropped = Transfer(held)
    _ = sender.postWhileClosing { dropped.value.drop() }
  }

  // MARK: At home

  /// Lets an observer in. One that is not `counted` has no say in whether the elements wait.
  func subscribe(_ observer: Observer<Element, Never>, isCounted: Bool = true) -> any Disposable {
    guard let here = Home.current(isolation?.actor).mailbox else {
      misuse(
        """
        An Inlet's stream is observed where nothing can be delivered to: observe it on a loop's thread, on the main actor, \
        or in an actor that made the Inlet itself, so that it knows its isolation.
        """)
    }
    // By thread nothing tells one actor from another: what is observed in one would be delivered in the other. The
    // runtime checks, and names the actor that was expected.
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
    // Settled under the lock: of two domains that observe it at once, one traps before both reach the subject.
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

  /// Reports `message` when there is something to deliver and there is still no observer.
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
    let marks = state.withLock { $0.marks.take() }
    _ = marks
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
      // Scheduled for as long as they pause: nobody posts another drain.
      isWaiting = true
      return
    }
    // Taken out, not copied: what is dropped here has no other reference.
    var elements = Deque<Element>()
    let (isFinished, isCancelled) = state.withLock { state in
      state.isScheduled = false
      swap(&elements, &state.elements)
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
      // Whoever observed has left.
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

/// A place among the observers of an inlet's stream: it knows whether it pauses.
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
