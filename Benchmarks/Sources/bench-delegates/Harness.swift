/// Something whose value the compiler does not know.
@inline(never)
func opaque<Value>(_ value: Value) -> Value { value }

/// Where the calls end: a class, so that the work cannot be optimised away.
final class Total {
  @exclusivity(unchecked) var value = 0
}

let total = Total()
