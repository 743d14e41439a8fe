import Allocations

/// Headwater, or a library that it is compared with.
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

  /// Whether delivering an element takes locks. Locks allow any thread to send, and they are part of the cost.
  var locks: Bool { self != .headwater }
}

/// One side of a comparison: the implementation of a workload with one library.
struct Side {
  let library: Library
  /// The fraction of the workload that runs. It is less than 1 if the whole workload would take minutes.
  var share = 1.0
  /// Prepares the workload, and returns a function that sends `count` elements.
  let prepare: () -> (_ count: Int) -> Void
}

/// A workload that Headwater and other libraries implement.
struct Workload {
  let row: Int
  let name: String
  let count: Int
  var goal = Goal()
  let sides: [Side]
}

/// The goals for Headwater in a workload.
struct Goal {
  /// The most nanoseconds per element, on a machine on which a closure call takes 1.5.
  var nanoseconds: Double?
  /// The least ratio of the time of the fastest other library to Headwater's time.
  var ratio: Double?
  /// The most allocations per element. The allocations at the start of a run do not count.
  var allocations: Double?
}

/// The best results of several runs, per element.
struct Measurement {
  var nanoseconds = Double.infinity
  var allocations = Double.infinity
  /// The allocations of the whole run.
  var blocks = Int.max
  var count = 0
}

/// The time of a closure call on this machine, by which the goals are scaled.
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

/// Runs the sides of a workload and a closure call in turn, seven times, so that the load of the machine affects all of
/// them equally.
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

/// Returns the time of `body` in nanoseconds.
func time(_ body: () -> Void) -> Double {
  let (seconds, attoseconds) = ContinuousClock().measure(body).components
  return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}

/// Returns `value`, and hides it from the optimizer.
@inline(never)
nonisolated func opaque<Value>(_ value: Value) -> Value { value }

/// The sum of the elements. It is a class, so that the work cannot be optimized away.
final class Total {
  var value = 0
}

let total = Total()
