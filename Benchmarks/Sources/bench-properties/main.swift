// Compares properties with OpenCombine, and live collections with computing them again, in one process and one run.
// Exits with 1 if a goal is missed.
//
// Goals are nanoseconds on a machine on which a closure call takes 1.5 ns. On a slower machine, they grow in
// proportion.

func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(1, width - text.count)) }
func tenths(_ number: Double) -> String {
  let scaled = Int(number * 10 + 0.5)
  return "\(scaled / 10).\(scaled % 10)"
}

let unit = measure(closure)[0].nanoseconds
let scale = max(1, unit / 1.5)
print("closure call: \(tenths(unit)) ns; goals are multiplied by \(tenths(scale))")
print(padded("", 36) + padded("Headwater", 26) + padded("OpenCombine (locks)", 26) + padded("ratio", 8) + "goal")

var missed: [String] = []
for workload in workloads {
  let results = measure(workload)
  func cell(_ result: Measurement) -> String {
    padded("\(tenths(result.nanoseconds)) ns, \(tenths(result.allocations)) allocs", 26)
  }
  let goal = workload.goal * scale
  let isMet = results[0].nanoseconds <= goal && results[0].allocations < 0.001
  if !isMet { missed.append(workload.name) }
  print(
    padded(workload.name, 36) + results.map(cell).joined()
      + padded(tenths(results[1].nanoseconds / results[0].nanoseconds), 8)
      + "\(tenths(goal)) ns, no allocation\(isMet ? "" : "  MISSED")")
}

let append = measureAppend()
print("append to 1,000,000, observed: \(tenths(append.nanoseconds)) ns, \(tenths(append.allocations)) allocs")
if append.nanoseconds > 1000 * scale { missed.append("append to 1,000,000") }
print(padded("\(liveCount) elements, one change", 44) + padded("live", 14) + padded("anew", 16) + "goal 1/100")
for result in measureLiveCollections() {
  if !result.isMet { missed.append(result.name) }
  print(
    padded(result.name, 44) + padded("\(tenths(result.following / 1000)) µs", 14)
      + padded("\(tenths(result.anew / 1000)) µs", 16)
      + "1/\(Int(result.anew / max(result.following, 1)))\(result.isMet ? "" : "  MISSED")")
}
if !missed.isEmpty {
  print("goals missed: \(missed.joined(separator: "; "))")
}

#if canImport(Glibc)
import Glibc
#endif
exit(missed.isEmpty && total.value != 0 ? 0 : 1)
