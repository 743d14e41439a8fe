public import Streams
public import Testing

/// A scheduler that fails the test when it is used, for code that must read no clock and set no timer.
///
/// ```swift
/// let recorder = FailingScheduler().run { Stream.sequence([1, 1, 2]).distinct().record() }
/// ```
///
/// Each use records an issue. A scheduled action never runs. Confined to its test.
public final class FailingScheduler: Scheduler {
  private let sourceLocation: SourceLocation

  /// Creates a scheduler. Issues are recorded at the location of this call.
  public init(sourceLocation: SourceLocation = #_sourceLocation) { self.sourceLocation = sourceLocation }

  /// Records an issue and returns zero.
  public var now: Duration {
    Issue.record(
      "The code under test read the clock of a FailingScheduler. Pass it a VirtualScheduler if it may.",
      sourceLocation: sourceLocation)
    return .zero
  }

  /// Records an issue.
  public func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Disposable {
    Issue.record(
      "The code under test set a timer on a FailingScheduler. Pass it a VirtualScheduler if it may.",
      sourceLocation: sourceLocation)
    return .none
  }

  /// Runs `body` with this scheduler as the default of the time-based operators that are observed in it.
  public func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try HomeThread.withScheduler(self, body)
  }
}

@available(*, unavailable)
extension FailingScheduler: Sendable {}
