// Compares Streams with other libraries, in one process and one run. Exits with 1 if a goal is missed.
//
//   bench-streams [--json FILE] [--only TEXT]
//
// Times are nanoseconds per element, the best of seven interleaved runs, with allocations per element in parentheses.
// Goals are for a machine on which a closure call takes 1.5 ns. On a slower machine, they grow in proportion. The
// closure call is measured with each workload, because other load on the processor slows both.
#if canImport(Glibc)
import Glibc
#endif

var arguments = CommandLine.arguments.dropFirst()
var file: String?
var only = ""
while let option = arguments.popFirst() {
  switch (option, arguments.popFirst()) {
  case ("--json", let value?): file = value
  case ("--only", let value?): only = value
  default:
    print("usage: bench-streams [--json FILE] [--only TEXT]")
    exit(64)
  }
}

var report = Report()
print("ns an element (allocations an element); the ratio is that of the fastest other library\n")
print(Report.Result.header)

#if Peers
let all = [subjects[0], subjects[1], subscribing[0]]
#else
let all = (subjects + operators + combining + flattening + subscribing + threads).sorted { $0.row < $1.row }
#endif
for workload in all where only.isEmpty || workload.name.contains(only) {
  let result = Report.Result(workload)
  report.results.append(result)
  print(result.line)
  fflush(nil)
}

if only.isEmpty {
  for (library, bytes) in bytesOfSubscriptions() {
    report.figures.append(
      Report.Figure(
        name: "bytes a live mapped subscription, \(library.rawValue)", value: bytes,
        limit: library == .headwater ? 300 : nil))
  }
  // The limit is 8, because observers that are far apart in memory are not in the processor's caches. Work for each
  // observer would result in 1,000.
  let few = costOfReplacing(live: 100)
  let many = costOfReplacing(live: 100_000)
  report.figures.append(Report.Figure(name: "replacing an observer among 100, ns", value: few))
  report.figures.append(Report.Figure(name: "replacing an observer among 100,000, ns", value: many))
  report.figures.append(Report.Figure(name: "times as long among 100,000 as among 100", value: many / few, limit: 8))
  print("")
  for figure in report.figures {
    let limit = figure.limit.map { "≤ \(tenths($0))" } ?? ""
    print(padded(figure.name, 52) + padded(tenths(figure.value), 10) + limit + (figure.isMissed ? "  MISSED" : ""))
  }
}

print(
  """

  Headwater's streams stay in one isolation domain, so no element passes a lock. That is what its user gives up: another
  thread sends through an Inlet (row 9), which locks. The others lock for each element, and any thread may send.
  """)
if let file { try report.write(to: file) }
if !report.missed.isEmpty { print("\ngoals missed:\n  \(report.missed.joined(separator: "\n  "))") }
exit(report.missed.isEmpty && total.value != 0 ? 0 : 1)
