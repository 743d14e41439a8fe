/// A clock with timers. Time-based operators use no other clock.
///
/// ```swift
/// func remind(on scheduler: any Scheduler) -> any Disposable {
///   scheduler.schedule(after: .seconds(5)) { print("five seconds have passed") }
/// }
/// remind(on: VirtualScheduler()).dispose(in: bag)
/// ```
///
/// A scheduler is confined: it calls back in the domain that scheduled the action. Each loop has one. Use `ActorScheduler` in an actor
/// without a loop, and a virtual scheduler in tests.
public protocol Scheduler: AnyObject {
  /// The time since an arbitrary origin. It never decreases.
  var now: Duration { get }

  /// Calls `action` once, not before `deadline`. Disposing the result cancels the call.
  ///
  /// A deadline in the past is served in the next loop iteration, never inside this call. Equal deadlines are served in the order in
  /// which they were scheduled.
  func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Disposable
}

extension Scheduler {
  /// Calls `action` once after `delay`. A negative delay counts as zero. Disposing the result cancels the call.
  public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> any Disposable {
    schedule(at: time(after: max(delay, .zero)), action)
  }

  /// The time `interval` from now. Not `now + interval`, because the sum with a very long interval would overflow.
  @inlinable
  package func time(after interval: Duration) -> Duration { now.saturatingSum(interval) }
}

extension Duration {
  /// The sum, or the longest or shortest duration if that is exceeded.
  @inlinable
  package func saturatingSum(_ other: Duration) -> Duration {
    let (sum, overflows) = attoseconds.addingReportingOverflow(other.attoseconds)
    return Duration(attoseconds: !overflows ? sum : other > .zero ? .max : .min)
  }
}

/// Returns the scheduler of a time-based operator: the one that was passed, that of the recording to which `downstream` leads, or
/// that of the observing domain.
@usableFromInline
func resolve(
  _ scheduler: (any Scheduler)?, for what: StaticString, downstream: Subscription
) -> any Scheduler {
  if let scheduler { return scheduler }
  let thread = ThreadState.current
  if let current = thread.override ?? RecordingClocks.current(downstream: downstream) ?? thread.scheduler {
    return current
  }
  if thread.isMainThread, let loops = ThreadState.loops { return loops.mainScheduler() }
  if thread.isMainThread {
    misuse(
      """
      \(what) needs a clock, and this program has no loop on its main thread. Depend on the product EventLoops or Headwater, \
      or pass a scheduler: `on: ActorScheduler()`.
      """)
  }
  misuse(
    """
    \(what) needs a clock, and was observed on a thread without one: in a nonisolated async function, or in an actor without \
    a loop. Observe it on the main thread (mark the function @MainActor, or enable NonisolatedNonsendingByDefault so that it \
    runs where its caller does) or in Queue.async; in an actor pass a scheduler: `on: ActorScheduler()`.
    """)
}
