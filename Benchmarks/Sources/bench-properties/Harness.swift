import Allocations

/// One side of a comparison: the implementation of a workload with one library.
struct Side {
  let name: String
  /// Prepares the workload, and returns a function that sends `count` elements.
  let prepare: () -> (_ count: Int) -> Void
}

/// A workload that Headwater and other libraries implement.
struct Workload {
  let name: String
  let count: Int
  /// The most nanoseconds per element, on a machine on which a closure call takes 1.5.
  let goal: Double
  let sides: [Side]
}

/// The best of several runs.
struct Measurement {
  var nanoseconds = Double.infinity
  var allocations = Double.infinity
}

/// Runs the sides of a workload in turn, five times, so that the load of the machine affects all of them equally.
func measure(_ workload: Workload) -> [Measurement] {
  let runs = workload.sides.map { $0.prepare() }
  var best = Array(repeating: Measurement(), count: runs.count)
  for _ in 0..<5 {
    for (index, run) in runs.enumerated() {
      let allocations = allocations_so_far()
      let duration = ContinuousClock().measure { run(workload.count) }
      let made = allocations_so_far() - allocations
      let (seconds, attoseconds) = duration.components
      let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
      best[index].nanoseconds = min(best[index].nanoseconds, nanoseconds / Double(workload.count))
      best[index].allocations = min(best[index].allocations, Double(made) / Double(workload.count))
    }
  }
  return best
}

/// Returns `value`, and hides it from the optimizer.
@inline(never)
func opaque<Value>(_ value: Value) -> Value { value }

/// The sum of the elements. It is a class, so that the work cannot be optimized away.
final class Total {
  var value = 0
}

let total = Total()
