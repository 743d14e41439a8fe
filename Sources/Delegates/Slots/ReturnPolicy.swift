/// Who answers a method with a result where more than one could. Nobody else is asked.
///
/// ```swift
/// proxy.shouldRetry.policy = .forwardeeOr(false)
/// ```
public enum ReturnPolicy<Output> {
  /// The handler; while there is none, the forwardee; then the default of the proxy's class.
  case handler
  /// The forwardee; while there is none, the handler; then the default of the proxy's class.
  case forwardee
  /// The forwardee; while there is none, this value. A handler is not asked.
  case forwardeeOr(Output)

  var prefersForwardee: Bool {
    if case .handler = self { return false }
    return true
  }

  @usableFromInline
  var fallback: Output? {
    if case .forwardeeOr(let output) = self { return output }
    return nil
  }
}

extension ReturnPolicy: Sendable where Output: Sendable {}

/// How the answers of several forwardees become one. A method without a result calls them all, in the order in which they
/// came.
///
/// ```swift
/// proxy.shouldRetry.forwardeeRule = .combine { $0 && $1 }
/// ```
public enum ForwardeeRule<Output> {
  /// The first answers; the others are not asked.
  case first
  /// The last answers; the others are not asked.
  case last
  /// All are asked, in order; the closure makes one answer of two.
  case combine((Output, Output) -> Output)

  var isLast: Bool {
    if case .last = self { return true }
    return false
  }
}

@available(*, unavailable)
extension ForwardeeRule: Sendable {}

/// A slot has a handler already. Dispose of that, or say that it is to be replaced: `replaceAnswer`, `replaceStream`,
/// `replaceFeed`.
public struct SlotOccupied: Error, Hashable, CustomStringConvertible {
  /// The slot, as its proxy calls it.
  public let slot: String

  /// The error for a slot of this name.
  public init(slot: String) { self.slot = slot }

  /// The sentence above, with the slot's name.
  public var description: String {
    "The slot \(slot) has a handler already. Dispose it, or replace it: replaceAnswer, replaceFeed, replaceStream."
  }
}
