import Foundation
import Testing

@testable import EventLoops

@Suite("System facts")
struct SystemTests {
  @Test func `the machine has processors, memory, a name and a system, as /proc says`() throws {
    let count = Machine.processors.count
    #expect(count == ProcessInfo.processInfo.processorCount)
    #expect(Machine.processors.allSatisfy { $0.times.user + $0.times.idle > .zero })
    #expect((1...max(1, count)).contains(Machine.parallelism))
    let memory = Machine.memory
    #expect(memory.total == ProcessInfo.processInfo.physicalMemory || memory.limit != nil)
    #expect(memory.free > 0 && memory.free <= memory.total)
    #expect(Machine.uptime > .zero)
    #expect(Machine.loadAverage.one >= 0)
    #expect(Machine.hostname == ProcessInfo.processInfo.hostName || !Machine.hostname.isEmpty)
    let system = Machine.operatingSystem
    let release = try String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
    #expect(system.name == "Linux" && release.hasPrefix(system.release) && !system.machine.isEmpty)
    #expect(Machine.libuvVersion.hasPrefix("1."))
    let before = Machine.monotonicTime
    #expect(Machine.monotonicTime >= before)
    #expect(abs((Timestamp.now.seconds - Date().timeIntervalSince1970)) < 60)
  }

  @Test func `the loopback interface is there, with its addresses and its name`() throws {
    let interfaces = try Machine.networkInterfaces()
    let loopback = try #require(interfaces.first { $0.address == .loopback(port: 0) })
    #expect(loopback.isInternal && loopback.hardwareAddress == [0, 0, 0, 0, 0, 0])
    #expect(loopback.mask.host == "255.0.0.0")
    let index = if_nametoindex(loopback.name)
    #expect(try Machine.interfaceName(index) == loopback.name)
    #expect(throws: UVError.self) { try Machine.interfaceName(999_999) }
  }

  @Test func `the process knows its number, its program, its user and its directories`() throws {
    #expect(CurrentProcess.id == getpid() && CurrentProcess.parentID == getppid())
    #expect(
      try CurrentProcess.executablePath() == FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    #expect(try CurrentProcess.directory() == FileManager.default.currentDirectoryPath)
    #expect(try CurrentProcess.temporaryDirectory().hasPrefix("/"))
    #expect(try !CurrentProcess.homeDirectory().isEmpty)
    let user = try CurrentProcess.user()
    #expect(user.id == geteuid() && user.group == getpwuid(geteuid()).pointee.pw_gid && !user.name.isEmpty)
    #expect(try CurrentProcess.residentMemory() > 1 << 20)
    let usage = try CurrentProcess.usage()
    #expect(usage.userTime > .zero && usage.maximumResidentMemory > 1 << 20)
    #expect(throws: UVError(code: -ENOENT, call: "uv_chdir", path: "/no/such")) {
      try CurrentProcess.changeDirectory(to: "/no/such")
    }
    #expect(throws: UVError(code: -ESRCH, call: "uv_os_getpriority", path: "\(Int32.max)")) {
      try CurrentProcess.priority(of: Int32.max)
    }
    #expect(try (-20...19).contains(CurrentProcess.priority()))
    #expect(throws: UVError(code: -EINVAL, call: "uv_os_setpriority")) { try CurrentProcess.setPriority(100) }
    #expect(throws: UVError(code: -ESRCH, call: "uv_kill", path: "\(Int32.max)")) {
      try CurrentProcess.send(.user1, to: Int32.max)
    }
    try CurrentProcess.send(Signal(rawValue: 0), to: getpid())
  }

  @Test func `what is changed is the whole process's: its directory, priority, environment and title`() async {
    await #expect(processExitsWith: .success) {
      try CurrentProcess.changeDirectory(to: "/")
      #expect(try CurrentProcess.directory() == "/")
      let priority = try CurrentProcess.priority()
      try CurrentProcess.setPriority(min(19, priority + 1))
      #expect(try CurrentProcess.priority() == min(19, priority + 1))
      try CurrentProcess.setEnvironment("HEADWATER", "a=b")
      #expect(CurrentProcess.environment("HEADWATER") == "a=b")
      #expect(CurrentProcess.environment["HEADWATER"] == "a=b")
      let long = String(repeating: "x", count: 5000)
      try CurrentProcess.setEnvironment("HEADWATER", long)
      #expect(CurrentProcess.environment("HEADWATER") == long)
      try CurrentProcess.setEnvironment("HEADWATER", nil)
      #expect(CurrentProcess.environment("HEADWATER") == nil)
      #expect(CurrentProcess.environment("") == nil)
      #expect(throws: UVError.self) { try CurrentProcess.setEnvironment("A=B", "c") }
      #expect(throws: UVError.self) { try CurrentProcess.setEnvironment("A\0", "c") }
      try CurrentProcess.setTitle("head")
      #expect(try CurrentProcess.title() == "head")
    }
  }

  @Test func `moments are compared, and their difference is a duration`() {
    let first = Timestamp(sinceEpoch: .seconds(5))
    #expect(first + .milliseconds(1) > first)
    #expect((first + .milliseconds(1)) - first == .milliseconds(1))
    #expect(Timestamp(sinceEpoch: .milliseconds(-1500)).seconds == -1.5)
  }

  @Test func `permissions are shown as ls shows them`() {
    #expect(FilePermissions(rawValue: 0o100644) == 0o644)
    #expect((0o755 as FilePermissions).description == "rwxr-xr-x")
    #expect((0o6755 as FilePermissions).description == "rwsr-sr-x")
    #expect((0o1666 as FilePermissions).description == "rw-rw-rwT")
    #expect((0o2640 as FilePermissions).description == "rw-r-S---")
    let permissions: FilePermissions = [.ownerReadWrite, .groupRead]
    #expect(permissions == 0o640 && permissions.contains(.ownerRead) && !permissions.contains(.othersRead))
  }
}
