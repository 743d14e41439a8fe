public import Streams
public import Testing

/// A scheduler that fails the test when anything touches it: it shows that code asks no clock and sets no timer.
///
/// ```swift
/// let recorder = FailingScheduler().run { Stream.sequence([1, 1, 2]).distinct().record() }
/// ```
///
/// Each use records an issue that says what was asked for. What is scheduled never runs. Confined to its test.
public final class FailingScheduler: Scheduler {
  private let sourceLocation: SourceLocation

  /// Makes one. Issues are recorded at the place where it is made.
  public init(sourceLocation: SourceLocation = #_sourceLocation) { self.sourceLocation = sourceLocation }

  /// Records an issue and says zero.
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
