import Allocations

/// The best results of several runs of the same work.
struct Measurement {
  var nanoseconds = Double.infinity
  var allocations = Double.infinity
}

/// An implementation of the work.
struct Side {
  let name: String
  /// Prepares the work, and returns a function that makes `count` calls.
  let prepare: () -> (_ count: Int) -> Void
}

/// Runs the sides in turn, five times, so that the load of the machine affects all of them equally.
func measure(_ sides: [Side], count: Int) -> [Measurement] {
  let runs = sides.map { $0.prepare() }
  var best = Array(repeating: Measurement(), count: runs.count)
  for _ in 0..<5 {
    for (index, run) in runs.enumerated() {
      let allocations = allocations_so_far()
      let duration = ContinuousClock().measure { run(count) }
      let made = allocations_so_far() - allocations
      let nanoseconds = duration / .nanoseconds(1)
      best[index].nanoseconds = min(best[index].nanoseconds, nanoseconds / Double(count))
      best[index].allocations = min(best[index].allocations, Double(made) / Double(count))
    }
  }
  return best
}

/// The sum of the values. It is a class, so that the work cannot be optimized away.
final class Total {
  var value: Int64 = 0
}

func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(1, width - text.count)) }

func tenths(_ number: Double) -> String {
  let scaled = Int(number * 10 + 0.5)
  return "\(scaled / 10).\(scaled % 10)"
}
