/// The rule for an element that is sent to an `Inlet` whose buffer is full.
///
/// ```swift
/// let newest = Inlet<Int>(capacity: 1, whenFull: .dropOldest)
/// let oldest = Inlet<Int>(capacity: 1, whenFull: .dropNewest)
/// for inlet in [newest, oldest] { for number in 1...3 { inlet.send(number) } }
/// print(newest.dropped, oldest.dropped)  // 2 2
/// ```
public enum OverflowPolicy: Sendable, Hashable {
  /// Drops the oldest pending element.
  case dropOldest
  /// Drops the new element.
  case dropNewest
}

/// The pressure in an `Inlet`, for a sender that can pause.
///
/// ```swift
/// let inlet = Inlet<Int>(capacity: 100, whenFull: .dropNewest)
/// inlet.onPressure(at: Watermarks(high: 80, low: 20)) { pressure in
///   switch pressure {
///   case .high: print("stop reading")
///   case .low: print("go on reading")
///   }
/// }
/// ```
public enum InletPressure: Sendable, Hashable {
  /// The number of pending elements has reached the high watermark. Stop sending.
  case high
  /// The number of pending elements has fallen to the low watermark. Continue.
  case low
}

/// A thread-safe sender for a stream: any thread can send, and elements are delivered in the home domain.
///
/// ```swift
/// let inlet = Inlet<Int>(capacity: 1024, whenFull: .dropOldest)
/// inlet.stream.observeNext { print($0) }.dispose(in: bag)
/// DispatchQueue.global().async { inlet.send(42) }
/// ```
///
/// - Elements are delivered at the stream's home, the first domain that observes it, in the order in which they were sent, in
///   batches, never inside `send`. Observing the stream in another domain traps.
/// - Elements that are sent before the first observation are held for it.
/// - The buffer is bounded. The overflow policy decides which element is dropped, and `dropped` counts them.
/// - `finish()`, and the deallocation of the inlet, complete the stream after the elements that were sent before.
/// - After the home has closed, `send` returns false. A sender whose last notification was `.high` then receives
///   `.low`.
/// - A pending element that is dropped is disposed if it is `Disposable` and there is no other reference to it. An element that
///   `send` refuses still belongs to the sender.
/// - While all observers are paused, elements stay in the buffer, apart from the rest of the batch in which they paused. A sender
///   that can pause uses `onPressure`: it stops between the high and the low watermark, and holds elements that `send` refuses
///   until the next `.low`.
///
/// - Complexity: `send` takes a lock, and one wake-up for each batch.
public final class Inlet<Element: Sendable>: Sendable {
  @usableFromInline let core: InletCore<Element>

  /// Creates an inlet with a bounded buffer.
  ///
  /// The stream's home is the first domain that observes it. If the inlet is created in an actor without a loop, only that actor
  /// can observe it; another actor traps.
  ///
  /// - Parameters:
  ///   - capacity: The maximum number of pending elements, at least 1.
  ///   - policy: The rule for an element that exceeds the capacity.
  ///   - keepsLoopAlive: Whether `Loop.run()` continues while the stream has an observer, until the inlet is finished. Pass false
  ///     for elements that the program does not wait for, such as log lines.
  ///   - isolation: The observing actor if it has no loop. Leave it out.
  public init(
    capacity: Int, whenFull policy: OverflowPolicy, keepsLoopAlive: Bool = true, isolation: (any Actor)? = #isolation
  ) {
    guard capacity > 0 else { misuse("An Inlet needs room for at least one element: give a positive capacity.") }
    core = InletCore(capacity, policy, keepsLoopAlive ? "elements of an Inlet" : nil, isolation)
  }

  /// Creates an inlet for elements that one domain sends.
  init(capacity: Int, whenFull policy: OverflowPolicy, from sender: any Mailbox) {
    core = InletCore(capacity, policy, "elements of an Inlet", nil, from: sender)
  }

  /// Creates an inlet for a source of the package. `Loop.describeWhatKeepsItAlive()` shows `reason`.
  package init(capacity: Int, whenFull policy: OverflowPolicy, for reason: String, isolation: (any Actor)?) {
    core = InletCore(capacity, policy, reason, isolation)
  }

  deinit { core.finish() }

  /// Sends an element from any thread. Returns false if the element is not delivered: the stream has ended, its home has closed, or
  /// the buffer is full and the policy is `.dropNewest`.
  ///
  /// An element that is refused belongs to the sender. If it owns a resource, keep your reference and dispose it, and do not pass it
  /// with `consume`: `if !inlet.send(element) { element.dispose() }`.
  @inlinable
  @discardableResult
  public func send(_ element: consuming Element) -> Bool { core.send(element) }

  /// Completes the stream after the elements that were sent before. Later elements are refused.
  public func finish() { core.finish() }

  /// True if the home has closed, so that elements are released.
  var isClosed: Bool { core.isClosed }

  /// Calls `body` once after the home has closed, on the thread that finds this, or immediately if the home has closed.
  func onClose(_ body: @escaping @Sendable () -> Void) { core.onClose(body) }

  /// Drops the pending elements, and ends without delivering an end.
  func cancel() { core.cancel() }

  /// The number of elements that were dropped because the buffer was full.
  public var dropped: Int { core.dropped }

  /// Notifies a sender that can pause: with `.high` when the number of pending elements has reached the high watermark, and with
  /// `.low` when a batch was delivered and the number has fallen to the low watermark. Replaces the previous closure.
  ///
  /// The calls alternate, `.high` first, and never overlap. `.high` is called on the sending thread before `send` returns, and
  /// `.low` in the home domain. If both happen simultaneously, one thread makes both calls, and the last call is valid. Elements are
  /// still accepted up to the capacity. `.high` can be late while the home domain runs the call with `.low`: to lose no element, use
  /// `.dropNewest` and hold elements that `send` refuses until the next `.low`.
  ///
  /// After `finish()`, a last `.low` can follow when the pending elements are delivered. When the home closes, a sender whose
  /// last notification was `.high` receives `.low` once, and `send` returns false from then on.
  ///
  /// - Parameters:
  ///   - watermarks: The watermarks, at most the capacity. Default to half and a quarter of the capacity.
  ///   - body: A closure that is called with `.high` and `.low`.
  public func onPressure(
    at watermarks: Watermarks? = nil, _ body: @escaping @Sendable (InletPressure) -> Void
  ) {
    let marks = watermarks ?? Watermarks(high: max(1, core.capacity / 2))
    if marks.high > core.capacity {
      misuse("The high watermark of an Inlet is at most its capacity: \(marks.high) is more than \(core.capacity).")
    }
    core.setPressure((marks, body))
  }

  /// The stream of the elements. It is hot and shared by all observers. After the deallocation of the inlet it still delivers the
  /// pending elements.
  public var stream: Stream<Element> {
    let core = core
    return Stream(unguarded: { observer in core.subscribe(observer) })
  }
}
