/// A box for the argument of an `inout` parameter in a slot.
///
/// ```swift
/// try proxy.adjust.answer { size, factor in size.value *= factor }
/// ```
///
/// When the call returns, the caller's variable gets `value`. Later changes of `value` have no effect. Confined to the domain
/// of the call.
///
/// - Complexity: One allocation for each call.
public final class InOut<Value> {
  /// The current value.
  public var value: Value

  /// Creates a box with the caller's value. The proxy's method does this.
  public init(_ value: Value) { self.value = value }
}

@available(*, unavailable)
extension InOut: Sendable {}
