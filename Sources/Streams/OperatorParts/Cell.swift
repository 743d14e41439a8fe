/// A variable that the closures of one subscription share.
///
/// A captured `var` would need an exclusivity check at each access.
@usableFromInline
final class Cell<Value> {
  @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable
  init(_ value: Value) { self.value = value }
}
