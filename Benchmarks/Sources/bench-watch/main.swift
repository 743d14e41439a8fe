// Measures a headwatch binary: how long from a write to the printed line, and what it costs to do nothing.
//
//   bench-watch PATH-OF-HEADWATCH
import Headwater

#if canImport(Glibc)
import Glibc
#endif

/// Whole processor time of a process so far, in seconds.
func processorTime(of pid: Int32) -> Double {
  guard let file = fopen("/proc/\(pid)/stat", "r") else { return 0 }
  defer { fclose(file) }
  var bytes = [CChar](repeating: 0, count: 1024)
  guard fgets(&bytes, 1024, file) != nil else { return 0 }
  let text = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
  return ((Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)) / Double(sysconf(Int32(_SC_CLK_TCK)))
}

func tenths(_ seconds: Double, _ unit: Double) -> String {
  let scaled = Int(seconds / unit * 100 + 0.5)
  return "\(scaled / 100).\(scaled % 100 < 10 ? "0" : "")\(scaled % 100)"
}

guard CommandLine.arguments.count == 2 else {
  print("usage: bench-watch PATH-OF-HEADWATCH")
  exit(64)
}

var template = Array("/tmp/bench-watch-XXXXXX".utf8CString)
guard mkdtemp(&template) != nil else { fatalError("no temporary directory") }
let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
var ends: [Int32] = [0, 0]
guard pipe(&ends) == 0 else { fatalError("no pipe") }

var command = ProcessCommand(CommandLine.arguments[1], [directory])
command.output = .descriptor(ends[1])
let process = try ProcessHandle(command)
close(ends[1])

let samples = 2000
var latencies: [Double] = []
var sent = ContinuousClock.now
var number = 0
let bag = DisposeBag()

/// Makes a file with content, as an editor's first save does.
func write() {
  number += 1
  let descriptor = open("\(directory)/file\(number)", O_CREAT | O_WRONLY, 0o644)
  sent = ContinuousClock.now
  _ = Glibc.write(descriptor, "x", 1)
  close(descriptor)
}

func finish() {
  latencies.sort()
  let p50 = latencies[latencies.count / 2]
  let p99 = latencies[latencies.count * 99 / 100]
  print("write to printed line, \(latencies.count) writes: p50 \(tenths(p50, 1e-3)) ms, p99 \(tenths(p99, 1e-3)) ms")
  bag.dispose()
  let before = processorTime(of: process.pid)
  let idle = try! TimerHandle()
  idle.start(after: .seconds(5)) {
    let used = processorTime(of: process.pid) - before
    print("processor time in 5 idle seconds: \(tenths(used, 1e-3)) ms")
    try? process.kill()
    idle.dispose()
    let isGood = p50 <= 0.5e-3 && used <= 0.02
    _ = process.exit.observeNext { status in
      print("ended by SIGTERM with \(status.shellCode)")
      for number in 1...number { unlink("\(directory)/file\(number)") }
      rmdir(directory)
      exit(isGood && status == .exited(143) ? 0 : 1)
    }
  }
}

// The first line tells that it watches: files are made until it comes.
let start = try TimerHandle()
start.start(after: .milliseconds(50), every: .milliseconds(50)) { write() }

Operation.poll(ends[0], for: .readable)
  .observeNext { _ in
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let now = ContinuousClock.now
    guard read(ends[0], &buffer, buffer.count) > 0 else { return finish() }
    if !start.isDisposed {
      start.dispose()
      write()
      return
    }
    let (seconds, attoseconds) = (now - sent).components
    latencies.append(Double(seconds) + Double(attoseconds) / 1e18)
    if latencies.count == samples { return finish() }
    // A pause, so that each write finds an idle watcher.
    _ = Loop.current.scheduler.schedule(after: .milliseconds(1)) { write() }
  }
  .dispose(in: bag)

Loop.main.run()
