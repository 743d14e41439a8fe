// Compares the loop with a C program on libuv and with SwiftNIO, in one run. Exits with 1 if a goal is missed.
//   bench-loop C-PROGRAM [--only TEXT]     runs all workloads, each side in new processes, in turn
//   bench-loop run WORKLOAD [COUNT]        runs one workload in this process
import Foundation

let workloads: [String: (Int) -> Double] = [
  "timers-fire": { _ in Timers.fire() }, "timers-fire-nio": { _ in Timers.fireNIO() },
  "timers-cancel": { _ in Timers.cancel() }, "timers-cancel-nio": { _ in Timers.cancelNIO() },
  "timers-memory": { _ in Timers.memory() }, "debounce": { _ in Timers.debounce() },
  "post-ready": { _ in Posts.readyMade() }, "post-ready-nio": { _ in Posts.readyMadeNIO() },
  "post-capturing": { _ in Posts.capturing() }, "post-capturing-nio": { _ in Posts.capturingNIO() },
  "post-own": { _ in Posts.own() }, "post-own-nio": { _ in Posts.ownNIO() },
  "echo-raw": Echo.raw, "echo-bytes": Echo.bytes, "echo-operators": Echo.operators, "echo-nio": EchoNIO.run,
  "serve-callbacks": Serving.callbacks, "serve-for-await": Serving.forAwait,
  "serve-loops": { Serving.loops($0).processor }, "serve-loops-nio": { Serving.loopsNIO($0).processor },
  "serve-loops-clock": { Serving.loops($0).clock }, "serve-loops-clock-nio": { Serving.loopsNIO($0).clock },
  "accept": Connections.accept, "accept-nio": Connections.acceptNIO,
  "idle": Connections.idle, "idle-nio": Connections.idleNIO,
]
let arguments = CommandLine.arguments
if arguments.count > 2, arguments[1] == "run", let workload = workloads[arguments[2]] {
  print(workload(arguments.count > 3 ? Int(arguments[3])! : 200_000))
  exit(0)
}
if arguments.count > 3, arguments[1] == "stay" {
  Visitors.stay(UInt16(arguments[2])!, Int(arguments[3])!)
  exit(0)
}
if arguments.count > 3, arguments[1] == "knock" {
  Serving.knock(UInt16(arguments[2])!, Int(arguments[3])!)
  exit(0)
}
guard arguments.count > 1, arguments[1] != "run" else {
  print("usage: bench-loop C-PROGRAM [--only TEXT] | bench-loop run WORKLOAD [COUNT]")
  exit(64)
}
var report = Report(program: arguments[1])
if arguments.count > 3, arguments[2] == "--only" { report.only = arguments[3] }
report.run()
exit(report.missed.isEmpty ? 0 : 1)
