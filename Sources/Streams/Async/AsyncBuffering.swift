/// The rule of `values(_:)` for elements that are delivered before the iterator requests them.
///
/// ```swift
/// for await number in Stream.sequence(1...3).values(.bounded(16, .dropOldest)) { print(number) }
/// ```
public enum AsyncBuffering: Sendable, Hashable {
  /// Pauses the source at the high watermark, and resumes it at the low one. No element is lost.
  ///
  /// A source that cannot pause can exceed the high watermark. A buffer of more than twice that is reported once through
  /// `Diagnostics`.
  case pausing(Watermarks)
  /// Holds at most this number of elements, at least 1. The policy decides which element is dropped.
  case bounded(Int, OverflowPolicy)
  /// Holds only the latest element.
  case latest
  /// Holds all pending elements, without a limit.
  case unbounded

  /// Pauses the source at 64 pending elements, and resumes it at 16.
  public static let pausing = AsyncBuffering.pausing(Watermarks(high: 64, low: 16))

  @usableFromInline
  func reportBacklog() {
    guard case .pausing(let marks) = self else { return }
    Diagnostics.report(
      """
      values(.pausing) holds more than \(2 * marks.high) elements: the stream is faster than the task that asks for its \
      elements, and cannot be paused. Drop elements by name: values(.bounded(…)) or values(.latest).
      """)
  }

  @usableFromInline
  static func twoTasksWait() -> Never {
    misuse("Two tasks wait for elements of one iterator of values(). Make an iterator for each of them.")
  }

  @usableFromInline
  func validate() {
    if case .bounded(let count, _) = self, count < 1 {
      misuse("values(.bounded(\(count), …)): the buffer has room for at least one element.")
    }
  }
}
