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

/// Whether a sender that can wait should. See `Inlet.onPressure`.
///
/// ```swift
/// let inlet = Inlet<Int>(capacity: 100, whenFull: .dropNewest)
/// inlet.onPressure(high: 80, low: 20) { pressure in
///   switch pressure {
///   case .high: print("stop reading")
///   case .low: print("go on reading")
///   }
/// }
/// ```
public enum InletPressure: Sendable, Hashable {
  /// Much waits to be delivered: stop sending.
  case high
  /// Little waits: go on.
  case low
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
/// - When home has closed, `send` returns false. A sender that was notified of `.high` is notified of `.low` then.
/// - An element that waits and is dropped is disposed if it is `Disposable` and there is no other reference to it. One that
///   `send` refuses stays the sender's.
/// - While all who observe its stream pause, what is sent stays in the buffer, besides what has been taken from it in the
///   batch in which they paused. A sender that can wait asks `onPressure`,
///   stops between the high and the low mark, and keeps what `send` refuses until the next `.low`.
///
/// Cost of `send`: a lock, and one wake-up for each batch.
public final class Inlet<Element: Sendable>: Sendable {
  @usableFromInline let core: InletCore<Element>

  /// Makes an inlet whose buffer holds `capacity` elements, at least one.
  ///
  /// The stream's home is the domain that observes it first. `isolation` makes it an actor that has no loop of its own;
  /// leave it out on a loop and on the main actor. Another actor than that one cannot observe it: it traps.
  ///
  /// - Parameters:
  ///   - capacity: The number of elements that may wait, at least 1.
  ///   - policy: What becomes of an element for which there is no room.
  ///   - keepsLoopAlive: Whether `Loop.run()` goes on while the stream is observed, until the inlet is finished. Pass false for
  ///     elements that the program does not wait for, such as log lines.
  ///   - isolation: The actor that observes, if it has no loop. Leave it out.
  public init(
    capacity: Int, whenFull policy: OverflowPolicy, keepsLoopAlive: Bool = true, isolation: (any Actor)? = #isolation
  ) {
    guard capacity > 0 else { misuse("An Inlet needs room for at least one element: give a positive capacity.") }
    core = InletCore(capacity, policy, keepsLoopAlive ? "elements of an Inlet" : nil, isolation)
  }

  /// The same for elements that all come from one domain.
  init(capacity: Int, whenFull policy: OverflowPolicy, from sender: any Mailbox) {
    core = InletCore(capacity, policy, "elements of an Inlet", nil, from: sender)
  }

  /// The same for a source of the package. `Loop.describeWhatKeepsItAlive()` shows `reason`.
  package init(capacity: Int, whenFull policy: OverflowPolicy, for reason: String, isolation: (any Actor)?) {
    core = InletCore(capacity, policy, reason, isolation)
  }

  deinit { core.finish() }

  /// Sends an element, from any thread. False when it will not be delivered: the stream has ended, its home has closed, or
  /// the buffer is full and the policy is to drop the newest.
  @inlinable
  @discardableResult
  public func send(_ element: consuming Element) -> Bool { core.send(element) }

  /// Completes the stream after what was sent before. Later elements are refused.
  public func finish() { core.finish() }

  /// True when home has closed: what is sent is released.
  var isClosed: Bool { core.isClosed }

  /// Calls `body` once when home has closed, on whatever thread that shows; at once if it has.
  func onClose(_ body: @escaping @Sendable () -> Void) { core.onClose(body) }

  /// Drops what waits, and ends without saying so.
  func cancel() { core.cancel() }

  /// The number of elements that were dropped because the buffer was full.
  public var dropped: Int { core.dropped }

  /// Calls back when a sender that can wait should, and when it should go on: `.high` when `high` elements or more wait to be
  /// delivered, `.low` when what was taken has been delivered and no more than `low` wait. Replaces what was asked before.
  ///
  /// The calls alternate, `.high` first, and never overlap. `.high` comes from the thread that sends, before `send` returns;
  /// `.low` from home; where the two meet, one of them makes the calls of both, and the last call is the one that holds.
  /// What is sent nevertheless is accepted up to the capacity. `.high` may come late, while home is still inside of the
  /// call with `.low`: a sender that must not lose anything uses `.dropNewest`, and keeps what `send` refuses until the
  /// next `.low`.
  ///
  /// After `finish()` a last `.low` may come, when what was sent has been delivered; after `cancel()` none does. When home
  /// closes, a sender that has been told `.high` is told `.low` once, and `send` returns false from then on.
  ///
  /// - Parameters:
  ///   - high: half of the capacity unless told; at least one.
  ///   - low: half of `high` unless told; less than `high`.
  ///   - body: Called with `.high` and `.low`.
  public func onPressure(
    high: Int? = nil, low: Int? = nil, _ body: @escaping @Sendable (InletPressure) -> Void
  ) {
    let high = high ?? max(1, core.capacity / 2)
    let low = low ?? high / 2
    guard high > 0, high <= core.capacity, low >= 0, low < high else {
      misuse("The marks of an Inlet (low \(low), high \(high)): 0 ≤ low < high ≤ capacity (\(core.capacity)).")
    }
    core.setPressure(InletMarks(high: high, low: low, body: body))
  }

  /// The other end: hot, shared by all who observe it. It goes on when the inlet itself has gone, until what was sent is
  /// delivered.
  public var stream: Stream<Element> {
    let core = core
    return Stream(unguarded: { observer in core.subscribe(observer) })
  }
}
