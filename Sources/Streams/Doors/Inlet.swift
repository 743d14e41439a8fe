import DequeModule

/// What an `Inlet` does with an element when its buffer is full.
///
/// ```swift
/// let newest = Inlet<Int>(capacity: 1, whenFull: .dropOldest)
/// let oldest = Inlet<Int>(capacity: 1, whenFull: .dropNewest)
/// for inlet in [newest, oldest] { for number in 1...3 { inlet.send(number) } }
/// print(newest.dropped, oldest.dropped)  // 2 2
/// ```
public enum OverflowPolicy: Sendable, Hashable {
  /// The oldest element that waits is dropped, to make room.
  case dropOldest
  /// The new element is dropped.
  case dropNewest
}

/// The end of a stream into which any thread may send.
///
/// ```swift
/// let inlet = Inlet<Int>(capacity: 1024, whenFull: .dropOldest)
/// inlet.stream.observeNext { print($0) }.dispose(in: bag)
/// DispatchQueue.global().async { inlet.send(42) }
/// ```
///
/// - Elements are delivered at the stream's home, the domain that observes it first: in the order in which they were sent,
///   in batches, never from inside `send`. Observing it in another domain later traps.
/// - What is sent before the first observer has come waits for it.
/// - The buffer is bounded; what happens when it is full is named when the inlet is made, and counted in `dropped`.
/// - `finish()`, or letting go of the last reference, completes the stream after what was sent before.
/// - When home has closed, `send` returns false and releases the element.
/// - It cannot wait: pausing a subscription to its stream has no effect, and what comes meanwhile is delivered.
///
/// Cost of `send`: a lock, and one wake-up for each batch.
public final class Inlet<Element: Sendable>: Sendable {
  private let core: InletCore<Element>

  /// Makes an inlet whose buffer holds `capacity` elements, at least one.
  ///
  /// The stream's home is the domain that observes it first. `isolation` makes it an actor that has no loop of its own;
  /// leave it out on a loop and on the main actor. Another actor than that one cannot observe it: it traps.
  public init(capacity: Int, whenFull policy: OverflowPolicy, isolation: (any Actor)? = #isolation) {
    guard capacity > 0 else { misuse("An Inlet needs room for at least one element: give a positive capacity.") }
    core = InletCore(capacity, policy, isolation)
  }

  deinit { core.finish() }

  /// Sends an element, from any thread. False when it will not be delivered: the stream has ended, its home has closed, or
  /// the buffer is full and the policy is to drop the newest.
  @discardableResult
  public func send(_ element: Element) -> Bool { core.send(element) }

  /// Completes the stream after what was sent before. Later elements are refused.
  public func finish() { core.finish() }

  /// The number of elements that were dropped because the buffer was full.
  public var dropped: Int { core.dropped }

  /// The other end: hot, shared by all who observe it. It goes on when the inlet itself has gone, until what was sent is
  /// delivered.
  public var stream: Stream<Element> {
    let core = core
    return Stream(unguarded: { observer in core.subscribe(observer) })
  }
}

/// What the inlet and its stream share: the locked buffer, and at home the subject that delivers.
private final class InletCore<Element: Sendable>: @unchecked Sendable {
  // Sendable: the buffer is behind the lock; the subject is touched at home alone.
  private struct State {
    var elements = Deque<Element>()
    var home: (any Mailbox)?
    var dropped = 0
    /// A drain has been posted and has not begun.
    var isScheduled = false
    var isFinished = false
    var isClosed = false

    /// The home to wake, if there is something to deliver and nobody has woken it.
    mutating func takeTurn() -> (any Mailbox)? {
      guard let home, !isScheduled, !elements.isEmpty || isFinished else { return nil }
      isScheduled = true
      return home
    }
  }

  private let state = Lock(State())
  private let capacity: Int
  private let policy: OverflowPolicy
  // An actor may keep the inlet that it made.
  private let isolation: WeakActor?
  private let subject = PushStream<Element>()

  init(_ capacity: Int, _ policy: OverflowPolicy, _ isolation: (any Actor)?) {
    self.capacity = capacity
    self.policy = policy
    self.isolation = isolation.map(WeakActor.init)
  }

  var dropped: Int { state.withLock { $0.dropped } }

  func send(_ element: Element) -> Bool {
    // Released after the lock.
    var displaced: Element?
    let (isAccepted, home) = state.withLock { state -> (Bool, (any Mailbox)?) in
      if state.isFinished || state.isClosed { return (false, nil) }
      if state.elements.count >= capacity {
        state.dropped += 1
        if policy == .dropNewest { return (false, nil) }
        displaced = state.elements.popFirst()
      }
      state.elements.append(element)
      return (true, state.takeTurn())
    }
    _ = displaced
    if let home { return wake(home) }
    return isAccepted
  }

  func finish() {
    let home = state.withLock { state -> (any Mailbox)? in
      if state.isFinished { return nil }
      state.isFinished = true
      return state.takeTurn()
    }
    if let home { _ = wake(home) }
  }

  private func wake(_ home: any Mailbox) -> Bool {
    if home.post({ self.drain() }) { return true }
    let rest = state.withLock { state in
      state.isClosed = true
      defer { state.elements = [] }
      return state.elements
    }
    _ = rest
    return false
  }

  func subscribe(_ observer: Observer<Element, Never>) -> any Disposable {
    guard case .at(let here) = Home.current(isolation?.actor) else {
      misuse(
        """
        An Inlet's stream is observed where nothing can be delivered to: observe it on a loop's thread, on the main actor, \
        or in an actor that made the Inlet itself, so that it knows its isolation.
        """)
    }
    // By thread nothing tells one actor from another: what is observed in one would be delivered in the other. The
    // runtime checks, and names the actor that was expected.
    if here is ActorMailbox { isolation?.actor?.preconditionIsolated() }
    // Settled under the lock: of two domains that observe it at once, one traps before both reach the subject.
    let first = state.withLock { state in
      let first = state.home ?? here
      state.home = first
      return first
    }
    var home = Home.at(first)
    home.settle(for: "An Inlet's stream")
    let subscription = subject.subscribe(observer)
    if let home = state.withLock({ $0.takeTurn() }) { _ = wake(home) }
    return subscription
  }

  /// At home.
  private func drain() {
    let (elements, isFinished) = state.withLock { state in
      state.isScheduled = false
      defer { state.elements = [] }
      return (state.elements, state.isFinished)
    }
    for element in elements { subject.next(element) }
    if isFinished { subject.completed() }
  }
}
