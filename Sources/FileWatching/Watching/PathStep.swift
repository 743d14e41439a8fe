import Glibc

/// A name that the system looks up to resolve a path.
struct PathStep: Hashable {
  /// The directory, by a path without symbolic links.
  let directory: [UInt8]
  let name: [UInt8]
  /// True if the path ends with this name, and it is not a link.
  private(set) var isEnd: Bool
  private(set) var role: Role

  enum Role {
    /// The name is a link or the last step, so anything that happens to it matters.
    case awaited
    /// The name is a directory that contains a later step, so it cannot be removed, only renamed.
    case passed
    /// The name is the directory of the last step, whose name does not exist, so it can be empty and can be removed.
    case removable
  }

  /// The events of the directory that report that the path may lead elsewhere. `awaited` is the mask for an awaited name.
  func mask(awaited: UInt32) -> UInt32 {
    switch role {
    case .awaited: awaited
    case .passed: INotify.ancestorMask
    case .removable: INotify.removalMask
    }
  }

  /// The maximum number of links in one path, as in the kernel.
  private static let mostLinks = 40

  /// Returns the steps to `names`, beginning in `directory`, including those in the targets of symbolic links.
  ///
  /// The last step is the first name that does not exist or is not a directory; if there is none, the last name. If a
  /// name cannot be looked up, `failed` is called with the error, and the name counts as one that does not exist.
  static func all(
    to names: [UInt8], from directory: [UInt8] = [BytePath.slash], failed: (Int32) -> Void = { _ in }
  ) -> [PathStep] {
    var steps: [PathStep] = []
    var directory = directory
    var links = 0
    // In reverse order.
    var rest = components(of: names)
    var found = Found.nothing
    while let name = rest.popLast() {
      if name == [46, 46] {
        directory = split(directory).above
        continue
      }
      found = look(at: name, in: directory, failed)
      var step = PathStep(directory: directory, name: name, isEnd: rest.isEmpty, role: .passed)
      switch found {
      case .link(let target):
        step.isEnd = false
        step.role = .awaited
        links += 1
        if target.first == BytePath.slash { directory = [BytePath.slash] }
        rest = links > mostLinks ? [] : rest + components(of: target)
      case .directory: directory = directory.appendingName(name)
      case .file, .nothing: rest = []
      }
      steps.append(step)
    }
    guard let last = steps.indices.last else { return [] }
    steps[last].role = .awaited
    if case .nothing = found,
      let above = steps.lastIndex(where: { $0.directory.appendingName($0.name) == steps[last].directory })
    {
      steps[above].role = .removable
    }
    return steps
  }

  /// Returns the names of a path in reverse order, without those that mean the same directory.
  private static func components(of path: [UInt8]) -> [[UInt8]] {
    path.split(separator: BytePath.slash).map(Array.init).filter { $0 != [46] }.reversed()
  }

  private enum Found {
    case nothing, file, directory
    case link(target: [UInt8])
  }

  private static func look(at name: [UInt8], in location: [UInt8], _ failed: (Int32) -> Void) -> Found {
    func nothing() -> Found {
      if !FileWatchError.isAbsent(errno) { failed(errno) }
      return .nothing
    }
    let directory = openDirectory(location, openPathOnly)
    if directory < 0 { return nothing() }
    defer { close(directory) }
    return name.withUnsafeBufferPointer { name in
      guard let status = FileStatus(of: name, in: directory) else { return nothing() }
      if !status.isLink { return status.isDirectory ? .directory : .file }
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        let length = withTerminated(name) { readlinkat(directory, $0, buffer.baseAddress!, buffer.count) }
        return length > 0 ? .link(target: buffer[..<length].map { UInt8(bitPattern: $0) }) : nothing()
      }
    }
  }
}
