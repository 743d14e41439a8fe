// Compares a headwatch binary with other watchers, in one run, and prints a table. Exits with 1 if a goal is missed.
//
//   bench-watch PATH-OF-HEADWATCH [--only SECTION]
//
// The sections are start, latency, flood, lost, poll, large, and rename. A dash means that a watcher does not support
// the measurement, or that it was too slow: a watcher that takes longer than a second to start on 5,000 directories is
// not measured on 100,000. Memory is memory that is not mapped from files.
import Glibc

guard [2, 4].contains(CommandLine.arguments.count) else {
  print("usage: bench-watch PATH-OF-HEADWATCH [--only SECTION]")
  exit(64)
}
func wants(_ section: String) -> Bool {
  CommandLine.arguments.count == 2 || CommandLine.arguments[3] == section
}

let all = Tool.all(headwatch: CommandLine.arguments[1])
let tools = all.filter { $0.command != nil }
for tool in all where tool.command == nil { print("not measured, because it is not installed: \(tool.name)") }

Interruption.await()
var measures = Measures()
Interruption.root.withLock { $0 = measures.root }
var table = Table(tools.map(\.name))
func note(_ text: String) {
  let line = "bench-watch: \(text)…\n"
  _ = write(2, line, line.utf8.count)
}

// MARK: 5,000 directories

var isPatient: [String: Bool] = [:]
let small = wants("start") || wants("large") ? measures.newTree(5_000) : ""
for tool in tools where tool.isRecursive && !small.isEmpty {
  note("\(tool.name), 5,000 directories")
  guard let (running, seconds) = measures.start(tool, small) else { continue }
  isPatient[tool.name] = seconds <= Tool.patience
  table.set("start on 5,000 directories, ms", tool, seconds * 1_000)
  table.set("private memory then, MB", tool, running.memory.map { Double($0) / 1e6 }, goal: 3)
  running.stop()
}

// MARK: Latency

struct Sampled {
  let tool: Tool
  let running: Running
  let directory: String
  let files: [Int32]
  var latencies: [Double] = []
}
var sampled: [Sampled] = []
for tool in tools where wants("latency") || wants("flood") {
  note("\(tool.name), latency")
  let directory = measures.newDirectory()
  let files = measures.openFiles(in: directory, tool.isRecursive ? 1_000 : 1)
  guard let (running, _) = measures.start(tool, directory) else { continue }
  sampled.append(Sampled(tool: tool, running: running, directory: directory, files: files))
}
// The watchers take turns, so that the load of the machine affects all of them. Each is the first one equally often.
for block in 0..<20 where wants("latency") {
  for turn in sampled.indices {
    let index = (turn + block) % sampled.count
    let samples = sampled[index].tool.samples / 20
    sampled[index].latencies += measures.latencies(
      sampled[index].running, sampled[index].tool, sampled[index].directory, sampled[index].files,
      block * samples..<(block + 1) * samples)
  }
}
var peerLatency: Double?
for one in sampled where one.tool.name == "inotifywait" && !one.latencies.isEmpty {
  peerLatency = one.latencies.sorted()[one.latencies.count * 99 / 100]
}
for one in sampled where !one.latencies.isEmpty {
  let sorted = one.latencies.sorted()
  table.set("write to line, p50, ms", one.tool, sorted[sorted.count / 2], goal: 0.3)
  table.set("write to line, p99, ms", one.tool, sorted[sorted.count * 99 / 100], goal: peerLatency.map { $0 * 2 })
}

// MARK: Floods

for one in sampled {
  for file in one.files { close(file) }
  if !wants("flood") {
    one.running.stop()
    continue
  }
  note("\(one.tool.name), 50,000 writes")
  let (seconds, lines) = measures.flood(one.running, one.directory)
  // Without lines, the watcher may have died.
  if lines > 0 {
    table.set("50,000 writes, processor s", one.tool, seconds, goal: 0.3)
    table.set("lines printed for them", one.tool, Double(lines), digits: 0)
  }
  one.running.stop()
}
for tool in tools where tool.isRecursive && wants("lost") {
  note("\(tool.name), files in new directories")
  let directory = measures.newDirectory()
  guard let (running, _) = measures.start(tool, directory) else { continue }
  let lost = Double(measures.lost(running, directory))
  table.set("lost of 800 files in new directories", tool, lost, digits: 0, goal: 0)
  running.stop()
}

// MARK: Polling

if wants("poll"), let headwatch = tools.first, let command = headwatch.command {
  note("polling 10,000 files")
  let directory = measures.newDirectory()
  shell("cd '\(directory)' && mkdir $(seq 100) && for d in $(seq 100); do (cd $d && touch $(seq 100)); done")
  let polling = Tool(name: headwatch.name, command: { command($0) + ["--poll"] })
  if let (running, _) = measures.start(polling, directory) {
    let seconds = 20.0
    let before = running.processorTime
    running.settle(quiet: seconds)
    let percent = (running.processorTime - before) / seconds * 100
    table.set("polling 10,000 files each second, % of a core", headwatch, percent, goal: 3)
    running.stop()
  }
}

// MARK: 100,000 directories

let empty = measures.newDirectory()
let large = measures.newDirectory()
if wants("large") || wants("rename") {
  rename(measures.newTree(100_000), "\(large)/tree")
  // Reads the tree, so that the first watcher need not wait for the disk.
  shell("find '\(large)' >/dev/null")
}
for tool in tools where isPatient[tool.name] == true && wants("large") {
  note("\(tool.name), 100,000 directories")
  guard let (idle, _) = measures.start(tool, empty) else { continue }
  let base = idle.memory
  idle.stop()
  guard let (running, seconds) = measures.start(tool, large, patience: 120) else { continue }
  if let base, let memory = running.memory {
    table.set("start on 100,000 directories, s", tool, seconds, goal: 2)
    table.set("memory for each, bytes", tool, Double(memory - base) / 1e5, digits: 0, goal: 400)
  }
  running.stop()
}

// MARK: Renaming

if wants("rename"), let headwatch = tools.first {
  var shortest = Double.infinity
  for count in [10, 1_000, 100_000] {
    note("renaming a directory with \(count) below")
    var directory = large
    if count < 100_000 {
      let tree = measures.newTree(count)
      directory = measures.newDirectory()
      rename(tree, "\(directory)/tree")
    }
    guard let (running, _) = measures.start(headwatch, directory, patience: 120) else { continue }
    if let milliseconds = measures.rename(running, directory) {
      shortest = min(shortest, milliseconds)
      // The time must not depend on the number of directories below. The goal leaves room for the load of the machine.
      table.set("renaming a directory with \(count) below, ms", headwatch, milliseconds, goal: max(1, shortest * 10))
    }
    running.stop()
  }
}

note("removing the trees")
measures.finish()
table.print()
exit(table.isGood ? 0 : 1)
