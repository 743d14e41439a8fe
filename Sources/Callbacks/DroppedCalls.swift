import Streams
import Synchronization

/// How many calls of C libraries have been dropped because they came when or where they must not.
///
/// A library that keeps its promises causes none. What is dropped does no harm: no closure runs, no memory is touched, and
/// C gets the answer that the call site names with `otherwise`. For each kind of callback and each reason the first one is
/// reported through `Diagnostics`.
///
/// ```swift
/// let before = DroppedCalls.soFar
/// …
/// print(DroppedCalls.soFar - before)
/// ```
public struct DroppedCalls: Hashable, Sendable {
  /// After the callback had ended: cancelled, given back, or a second call of one that comes once.
  public var late: Int
  /// From another thread than the one to which the callback belongs.
  public var foreignThread: Int
  /// While another thread was in the same callback, which serves one at a time.
  public var simultaneous: Int

  /// Without a context: C passed null.
  public var withoutContext: Int

  /// Makes a count to compare with.
  public init(late: Int = 0, foreignThread: Int = 0, simultaneous: Int = 0, withoutContext: Int = 0) {
    self.late = late
    self.foreignThread = foreignThread
    self.simultaneous = simultaneous
    self.withoutContext = withoutContext
  }

  /// All of them.
  public var total: Int { late + foreignThread + simultaneous + withoutContext }

  /// Since the process has started.
  public static var soFar: DroppedCalls {
    var calls = DroppedCalls()
    calls.late = counts.late.load(ordering: .relaxed)
    calls.foreignThread = counts.foreignThread.load(ordering: .relaxed)
    calls.simultaneous = counts.simultaneous.load(ordering: .relaxed)
    calls.withoutContext = counts.withoutContext.load(ordering: .relaxed)
    return calls
  }

  /// What has come since an earlier count.
  public static func - (later: DroppedCalls, earlier: DroppedCalls) -> DroppedCalls {
    var calls = later
    calls.late -= earlier.late
    calls.foreignThread -= earlier.foreignThread
    calls.simultaneous -= earlier.simultaneous
    calls.withoutContext -= earlier.withoutContext
    return calls
  }

  /// Why a call has been dropped.
  @usableFromInline
  enum Reason: Error, Hashable {
    case late
    /// Late, because the adapter has been deallocated.
    case released
    case foreignThread
    case simultaneous
    case withoutContext
  }

  private struct Counts: ~Copyable {
    let late = Atomic<Int>(0)
    let foreignThread = Atomic<Int>(0)
    let simultaneous = Atomic<Int>(0)
    let withoutContext = Atomic<Int>(0)
  }

  private struct Kind: Hashable {
    let type: ObjectIdentifier
    let reason: Reason
  }

  private static let counts = Counts()
  private static let reported = Lock<Set<Kind>>([])

  /// Counts one, and reports the first of its kind.
  @usableFromInline @inline(never)
  static func add(
    _ reason: Reason, _ context: UnsafeMutableRawPointer?, _ type: Any.Type, _ name: @autoclosure () -> String
  ) {
    var reason = reason
    if context == nil {
      reason = .withoutContext
    } else if reason == .late, CallbackSlots.wasReleased(ContextID(context)) {
      reason = .released
    }
    switch reason {
    case .late, .released: counts.late.add(1, ordering: .relaxed)
    case .foreignThread: counts.foreignThread.add(1, ordering: .relaxed)
    case .simultaneous: counts.simultaneous.add(1, ordering: .relaxed)
    case .withoutContext: counts.withoutContext.add(1, ordering: .relaxed)
    }
    let isFirst = reported.withLock { $0.insert(Kind(type: ObjectIdentifier(type), reason: reason)).inserted }
    if isFirst { Diagnostics.report(message(reason, name())) }
  }

  private static func message(_ reason: Reason, _ name: String) -> String {
    let what = "A C library has called a callback, \(name),"
    return switch reason {
    case .late:
      """
      \(what) that had ended, and the call was dropped. The library called it after it was cancelled or its context was \
      given back, or called a OnceCallback twice.
      """
    case .released:
      """
      \(what) that had ended, and the call was dropped: nothing held the adapter, so it was deallocated. Keep a \
      reference to it until C has released its context.
      """
    case .withoutContext:
      """
      \(what) without the context it was given, and the call was dropped. Pass the callback's `context` with the \
      registration, and in the closure the parameter in which C returns it.
      """
    case .foreignThread:
      """
      \(what) from a thread other than the one to which it belongs, and the call was dropped. Use a ForeignCallback for a \
      library that calls from its own threads.
      """
    case .simultaneous:
      """
      \(what) from two threads at once, and the second call was dropped. Use a ForeignCallback for a library that calls \
      from its own threads.
      """
    }
  }
}
