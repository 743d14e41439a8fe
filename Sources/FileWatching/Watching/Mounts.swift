import EventLoops
import Glibc

/// The mount points of the process. The kernel reports that they have changed, but inotify reports nothing for a directory that
/// a file system is mounted on.
///
/// Ownership: libuv ===> PollHandle ===> `onChange`, until the handle has closed. The descriptor is closed afterwards.
final class Mounts {
  /// A mount: its number, and the path that it covers.
  private struct Mount: Hashable {
    let number: [UInt8]
    let point: [UInt8]
  }

  static let path = "/proc/self/mountinfo"

  private let descriptor: Int32
  private let handle: PollHandle
  private var mounts: Set<Mount> = []

  init(keepsLoopAlive: Bool) throws(UVError) {
    descriptor = open(Self.path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw UVError(errno: errno, call: "open", path: Self.path) }
    do {
      handle = try PollHandle(descriptor: descriptor)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    handle.keepsLoopAlive = keepsLoopAlive
    handle.onClosed { [descriptor] in Glibc.close(descriptor) }
  }

  /// Calls `onChange` with the mount points that are new, and those that are gone, each time that there are some.
  func start(_ onChange: @escaping (Result<[[UInt8]], UVError>) -> Void) throws(UVError) {
    mounts = try read()
    try handle.start(.prioritized) { [unowned self] result in
      do throws(UVError) {
        _ = try result.get()
        let now = try read()
        let points = now.symmetricDifference(mounts).map(\.point)
        mounts = now
        if !points.isEmpty { onChange(.success(points)) }
      } catch {
        onChange(.failure(error))
      }
    }
  }

  func close() { handle.dispose() }

  private func read() throws(UVError) -> Set<Mount> {
    lseek(descriptor, 0, SEEK_SET)
    guard let text = readToEnd(descriptor) else { throw UVError(errno: errno, call: "read", path: Self.path) }
    var mounts: Set<Mount> = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      // The number, the number above, the device, the root, and the mount point.
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      if fields.count > 4 { mounts.insert(Mount(number: Array(fields[0]), point: Self.unescaped(fields[4]))) }
    }
    return mounts
  }

  /// The kernel writes a space, a tab, a newline, and a backslash as a backslash and three octal digits.
  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), rest.count >= 3 else {
        result.append(byte)
        continue
      }
      result.append(rest.prefix(3).reduce(0) { $0 &* 8 &+ ($1 &- UInt8(ascii: "0")) })
      rest = rest.dropFirst(3)
    }
    return result
  }
}
