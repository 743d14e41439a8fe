public import Streams
public import Testing

/// A clock that stands still until the test moves it: time-based behaviour is tested exactly and at once.
///
/// ```swift
/// let scheduler = VirtualScheduler()
/// let recorder = Stream<Int>.interval(.seconds(1)).take(3).record(on: scheduler)
/// scheduler.advance(by: .seconds(10))
/// #expect(recorder.elements == [0, 1, 2])
/// ```
///
/// What is due runs inside `advance(by:)` and `run()`, on the caller's thread, in the order of its deadlines and, where
/// they are equal, in the order in which it was asked for. Meanwhile this scheduler is the default of time-based operators.
public final class VirtualScheduler: Scheduler {
  /// The virtual time: zero at first.
  public private(set) var now: Duration = .zero
  private let queue = DeadlineQueue()

  /// Makes one at time zero.
  public init() {}

  /// The number of deadlines that are pending.
  public var pendingCount: Int { queue.count }

  /// The earliest pending deadline, if any.
  public var nextDeadline: Duration? { queue.next }

  /// See `Scheduler`. A deadline that has passed is served by the next `advance` or `run`.
  public func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Disposable {
    queue.add(max(deadline, now), action)
  }

  /// Moves the clock forward, stopping at each deadline on the way.
  public func advance(by duration: Duration) { advance(to: now + duration) }

  /// Moves the clock forward to `time`, stopping at each deadline on the way. It never goes back.
  public func advance(to time: Duration) {
    HomeThread.withScheduler(self) {
      while let next = queue.next, next <= time { serve(next) }
    }
    now = max(now, time)
  }

  /// Moves the clock forward until nothing is pending, and returns how many deadlines were served.
  ///
  /// After `limit` of them it records an issue and stops: something asks again for ever.
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

  /// Drops all that is pending. What waits may hold the scheduler, which holds it.
  public func removeAll() { queue.removeAll() }

  private func serve(_ deadline: Duration) {
    now = max(now, deadline)
    queue.popDue(at: now)?()
  }
}

@available(*, unavailable)
extension VirtualScheduler: Sendable {}
