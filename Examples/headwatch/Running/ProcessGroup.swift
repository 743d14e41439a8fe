import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A process group that a command leads, for as long as one of its members lives, also after the command itself.
nonisolated struct ProcessGroup {
  /// The group's number, which is the process number of the command.
  let id: Int32

  /// Whether a member lives. Zombies do not count: they wait for a parent that may never fetch them, and nothing can be
  /// done about it.
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
  /// Looks through `/proc`, which costs about a microsecond for each process of the system and is done only while a group
  /// that answers to signals is awaited.
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

  /// The group of a process, and whether it has ended; nil where there is no such process.
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
