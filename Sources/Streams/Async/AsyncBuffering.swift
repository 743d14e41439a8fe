/// The rule of `values(_:)` for elements that are delivered before the iterator takes them.
///
/// ```swift
/// for await number in Stream.sequence(1...3).values(.bounded(16, .dropOldest)) { print(number) }
/// ```
public enum AsyncBuffering: Sendable, Hashable {
  /// Pauses the source at `high` pending elements, and resumes it at `low`. No element is lost.
  ///
  /// A source that cannot pause can exceed `high`. A buffer of more than twice `high` elements is reported once through
  /// `Diagnostics`. `low` must be at least 0, and `high` must be more than `low`.
  case pausing(low: Int, high: Int)
  /// Holds at most this number of elements, at least 1. The policy decides which element is dropped.
  case bounded(Int, OverflowPolicy)
  /// Holds only the newest element.
  case latest
  /// Holds all pending elements, without a limit.
  case unbounded

  /// Pauses the source at 64 pending elements, and resumes it at 16.
  public static let pausing = AsyncBuffering.pausing(low: 16, high: 64)

  @usableFromInline
  func reportBacklog() {
    guard case .pausing(_, let high) = self else { return }
    Diagnostics.report(
      """
      values(.pausing) holds more than \(2 * high) elements: the stream is faster than the task that asks for its \
      elements, and cannot be paused. Drop elements by name: values(.bounded(…)) or values(.latest).
      """)
  }

  @usableFromInline
  static func twoTasksWait() -> Never {
    misuse("Two tasks wait for elements of one iterator of values(). Make an iterator for each of them.")
  }

  @usableFromInline
  func validate() {
    switch self {
    case .pausing(let low, let high):
      if low < 0 || high <= low {
        misuse("values(.pausing(low: \(low), high: \(high))): low is at least 0, and high is more than low.")
      }
    case .bounded(let count, _):
      if count < 1 { misuse("values(.bounded(\(count), …)): the buffer has room for at least one element.") }
    case .latest, .unbounded: break
    }
  }
}
