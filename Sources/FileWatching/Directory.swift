import Glibc

/// A watched directory: what is in it, and which of it is watched in turn.
///
/// Ownership: RootFollower ===> Directory ===> children; a child knows its parent without owning it. WatchTable ===> each.
final class Directory: Watch {
  /// The directory above; nil for the topmost, and for one that has been detached.
  private(set) unowned(unsafe) var parent: Directory?
  /// Its name in its parent; empty for the topmost.
  private(set) var name: [UInt8]
  /// The root that it is the topmost directory of.
  private(set) unowned(unsafe) var root: RootFollower?
  /// The only name in it that is watched: for a root that is a file.
  let onlyName: [UInt8]?
  var entries = NameTable()
  /// What the files of ignore rules in it say.
  var rules: IgnoreStage.DirectoryRules?
  private var children: [Directory] = []
  private var index = 0
  private var cachedPrefix: [UInt8]
  /// It has no watch, and is compared again and again. Its files have stamps in place of inodes.
  var isPolled = false
  /// Could not be reached when it had to be: to be compared with the file system when all events have been handled.
  var isDirty = false

  /// Makes a topmost directory. `prefix` is what stands before the names in it.
  init(root: RootFollower, prefix: [UInt8], onlyName: [UInt8]? = nil) {
    self.root = root
    self.onlyName = onlyName
    name = []
    cachedPrefix = prefix
  }

  init(name: [UInt8]) {
    self.name = name
    onlyName = nil
    cachedPrefix = []
  }

  /// False once it has been taken out of the tree.
  var isAttached: Bool { parent != nil || root != nil }

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

  func admits(_ name: NameBytes) -> Bool {
    guard let onlyName else { return true }
    return onlyName.elementsEqual(name)
  }

  // MARK: Paths

  /// The path of this directory as it is reported, and a slash.
  var prefix: [UInt8] {
    if cachedPrefix.isEmpty, let parent {
      let above = parent.prefix
      cachedPrefix = [UInt8](unsafeUninitializedCapacity: above.count + name.count + 1) { buffer, count in
        _ = buffer.initialize(from: above)
        _ = buffer[above.count...].initialize(from: name)
        buffer[above.count + name.count] = BytePath.slash
        count = above.count + name.count + 1
      }
    }
    return cachedPrefix
  }

  /// The path under which something in this directory is reported.
  func path(of name: NameBytes) -> BytePath {
    if onlyName != nil, let root { return root.path }
    let prefix = prefix
    return BytePath(
      bytes: [UInt8](unsafeUninitializedCapacity: prefix.count + name.count) { buffer, count in
        prefix.withUnsafeBufferPointer { _ = buffer.initialize(from: $0) }
        for index in 0..<name.count { buffer.initializeElement(at: prefix.count + index, to: name[index]) }
        count = prefix.count + name.count
      })
  }

  /// Whether `path` is the one under which `name` in this directory is reported; without making that path.
  func isPath(_ path: BytePath, of name: NameBytes) -> Bool {
    if onlyName != nil, let root { return path == root.path }
    let prefix = prefix
    guard path.bytes.count == prefix.count + name.count else { return false }
    return path.bytes.withUnsafeBufferPointer { bytes in
      memcmp(bytes.baseAddress! + prefix.count, name.baseAddress!, name.count) == 0
        && prefix.withUnsafeBufferPointer { memcmp(bytes.baseAddress!, $0.baseAddress!, prefix.count) == 0 }
    }
  }

  /// The path under which this directory itself is reported.
  var path: BytePath {
    if let root { return root.path }
    return parent.map { parent in name.withUnsafeBufferPointer { parent.path(of: $0) } } ?? BytePath(bytes: [])
  }

  /// Where it is for the system.
  var location: [UInt8] {
    var names: [Directory] = []
    var directory = self
    while let parent = directory.parent {
      names.append(directory)
      directory = parent
    }
    var location = directory.root?.directoryLocation ?? []
    for directory in names.reversed() {
      if location.last != BytePath.slash { location.append(BytePath.slash) }
      location += directory.name
    }
    return location
  }

  private func forgetPrefix() {
    cachedPrefix = []
    for child in children { child.forgetPrefix() }
  }

  // MARK: Children

  /// The node of the directory whose entry is at `position`, if it has one.
  func child(at position: Int) -> Directory? {
    let number = entries.number(at: position)
    return entries.kind(at: position) == .directory && number != NameTable.noChild ? children[Int(number)] : nil
  }

  func child(_ name: NameBytes) -> Directory? { entries.find(name).flatMap { child(at: $0) } }

  /// Makes `child` the node of the directory entry at `position`, under that name.
  func attach(_ child: Directory, at position: Int) {
    child.name = entries.name(at: position)
    child.parent = self
    child.index = children.count
    child.forgetPrefix()
    children.append(child)
    entries.setNumber(UInt64(child.index), at: position)
  }

  /// Takes the node of the entry at `position` out; the entry stays.
  func detachChild(at position: Int) -> Directory? {
    guard let child = child(at: position) else { return nil }
    entries.setNumber(NameTable.noChild, at: position)
    children.swapAt(child.index, children.count - 1)
    children.removeLast()
    if child.index < children.count {
      let moved = children[child.index]
      moved.index = child.index
      if let position = moved.name.withUnsafeBufferPointer({ entries.find($0) }) {
        entries.setNumber(UInt64(child.index), at: position)
      }
    }
    child.parent = nil
    return child
  }

  /// Takes this directory and all below it apart, calling `body` for each.
  func dismantle(_ body: (Directory) -> Void) {
    root = nil
    parent = nil
    isPolled = false
    body(self)
    let old = children
    children = []
    entries = NameTable()
    for child in old { child.dismantle(body) }
  }
}
