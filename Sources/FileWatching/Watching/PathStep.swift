import Glibc

/// A name that the system looks up to resolve a path.
struct PathStep: Hashable {
  /// The directory, by a path without symbolic links.
  let directory: [UInt8]
  let name: [UInt8]
  /// True if the name is a symbolic link. The next step is the beginning of its target.
  let isLink: Bool
  /// True if the path ends with this name, and it is not a link.
  let isEnd: Bool

  /// The maximum number of links in one path, as in the kernel.
  private static let mostLinks = 40

  /// Returns the steps to `names`, beginning in `directory`, including those in the targets of symbolic links.
  ///
  /// The last step is the first name that does not exist or is not a directory; if there is none, the last name.
  static func all(to names: [UInt8], from directory: [UInt8] = [BytePath.slash]) -> [PathStep] {
    var steps: [PathStep] = []
    var directory = directory
    var links = 0
    // In reverse order.
    var rest = components(of: names)
    while let name = rest.popLast() {
      if name == [46, 46] {
        directory = split(directory).above
        continue
      }
      let (target, isDirectory) = look(at: name, in: directory)
      steps.append(
        PathStep(directory: directory, name: name, isLink: target != nil, isEnd: target == nil && rest.isEmpty))
      if let target {
        links += 1
        if links > mostLinks { break }
        if target.first == BytePath.slash { directory = [BytePath.slash] }
        rest += components(of: target)
      } else if isDirectory {
        directory = directory.appendingName(name)
      } else {
        break
      }
    }
    return steps
  }

  /// Returns the names of a path in reverse order, without those that mean the same directory.
  private static func components(of path: [UInt8]) -> [[UInt8]] {
    path.split(separator: BytePath.slash).map(Array.init).filter { $0 != [46] }.reversed()
  }

  private static func look(at name: [UInt8], in location: [UInt8]) -> (target: [UInt8]?, isDirectory: Bool) {
    let directory = openDirectory(location, openPathOnly)
    if directory < 0 { return (nil, false) }
    defer { close(directory) }
    return name.withUnsafeBufferPointer { name in
      guard let status = FileStatus(of: name, in: directory) else { return (nil, false) }
      if !status.isLink { return (nil, status.isDirectory) }
      let target = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        let length = withTerminated(name) { readlinkat(directory, $0, buffer.baseAddress!, buffer.count) }
        return length > 0 ? buffer[..<length].map { UInt8(bitPattern: $0) } : nil
      }
      return (target, false)
    }
  }
}
