import Glibc

/// A watched directory: its entries, and the child directories that are watched in turn.
///
/// It stores no path, so the cost of renaming it does not depend on its contents. A path is built from the names above
/// when it is needed.
///
/// Ownership: RootFollower ===> Directory ===> children; a child refers to its parent without owning it. WatchTable
/// ===> each.
final class Directory: Watch {
  /// The properties that only a topmost directory has.
  private final class Top {
    unowned(unsafe) let root: RootFollower?
    /// The prefix of the reported paths of its entries.
    let prefix: [UInt8]
    /// The path of the directory for the system.
    let location: [UInt8]
    /// The only name in it that is watched, if the root is a file.
    let onlyName: [UInt8]?

    init(_ root: RootFollower?, _ prefix: [UInt8], _ location: [UInt8], _ onlyName: [UInt8]?) {
      self.root = root
      self.prefix = prefix
      self.location = location
      self.onlyName = onlyName
    }
  }

  /// The directory above. Nil for a topmost directory and for a detached one.
  private(set) unowned(unsafe) var parent: Directory?
  /// Its name in its parent. Empty for a topmost directory.
  private(set) var name: [UInt8]
  private var topmost: Top?
  var entries = NameTable()
  /// The rules in its files of ignore rules.
  var rules: IgnoringStage.DirectoryRules?
  private var children: [Directory] = []
  private var index: Int32 = 0
  /// True if it has no watch and is compared regularly instead. Its files then have stamps instead of inodes.
  var isPolled = false
  /// True if it could not be reached. It is compared with the file system when all events have been handled.
  var isDirty = false

  /// Makes a topmost directory at `location`. `prefix` precedes its entries in reported paths.
  init(root: RootFollower?, location: [UInt8], prefix: [UInt8], onlyName: [UInt8]? = nil) {
    name = []
    topmost = Top(root, prefix, location, onlyName)
  }

  init(name: [UInt8]) { self.name = name }

  /// The root that this topmost directory belongs to.
  var root: RootFollower? { topmost?.root }

  /// The only name in it that is watched, if the root is a file.
  var onlyName: [UInt8]? { topmost?.onlyName }

  /// True if it is the topmost directory of a root.
  var isTop: Bool { topmost != nil }

  /// False once it has been removed from the tree.
  var isAttached: Bool { parent != nil || isTop }

  /// The topmost directory above, or itself.
  var top: Directory {
    var directory = self
    while let parent = directory.parent { directory = parent }
    return directory
  }

  /// The number of directories above it, up to the topmost.
  var depth: Int {
    var depth = 0
    var directory = self
    while let parent = directory.parent {
      depth += 1
      directory = parent
    }
    return depth
  }

  func isInside(_ other: Directory) -> Bool {
    var directory: Directory? = self
    while let current = directory {
      if current === other { return true }
      directory = current.parent
    }
    return false
  }

  /// Returns true if `node`, which is open as `descriptor`, is the same directory as this one or one above it.
  func isBelow(_ node: Directory, _ descriptor: Int32) -> Bool {
    let wanted = FileStatus(of: descriptor)
    return sequence(first: self, next: \.parent).contains { directory in
      if node.number >= 0 { return directory.number == node.number }
      let above = openDirectory(directory.location, openPathOnly)
      defer { if above >= 0 { close(above) } }
      guard above >= 0, let found = FileStatus(of: above) else { return false }
      return found.inode == wanted?.inode && found.device == wanted?.device
    }
  }

  func admits(_ name: NameBytes) -> Bool {
    guard let onlyName else { return true }
    return onlyName.elementsEqual(name)
  }

  // MARK: Paths

  /// The length of `prefix`.
  var prefixCount: Int {
    var count = 0
    var directory = self
    while let parent = directory.parent {
      count += directory.name.count + 1
      directory = parent
    }
    return count + (directory.topmost?.prefix.count ?? 0)
  }

