// What the loop costs, beside a C program on libuv and SwiftNIO, in one run. Ends with 1 when a goal is missed.
import Glibc

let workloads: [String: () -> Double] = [
  "timers-fire": Timers.fire, "timers-fire-nio": Timers.fireNIO,
  "timers-cancel": Timers.cancel, "timers-cancel-nio": Timers.cancelNIO,
  "timers-memory": Timers.memory, "debounce": Timers.debounce,
  "post-ready": Posts.readyMade, "post-ready-nio": Posts.readyMadeNIO,
  "post-capturing": Posts.capturing, "post-capturing-nio": Posts.capturingNIO,
  "post-own": Posts.own, "post-own-nio": Posts.ownNIO,
]
if CommandLine.arguments.count > 2, CommandLine.arguments[1] == "run" {
  print(workloads[CommandLine.arguments[2]]!())
  exit(0)
}
