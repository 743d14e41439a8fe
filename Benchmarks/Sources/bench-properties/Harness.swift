import Allocations

/// One side of a comparison: a library's way of doing a workload.
struct Side {
  let name: String
  /// Prepares, and returns what sends `count` elements.
  let prepare: () -> (_ count: Int) -> Void
}

/// What is measured: the same work, done by Headwater and by others.
struct Workload {
  let name: String
  let count: Int
  /// Nanoseconds an element, on a machine on which a closure call costs 1.5.
  let goal: Double
  let sides: [Side]
}

/// The best of several runs.
struct Measurement {
  var nanoseconds = Double.infinity
  var allocations = Double.infinity
}

/// Runs the sides of a workload in turn, five times, so that all see the same machine.
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

/// Something whose value the compiler does not know.
@inline(never)
func opaque<Value>(_ value: Value) -> Value { value }

/// Where the elements end: a class, so that the work cannot be optimised away.
final class Total {
  var value = 0
}

let total = Total()
