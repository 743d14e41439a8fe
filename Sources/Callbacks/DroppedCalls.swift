import Streams
import Synchronization

/// The numbers of C calls that were dropped because they were late, on a wrong thread, or without a context.
///
/// A dropped call runs no closure and uses no memory; C receives the result that the call site passes as `otherwise`.
/// The first dropped call for each type of callback and each reason is reported through `Diagnostics`.
///
/// ```swift
/// let before = DroppedCalls.soFar
/// …
/// print(DroppedCalls.soFar - before)
/// ```
public struct DroppedCalls: Hashable, Sendable {
  /// Calls after the callback had ended: it was canceled or given back, or it was a `OnceCallback` that C called twice.
  public var late: Int
  /// Calls from a thread other than the one to which the callback belongs.
  public var foreignThread: Int
  /// Calls during a call from another thread, for a callback that accepts one call at a time.
  public var simultaneous: Int

  /// Calls with a null context.
  public var withoutContext: Int

  /// Creates counts to compare with.
  public init(late: Int = 0, foreignThread: Int = 0, simultaneous: Int = 0, withoutContext: Int = 0) {
    self.late = late
    self.foreignThread = foreignThread
    self.simultaneous = simultaneous
    self.withoutContext = withoutContext
  }

  /// The sum of all counts.
  public var total: Int { late + foreignThread + simultaneous + withoutContext }

  /// The counts since the process started.
  public static var soFar: DroppedCalls {
    var calls = DroppedCalls()
    calls.late = counts.late.load(ordering: .relaxed)
    calls.foreignThread = counts.foreignThread.load(ordering: .relaxed)
    calls.simultaneous = counts.simultaneous.load(ordering: .relaxed)
    calls.withoutContext = counts.withoutContext.load(ordering: .relaxed)
    return calls
  }

  /// Returns the calls that were dropped between two counts.
  public static func - (later: DroppedCalls, earlier: DroppedCalls) -> DroppedCalls {
    var calls = later
    calls.late -= earlier.late
    calls.foreignThread -= earlier.foreignThread
    calls.simultaneous -= earlier.simultaneous
    calls.withoutContext -= earlier.withoutContext
    return calls
  }

  /// The reason for which a call was dropped.
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

  /// Counts a dropped call, and reports the first one of its type and reason.
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
    #if Tracing
    if Trace.isOn { Trace.instant("dropped", "dropped C call \(name())", ["reason": .text("\(reason)")]) }
    #endif
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
