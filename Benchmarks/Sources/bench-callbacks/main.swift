// Compares callbacks through an adapter with handwritten code, in one process and one run. Exits with 1 if a goal is
// missed.
//
// Goals are nanoseconds on a machine on which a closure call takes 1.5 ns. On a slower machine, they grow in
// proportion.
#if canImport(Glibc)
import Glibc
#endif

checkArities()
let total = Total()
let unit = measure([SameThread.closure(total)], count: 20_000_000)[0].nanoseconds
let scale = max(1, unit / 1.5)
print("closure call: \(tenths(unit)) ns; goals are multiplied by \(tenths(scale))")

@MainActor func report(_ title: String, _ sides: [Side], count: Int) -> [Measurement] {
  print("\n" + padded(title, 50) + padded("ns a call", 12) + "allocations")
  let results = measure(sides, count: count)
  for (side, result) in zip(sides, results) {
    print(padded(side.name, 50) + padded(tenths(result.nanoseconds), 12) + tenths(result.allocations))
  }
  return results
}

var missed = false
@MainActor func hold(_ what: String, _ value: Double, to goal: Double, _ unit: String) {
  let isMet = value <= goal
  if !isMet { missed = true }
  print("\(what): \(tenths(value)) \(unit), goal \(tenths(goal))\(isMet ? "" : "  MISSED")")
}

let same = report(
  "on the same thread",
  [
    SameThread.bare(total), SameThread.byHand(total), SameThread.repeating(total), SameThread.foreign(total),
    SameThread.byHandStream(total), SameThread.stream(total),
  ], count: 10_000_000)
hold(
  "adapter and one-operator stream, above the bare C call", same[5].nanoseconds - same[0].nanoseconds, to: 15 * scale,
  "ns")
hold("allocations a million calls", same[5].allocations * 1_000_000, to: 1, "")

let threads = report(
  "from a thread of C's to a loop", [ForeignThread.byHand(total), ForeignThread.inlet(total)], count: 1_000_000)
hold("through an Inlet", threads[1].nanoseconds, to: 200 * scale, "ns")
exit(missed || total.value == 0 ? 1 : 0)
