/// The bounds of what operators hold back that may not lose anything.
///
/// ```swift
/// print("at most \(BacklogBound.zip) elements of one side wait for the other")
/// ```
///
/// At its bound an operator pauses its upstream, until half of what it holds has gone. Where the upstream cannot wait the
/// operator goes on, and says so once through `Diagnostics` when it holds twice the bound.
public enum BacklogBound {
  /// Elements that wait for their turn in `flatMap(.concat)`, `concat()` and `.concurrent(limit:)`.
  public static let concat = 1_024
  /// Elements on their way to another domain in `observe(on:_:)`.
  public static let crossing = 1_024
  /// Elements that `delay` holds.
  public static let delay = 16_384
  /// Elements that wait for the next turn in `observe(on:)`.
  public static let turn = 1_024
  /// Elements of one side of `zip` that wait for the other sides.
  public static let zip = 1_024
}

/// The upstream of an operator that holds elements back: paused while the observer wants to wait or the bound is reached.
@usableFromInline
final class Backlog {
  @usableFromInline let link: Subscription
  private let bound: Int
  private let name: StaticString
  private var isFull = false
  private var hasReported = false
  /// The observer has asked to wait.
  @usableFromInline private(set) var isHeld = false

  @usableFromInline
  init(_ link: Subscription, bound: Int, name: StaticString) {
    self.link = link
    self.bound = bound
    self.name = name
  }

  /// True while the bound has been reached and the upstream is paused.
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
        \(name) holds more than twice its bound of \(bound) elements: what it observes is faster than what it waits for and cannot be \
        paused. Throttle it, or drop elements before they come here.
        """)
    }
    return isFull
  }

  /// True while too much is held for the upstream to go on.
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
