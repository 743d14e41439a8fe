/// What `values(_:)` does with elements that arrive before somebody asks for them.
///
/// ```swift
/// for await number in Stream.sequence(1...3).values(.bounded(16, .dropOldest)) { print(number) }
/// ```
public enum AsyncBuffering: Sendable, Hashable {
  /// Nothing is lost: the source is paused when `high` elements wait, and resumed when `low` or fewer do.
  ///
  /// A source that cannot wait goes on; the buffer then grows, which is reported once through `Diagnostics` when it holds
  /// more than twice `high`. `high` is at least 1 and more than `low`, which is at least 0.
  case pausing(low: Int, high: Int)
  /// At most this many elements wait, at least 1; the policy says which one is dropped when another arrives.
  case bounded(Int, OverflowPolicy)
  /// Only the newest element waits.
  case latest
  /// All elements wait. The memory is bounded by the source alone.
  case unbounded

  /// Pauses the source at 64 elements that wait, and resumes it at 16.
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
