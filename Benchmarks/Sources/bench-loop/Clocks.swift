import Glibc

/// The processor time in nanoseconds, in user and system mode, of this process or of the calling thread.
enum Processor {
  static var process: Double { read(CLOCK_PROCESS_CPUTIME_ID) }

  static var thread: Double { read(CLOCK_THREAD_CPUTIME_ID) }

  static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}

/// A generator of pseudorandom numbers, which are the same in every program and every run.
struct Generator {
  private var state: UInt64

  init(_ seed: UInt64 = 1) { state = seed }

  mutating func next(below bound: UInt64) -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) % bound
  }
}

/// The resident memory of this process, in bytes.
var residentBytes: Double {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [UInt8](repeating: 0, count: 256)
  let count = fread(&line, 1, line.count, file)
  let pages = String(decoding: line.prefix(count), as: UTF8.self).split(separator: " ")[1]
  return Double(pages)! * Double(sysconf(Int32(_SC_PAGESIZE)))
}
