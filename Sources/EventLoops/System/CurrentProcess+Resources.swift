import CUV

extension CurrentProcess {
  /// How much a process has used since it began.
  public struct Usage: Hashable, Sendable {
    /// Processor time in the program.
    public var userTime: Duration
    /// Processor time in the kernel.
    public var systemTime: Duration
    /// The most memory that it has had, in bytes.
    public var maximumResidentMemory: UInt64
    /// Pages that were there, but not yet its own.
    public var minorPageFaults: UInt64
    /// Pages that had to be read from a disk.
    public var majorPageFaults: UInt64
    /// Blocks that were read from disks.
    public var blocksRead: UInt64
    /// Blocks that were written to disks.
    public var blocksWritten: UInt64
    /// How often it has waited.
    public var voluntaryContextSwitches: UInt64
    /// How often it had to give way to others.
    public var involuntaryContextSwitches: UInt64
  }

  /// How much the process has used.
  public static func usage() throws(UVError) -> Usage {
    var native = uv_rusage_t()
    try check("uv_getrusage") { uv_getrusage(&native) }
    func duration(_ time: uv_timeval_t) -> Duration {
      .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }
    return Usage(
      userTime: duration(native.ru_utime), systemTime: duration(native.ru_stime),
      maximumResidentMemory: native.ru_maxrss * 1024, minorPageFaults: native.ru_minflt,
      majorPageFaults: native.ru_majflt, blocksRead: native.ru_inblock, blocksWritten: native.ru_oublock,
      voluntaryContextSwitches: native.ru_nvcsw, involuntaryContextSwitches: native.ru_nivcsw)
  }

  /// The memory that it has now, in bytes.
  public static func residentMemory() throws(UVError) -> Int {
    var size = 0
    try check("uv_resident_set_memory") { uv_resident_set_memory(&size) }
    return size
  }

  /// The priority of a process; nil is this one. From -20, the highest, to 19. Fails with `ESRCH` for one that does not exist.
  public static func priority(of process: Int32? = nil) throws(UVError) -> Int {
    var priority: Int32 = 0
    try check("uv_os_getpriority", process.map(String.init)) { uv_os_getpriority(process ?? 0, &priority) }
    return Int(priority)
  }

  /// Sets the priority of a process; nil is this one. From -20, the highest, to 19; others fail with `EINVAL`. Fails with
  /// `EACCES` for one higher than before without the right to.
  public static func setPriority(_ priority: Int, of process: Int32? = nil) throws(UVError) {
    try check("uv_os_setpriority", process.map(String.init)) {
      uv_os_setpriority(process ?? 0, Int32(clamping: priority))
    }
  }

  /// Sends a signal to a process, or with a negative number to a group. Fails with `ESRCH` where there is none and `EPERM`
  /// where it is somebody else's. For children there is `ProcessHandle.kill`.
  public static func send(_ signal: Signal, to process: Int32) throws(UVError) {
    try check("uv_kill", "\(process)") { uv_kill(process, signal.rawValue) }
  }
}