  /// The reported path of this directory, with a trailing slash.
  var prefix: [UInt8] {
    let length = prefixCount
    // Without room, the initializer would write to the empty array that all threads share.
    if length == 0 { return [] }
    return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      writePrefix(to: buffer, length)
      count = length
    }
  }

  /// Writes the prefix into the first `length` bytes, from the end.
  private func writePrefix(to buffer: UnsafeMutableBufferPointer<UInt8>, _ length: Int) {
    var end = length
    var directory = self
    while let parent = directory.parent {
      end -= 1
      buffer[end] = BytePath.slash
      end -= directory.name.count
      _ = buffer[end...].update(from: directory.name)
      directory = parent
    }
    if let prefix = directory.topmost?.prefix { _ = buffer.update(from: prefix) }
  }

  /// Returns the reported path of a name in this directory.
  func path(of name: NameBytes) -> BytePath {
    if onlyName != nil, let root { return root.path }
    let length = prefixCount
    return BytePath(
      bytes: [UInt8](unsafeUninitializedCapacity: length + name.count) { buffer, count in
        writePrefix(to: buffer, length)
        _ = buffer[length...].update(from: name)
        count = length + name.count
      })
  }

  /// Returns true if `path` is the reported path of `name` in this directory. Does not build that path.
  func isPath(_ path: BytePath, of name: NameBytes) -> Bool {
    if onlyName != nil, let root { return path == root.path }
    return path.bytes.withUnsafeBufferPointer { bytes in
      var rest = NameBytes(rebasing: bytes[...])
      func endsWith(_ part: NameBytes) -> Bool {
        guard rest.count >= part.count, let end = rest.baseAddress.map({ $0 + rest.count - part.count }) else {
          return false
        }
        if !part.isEmpty, memcmp(end, part.baseAddress!, part.count) != 0 { return false }
        rest = NameBytes(rebasing: rest.dropLast(part.count))
        return true
      }
      if !endsWith(name) { return false }
      var directory = self
      while let parent = directory.parent {
        guard rest.last == BytePath.slash else { return false }
        rest = NameBytes(rebasing: rest.dropLast())
        if !directory.name.withUnsafeBufferPointer(endsWith) { return false }
        directory = parent
      }
      let prefix = directory.topmost?.prefix ?? []
      return rest.count == prefix.count && prefix.withUnsafeBufferPointer(endsWith)
    }
  }

  /// The reported path of this directory.
  var path: BytePath {
    if let root { return root.path }
    return parent.map { parent in name.withUnsafeBufferPointer { parent.path(of: $0) } } ?? BytePath(bytes: [])
  }

  /// The path of this directory for the system.
  var location: [UInt8] {
    var names: [Directory] = []
    var directory = self
    while let parent = directory.parent {
      names.append(directory)
      directory = parent
    }
    var location = directory.topmost?.location ?? []
    for directory in names.reversed() {
      if location.last != BytePath.slash { location.append(BytePath.slash) }
      location += directory.name
    }
    return location
  }

  // MARK: Children

  /// Returns the node of the directory whose entry is at `position`, if it has one.
  func child(at position: Int) -> Directory? {
    let number = entries.number(at: position)
    return entries.kind(at: position) == .directory && number != NameTable.noChild ? children[Int(number)] : nil
  }

  func child(_ name: NameBytes) -> Directory? { entries.find(name).flatMap { child(at: $0) } }

  /// Makes `child` the node of the directory entry at `position`, under that name.
  func attach(_ child: Directory, at position: Int) {
    child.name = entries.name(at: position)
    child.parent = self
    child.index = Int32(children.count)
    children.append(child)
    entries.setNumber(UInt64(child.index), at: position)
  }

  /// Removes the node of the entry at `position` and returns it. The entry stays.
  func detachChild(at position: Int) -> Directory? {
    guard let child = child(at: position) else { return nil }
    entries.setNumber(NameTable.noChild, at: position)
    let index = Int(child.index)
    children.swapAt(index, children.count - 1)
    children.removeLast()
    if index < children.count {
      let moved = children[index]
      moved.index = child.index
      if let position = moved.name.withUnsafeBufferPointer({ entries.find($0) }) {
        entries.setNumber(UInt64(child.index), at: position)
      }
    }
    child.parent = nil
    return child
  }

  /// Dismantles this directory and everything below it, and calls `body` for each.
  func dismantle(_ body: (Directory) -> Void) {
    topmost = nil
    parent = nil
    isPolled = false
    body(self)
    let old = children
    children = []
    entries = NameTable()
    for child in old { child.dismantle(body) }
  }
}
