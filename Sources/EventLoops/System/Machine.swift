import CUV

/// Information about the machine.
///
/// ```swift
/// print(Machine.hostname, Machine.processors.count, Machine.memory.total)
/// ```
///
/// Each use asks the system, on any thread. Some properties read a file in `/proc`.
public enum Machine {
  /// A logical processor.
  public struct Processor: Hashable, Sendable {
    /// The model name.
    public var model: String
    /// The clock rate in MHz; 0 if it is unknown.
    public var speed: Int
    /// The processor's times since the machine was started.
    public var times: Times

    /// The time that a processor has spent in each state since the machine was started.
    public struct Times: Hashable, Sendable {
      /// The time in programs.
      public var user: Duration
      /// The time in programs with a lowered priority.
      public var nice: Duration
      /// The time in the kernel.
      public var system: Duration
      /// The idle time.
      public var idle: Duration
      /// The time in interrupts.
      public var interrupts: Duration
    }
  }

  /// The logical processors. Empty if the system does not report them.
  public static var processors: [Processor] {
    var list: UnsafeMutablePointer<uv_cpu_info_t>?
    var count: Int32 = 0
    guard uv_cpu_info(&list, &count) == 0, let list else { return [] }
    defer { uv_free_cpu_info(list, count) }
    return (0..<Int(count)).map { index in
      let times = list[index].cpu_times
      return Processor(
        model: list[index].model.map { String(cString: $0) } ?? "", speed: Int(list[index].speed),
        times: Processor.Times(
          user: .milliseconds(times.user), nice: .milliseconds(times.nice), system: .milliseconds(times.sys),
          idle: .milliseconds(times.idle), interrupts: .milliseconds(times.irq)))
    }
  }

  /// The number of threads of this process that can run at the same time, at least 1. Less than the number of
  /// processors if the process is restricted to some of them.
  public static var parallelism: Int { Int(uv_available_parallelism()) }

  /// The sizes of the machine's memory, in bytes.
  public struct Memory: Hashable, Sendable {
    /// The total memory.
    public var total: UInt64
    /// The unused memory.
    public var free: UInt64
    /// The most memory that this process may use. Nil if there is no limit.
    public var limit: UInt64?
  }

  /// The sizes of the machine's memory.
  public static var memory: Memory {
    let limit = uv_get_constrained_memory()
    // Without a limit, the kernel reports a number larger than any machine's memory.
    let isLimit = limit > 0 && limit < uv_get_total_memory()
    return Memory(total: uv_get_total_memory(), free: uv_get_free_memory(), limit: isLimit ? limit : nil)
  }

  /// The time since the machine was started; zero if the system does not report it.
  public static var uptime: Duration {
    var seconds = 0.0
    return uv_uptime(&seconds) == 0 ? .seconds(seconds) : .zero
  }

  /// The average number of runnable threads in the last 1, 5, and 15 minutes.
  public static var loadAverage: (one: Double, five: Double, fifteen: Double) {
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 3) { values in
      values.initialize(repeating: 0)
      uv_loadavg(values.baseAddress)
      return (values[0], values[1], values[2])
    }
  }

  /// The host name.
  public static var hostname: String { text("uv_os_gethostname") { uv_os_gethostname($0, $1) } ?? "" }

  /// The operating system.
  public struct OperatingSystem: Hashable, Sendable {
    /// Its name, such as `Linux`.
    public var name: String
    /// Its release, such as `6.1.0-18-amd64`.
    public var release: String
    /// Its version, such as `#1 SMP Debian 6.1.76-1`.
    public var version: String
    /// The hardware architecture, such as `x86_64`.
    public var machine: String
  }

  /// The operating system.
  public static var operatingSystem: OperatingSystem {
    withUnsafeTemporaryAllocation(of: uv_utsname_t.self, capacity: 1) { room in
      room.initialize(repeating: uv_utsname_t())
      uv_os_uname(room.baseAddress)
      func text(_ field: PartialKeyPath<uv_utsname_t>) -> String {
        let start = UnsafeRawPointer(room.baseAddress!) + MemoryLayout<uv_utsname_t>.offset(of: field)!
        return String(cString: start.assumingMemoryBound(to: CChar.self))
      }
      return OperatingSystem(
        name: text(\.sysname), release: text(\.release), version: text(\.version), machine: text(\.machine))
    }
  }

  /// The system's monotonic clock, which is never set and has an arbitrary start. Use it to measure durations.
  public static var monotonicTime: Duration { .nanoseconds(Int64(clamping: uv_hrtime())) }

  /// The version of libuv, such as `1.44.2`.
  public static var libuvVersion: String { String(cString: uv_version_string()) }
}
