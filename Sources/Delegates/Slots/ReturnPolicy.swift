/// The rule that decides whether the handler or the forwardee answers a method with a result. The other one is not called.
///
/// ```swift
/// proxy.shouldRetry.policy = .forwardeeOr(false)
/// ```
public enum ReturnPolicy<Output> {
  /// The handler answers. Without a handler, the forwardee answers. Without both, the default of the proxy's class is
  /// the result.
  case handler
  /// The forwardee answers. Without a forwardee, the handler answers. Without both, the default of the proxy's class is
  /// the result.
  case forwardee
  /// The forwardee answers. Without a forwardee, this value is the result. A handler is never called.
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

/// The rule that chooses or combines the results of several forwardees. A method without a result calls all forwardees, in
/// the order in which they were added.
///
/// ```swift
/// proxy.shouldRetry.forwardeeRule = .combine { $0 && $1 }
/// ```
public enum ForwardeeRule<Output> {
  /// The first forwardee answers. The others are not called.
  case first
  /// The last forwardee answers. The others are not called.
  case last
  /// All forwardees are called, in order. The closure combines two results into one.
  case combine((Output, Output) -> Output)

  var isLast: Bool {
    if case .last = self { return true }
    return false
  }
}

@available(*, unavailable)
extension ForwardeeRule: Sendable {}

/// The error for a slot that has a handler. Dispose that handler, or replace it with `replaceAnswer`, `replaceStream`, or
/// `replaceFeed`.
public struct SlotOccupied: Error, Hashable, CustomStringConvertible {
  /// The name of the slot. Empty for a slot without a proxy.
  public let slot: String

  /// Creates the error for a slot of this name.
  public init(slot: String) { self.slot = slot }

  /// A description of the error and of its fix.
  public var description: String {
    let subject = slot.isEmpty ? "This slot" : "The slot \(slot)"
    return "\(subject) has a handler already. Dispose it, or replace it: replaceAnswer, replaceFeed, replaceStream."
  }
}
