/// The limits of pending elements in operators that must not lose any.
///
/// ```swift
/// print("at most \(BacklogBound.zip) elements of one side wait for the other")
/// ```
///
/// At its limit an operator pauses its upstream until it holds half of the limit. If the upstream cannot pause, the operator exceeds
/// the limit, and reports once through `Diagnostics` at twice the limit.
public enum BacklogBound {
  /// The limit of pending elements in `flatMap(.concat)`, `concat()`, and `.concurrent(limit:)`.
  public static let concat = 1_024
  /// The limit of pending elements between two domains in `observe(on:_:)`.
  public static let crossing = 1_024
  /// The limit of pending elements in `delay`.
  public static let delay = 16_384
  /// The limit of pending elements in `observe(on:)`.
  public static let turn = 1_024
  /// The limit of pending elements of each source in `zip`.
  public static let zip = 1_024
}

/// The upstream of an operator that holds elements. It is paused while the observer is paused, and at the limit.
@usableFromInline
final class Backlog {
  @usableFromInline let link: Subscription
  private let bound: Int
  private let name: StaticString
  private var isFull = false
  private var hasReported = false
  /// True while the observer is paused.
  @usableFromInline private(set) var isHeld = false

  @usableFromInline
  init(_ link: Subscription, bound: Int, name: StaticString) {
    self.link = link
    self.bound = bound
    self.name = name
  }

  /// Pauses the upstream at the limit. Returns true while it is paused for that.
  @discardableResult @usableFromInline
  func didGrow(to count: Int) -> Bool {
    if count >= bound, !isFull {
      isFull = true
      link.pause()
    }
    if count - bound > bound, !hasReported {
      hasReported = true
      Diagnostics.report(
        """
        \(name) holds more than twice its bound of \(bound) elements, because its source is faster than its observer and cannot be \
        paused. Throttle the source, or drop elements before this operator.
        """)
    }
    return isFull
  }

  /// Resumes the upstream at half of the limit. Returns true while it stays paused for that.
  @discardableResult @usableFromInline
  func didShrink(to count: Int) -> Bool {
    guard isFull, count <= bound / 2 else { return isFull }
    isFull = false
    if !isHeld { link.resume() }
    return isFull
  }

  @usableFromInline
  func hold() {
    isHeld = true
    link.pause()
  }

  @usableFromInline
  func release() {
    isHeld = false
    if !isFull { link.resume() }
  }
}
