import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A process group that a command leads. It exists as long as it has a living member, which may outlive the command.
nonisolated struct ProcessGroup {
  /// The ID of the group, which is the process ID of the command.
  let id: Int32

  /// Whether the group has a living member. Zombies do not count, because their parent may never wait for them.
  var isAlive: Bool {
    guard kill(-id, 0) == 0 || errno == EPERM else { return false }
    #if os(Linux)
    return hasLivingMember
    #else
    return true
    #endif
  }

  /// Sends a signal to all members.
  func send(_ signal: Signal) { _ = kill(-id, signal.rawValue) }

  #if os(Linux)
  /// Searches `/proc`, which takes about a microsecond for each process of the system. Done only if the group still
  /// accepts signals.
  private var hasLivingMember: Bool {
    guard let directory = opendir("/proc") else { return true }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if let pid = Int32(name), let member = Self.status(of: pid), member.group == id, !member.isZombie {
        return true
      }
    }
    return false
  }

  /// Returns the group of a process and whether the process has ended, or nil if there is no such process.
  private static func status(of pid: Int32) -> (group: Int32, isZombie: Bool)? {
    let descriptor = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      // "pid (name) state parent group …", where the name may contain anything.
      guard let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
      let fields = buffer[(end + 1)..<count].split(separator: UInt8(ascii: " "), maxSplits: 3)
      guard fields.count >= 3, let group = Int32(String(decoding: fields[2], as: UTF8.self)) else { return nil }
      return (group, fields[0].first == UInt8(ascii: "Z") || fields[0].first == UInt8(ascii: "X"))
    }
  }
  #endif
}
