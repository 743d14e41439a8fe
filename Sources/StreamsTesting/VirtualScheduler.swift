public import Streams
public import Testing

/// A clock that only the test advances, for exact tests of time-based behavior without waiting.
///
/// ```swift
/// let scheduler = VirtualScheduler()
/// let recorder = Stream<Int>.interval(.seconds(1)).take(3).record(on: scheduler)
/// scheduler.advance(by: .seconds(10))
/// #expect(recorder.elements == [0, 1, 2])
/// ```
///
/// Due actions run inside `advance(by:)` and `run()`, on the caller's thread, in the order of their deadlines; equal deadlines in the order in
/// which they were scheduled. A deadline that has passed counts as the current time. Meanwhile this scheduler is the default of time-based operators.
public final class VirtualScheduler: Scheduler {
  /// The virtual time. It begins at zero.
  public private(set) var now: Duration = .zero
  private let queue = DeadlineQueue()

  /// Creates a scheduler at time zero.
  public init() {}

  /// The number of pending deadlines.
  public var pendingCount: Int { queue.count }

  /// The earliest pending deadline, if any.
  public var nextDeadline: Duration? { queue.next }

  /// Calls `action` once at `deadline`. The next `advance` or `run` serves a deadline in the past. Disposing the result cancels this.
  public func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Disposable {
    queue.add(max(deadline, now), action)
  }

  /// Advances the clock by `duration`, and serves each deadline at its time.
  public func advance(by duration: Duration) { advance(to: now.saturatingSum(duration)) }

  /// Advances the clock to `time`, and serves each deadline at its time. It never goes back.
  public func advance(to time: Duration) {
    HomeThread.withScheduler(self) {
      while let next = queue.next, next <= time { serve(next) }
    }
    now = max(now, time)
  }

  /// Advances the clock until no deadline is pending, and returns the number of deadlines that were served.
  ///
  /// After `limit` deadlines it records an issue and stops, because a timer is set again each time.
  @discardableResult
  public func run(limit: Int = 100_000, sourceLocation: SourceLocation = #_sourceLocation) -> Int {
    var served = 0
    HomeThread.withScheduler(self) {
      while served < limit, let next = queue.next {
        serve(next)
        served += 1
      }
    }
    if let next = queue.next {
      Issue.record(
        "After \(served) deadlines a timer is still due, at \(next): it is set again each time. Use advance(by:).",
        sourceLocation: sourceLocation)
    }
    return served
  }

  /// Runs `body` with this scheduler as the default of the time-based operators that are observed in it.
  public func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try HomeThread.withScheduler(self, body)
  }

  /// Drops all pending deadlines. This breaks a reference cycle if their actions retain the scheduler.
  public func removeAll() { queue.removeAll() }

  private func serve(_ deadline: Duration) {
    now = max(now, deadline)
    queue.popDue(at: now)?()
  }
}

@available(*, unavailable)
extension VirtualScheduler: Sendable {}
