import Allocations

/// A library beside which Headwater is measured, and Headwater itself.
enum Library: String, CaseIterable {
  case headwater = "Headwater"
  case openCombine = "OpenCombine"
  case asyncStream = "AsyncStream"
  case asyncAlgorithms = "async-algorithms"
  #if Peers
  case rxSwift = "RxSwift"
  case reactiveSwift = "ReactiveSwift"
  case reactiveKit = "ReactiveKit"
  #endif

  /// Whether an element passes locks on its way: what makes it safe to send from any thread, and part of what it costs.
  var locks: Bool { self != .headwater }
}

/// One side of a comparison: a library's way of doing a workload.
struct Side {
  let library: Library
  /// How much of the workload it does: all of it, or a fraction where it is so slow that all would take minutes.
  var share = 1.0
  /// Prepares, and returns what sends `count` elements.
  let prepare: () -> (_ count: Int) -> Void
}

/// What is measured: the same work, done by Headwater and by others.
struct Workload {
  let row: Int
  let name: String
  let count: Int
  var goal = Goal()
  let sides: [Side]
}

/// What Headwater has to reach in a workload.
struct Goal {
  /// Nanoseconds an element, on a machine on which a closure call costs 1.5.
  var nanoseconds: Double?
  /// How many times as long the best of the others takes.
  var ratio: Double?
  /// Allocations an element. What a run allocates once, to get started, is not held against it.
  var allocations: Double?
}

/// The best of several runs, for one element.
struct Measurement {
  var nanoseconds = Double.infinity
  var allocations = Double.infinity
  /// Allocations of the whole run.
  var blocks = Int.max
  var count = 0
}

/// What one closure call costs here: the unit in which the goals are meant.
struct ClosureCall {
  private let add: (Int) -> Void = opaque { total.value &+= $0 }
  private(set) var nanoseconds = Double.infinity

  mutating func measure() {
    let count = 2_000_000
    let add = add
    let taken = time { for number in 0..<count { add(number) } }
    nanoseconds = min(nanoseconds, taken / Double(count))
  }
}

/// Runs the sides of a workload in turn, seven times, and a closure call with them, so that all see the same machine.
func measure(_ workload: Workload) -> (unit: ClosureCall, sides: [Measurement]) {
  let runs = workload.sides.map { $0.prepare() }
  var unit = ClosureCall()
  var best = Array(repeating: Measurement(), count: runs.count)
  for _ in 0..<7 {
    unit.measure()
    for (index, run) in runs.enumerated() {
      let count = Int(Double(workload.count) * workload.sides[index].share)
      let blocks = allocations_so_far()
      let nanoseconds = time { run(count) }
      let made = Int(allocations_so_far() - blocks)
      best[index].count = count
      best[index].nanoseconds = min(best[index].nanoseconds, nanoseconds / Double(count))
      best[index].blocks = min(best[index].blocks, made)
      best[index].allocations = Double(best[index].blocks) / Double(count)
    }
  }
  return (unit, best)
}

/// How long `body` takes, in nanoseconds.
func time(_ body: () -> Void) -> Double {
  let (seconds, attoseconds) = ContinuousClock().measure(body).components
  return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}

/// Something whose value the compiler does not know.
@inline(never)
nonisolated func opaque<Value>(_ value: Value) -> Value { value }

/// Where the elements end: a class, so that the work cannot be optimised away.
final class Total {
  var value = 0
}

let total = Total()
