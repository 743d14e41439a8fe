/// The argument of an `inout` parameter, as its slot has it.
///
/// ```swift
/// try proxy.adjust.answer { size, factor in size.value *= factor }
/// ```
///
/// What `value` is when the call returns is what the caller's variable becomes. Whoever keeps the box keeps a value that
/// nobody else sees any more. Confined. Costs one allocation a call.
public final class InOut<Value> {
  /// The value, as it is at this moment of the call.
  public var value: Value

  /// Made by the proxy's method, with the caller's value.
  public init(_ value: Value) { self.value = value }
}

@available(*, unavailable)
extension InOut: Sendable {}
