import CUV

extension CurrentProcess {
  /// The resources that a process has used since it began.
  public struct Usage: Hashable, Sendable {
    /// The processor time in the program.
    public var userTime: Duration
    /// The processor time in the kernel.
    public var systemTime: Duration
    /// The peak resident memory in bytes.
    public var maximumResidentMemory: UInt64
    /// The number of page faults that needed no disk access.
    public var minorPageFaults: UInt64
    /// The number of page faults that needed a disk access.
    public var majorPageFaults: UInt64
    /// The number of blocks read from disks.
    public var blocksRead: UInt64
    /// The number of blocks written to disks.
    public var blocksWritten: UInt64
    /// How often the process has given up the processor to wait.
    public var voluntaryContextSwitches: UInt64
    /// How often the process was preempted.
    public var involuntaryContextSwitches: UInt64
  }

  /// Returns the resources that this process has used since it began. Throws the error of the system.
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

  /// Returns the current resident memory of this process in bytes. Throws the error of the system.
  public static func residentMemory() throws(UVError) -> Int {
    var size = 0
    try check("uv_resident_set_memory") { uv_resident_set_memory(&size) }
    return size
  }

  /// Returns the priority of a process, from -20, the highest, to 19. Nil is this process. Throws `ESRCH` if the
  /// process does not exist.
  public static func priority(of process: Int32? = nil) throws(UVError) -> Int {
    var priority: Int32 = 0
    try check("uv_os_getpriority", process.map(String.init)) { uv_os_getpriority(process ?? 0, &priority) }
    return Int(priority)
  }

  /// Sets the priority of a process, from -20, the highest, to 19. Nil is this process. Throws `EINVAL` for other
  /// numbers, and `EACCES` for raising the priority without the privilege to do so.
  public static func setPriority(_ priority: Int, of process: Int32? = nil) throws(UVError) {
    try check("uv_os_setpriority", process.map(String.init)) {
      uv_os_setpriority(process ?? 0, Int32(clamping: priority))
    }
  }

  /// Sends a signal to a process, or to a process group if the number is negative. Throws `ESRCH` if there is none, and
  /// `EPERM` if it belongs to another user. For children, use `ProcessHandle.kill`.
  public static func send(_ signal: Signal, to process: Int32) throws(UVError) {
    try check("uv_kill", "\(process)") { uv_kill(process, signal.rawValue) }
  }
}
