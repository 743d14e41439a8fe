/// Returns `value`, and hides it from the optimizer.
@inline(never)
func opaque<Value>(_ value: Value) -> Value { value }

/// The sum of the calls. It is a class, so that the work cannot be optimized away.
final class Total {
  @exclusivity(unchecked) var value = 0
}

let total = Total()
