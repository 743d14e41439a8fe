import CUV

/// Facts about the machine.
///
/// ```swift
/// print(Machine.hostname, Machine.processors.count, Machine.memory.total)
/// ```
///
/// Asked of the system at each use, on any thread; some read a file below `/proc`.
public enum Machine {
  /// One processor, as the system counts them.
  public struct Processor: Hashable, Sendable {
    /// Its make.
    public var model: String
    /// Its clock in MHz; 0 where nobody knows.
    public var speed: Int
    /// What it has spent its time with since the machine was started.
    public var times: Times

    /// Time since the machine was started.
    public struct Times: Hashable, Sendable {
      /// In programs.
      public var user: Duration
      /// In programs that are nice to others.
      public var nice: Duration
      /// In the kernel.
      public var system: Duration
      /// With nothing.
      public var idle: Duration
      /// With interrupts.
      public var interrupts: Duration
    }
  }

  /// The processors; empty where the system does not tell.
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

  /// How many threads of this process can run at the same time; at least 1. Less than there are processors where the
  /// process is confined to some.
  public static var parallelism: Int { Int(uv_available_parallelism()) }

  /// The memory of the machine, in bytes.
  public struct Memory: Hashable, Sendable {
    /// All that it has.
    public var total: UInt64
    /// What nobody uses.
    public var free: UInt64
    /// What this process may use at most; nil where nobody limits it.
    public var limit: UInt64?
  }

  /// The memory of the machine.
  public static var memory: Memory {
    let limit = uv_get_constrained_memory()
    // Without a limit the kernel names one that no machine has.
    let isLimit = limit > 0 && limit < uv_get_total_memory()
    return Memory(total: uv_get_total_memory(), free: uv_get_free_memory(), limit: isLimit ? limit : nil)
  }

  /// The time since the machine was started; zero where the system does not tell.
  public static var uptime: Duration {
    var seconds = 0.0
    return uv_uptime(&seconds) == 0 ? .seconds(seconds) : .zero
  }

  /// How many threads wanted to run on the average of the last 1, 5 and 15 minutes.
  public static var loadAverage: (one: Double, five: Double, fifteen: Double) {
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 3) { values in
      values.initialize(repeating: 0)
      uv_loadavg(values.baseAddress)
      return (values[0], values[1], values[2])
    }
  }

  /// Its name in the network.
  public static var hostname: String { text("uv_os_gethostname") { uv_os_gethostname($0, $1) } ?? "" }

  /// The operating system.
  public struct OperatingSystem: Hashable, Sendable {
    /// Its name, such as `Linux`.
    public var name: String
    /// Its release, such as `6.1.0-18-amd64`.
    public var release: String
    /// Its version, such as `#1 SMP Debian 6.1.76-1`.
    public var version: String
    /// What it runs on, such as `x86_64`.
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

  /// The system's monotonic clock, which starts somewhere and is never set: for how long something takes.
  public static var monotonicTime: Duration { .nanoseconds(Int64(clamping: uv_hrtime())) }

  /// The version of libuv, such as `1.44.2`.
  public static var libuvVersion: String { String(cString: uv_version_string()) }
}
