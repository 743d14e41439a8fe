import FileWatching
import Glibc
import Testing

/// The state of a tree as it follows from the events alone.
struct Model {
  /// Paths relative to the tree; true for directories.
  private(set) var entries: [String: Bool]
  /// The events that contradict the model, and why.
  private(set) var contradictions: [String] = []

  init(of tree: TestTree) { entries = tree.listing() }

  mutating func apply(_ event: FileEvent, _ watcher: TestWatcher) {
    let path = watcher.relative(event.path)
    func contradict(_ what: String) { contradictions.append("\(watcher.text(event)): \(what)") }
    switch event.kind {
    case .created:
      if entries[path] != nil { contradict("is there already") }
      if let slash = path.lastIndex(of: "/"), entries[String(path[..<slash])] != true {
        contradict("its directory is not there")
      }
      entries[path] = event.isDirectory
    case .removed:
      if entries[path] == nil { contradict("is not there") }
      remove(path)
    case .renamed(let new):
      let newPath = watcher.relative(new)
      if entries[path] == nil { contradict("is not there") }
      remove(newPath)
      for (key, value) in entries where key == path || key.hasPrefix(path + "/") {
        entries[key] = nil
        entries[newPath + key.dropFirst(path.count)] = value
      }
    case .modified, .attributes:
      if path != ".", entries[path] == nil { contradict("is not there") }
    case .overflow: break
    }
  }

  private mutating func remove(_ path: String) {
    for key in entries.keys where key == path || key.hasPrefix(path + "/") { entries[key] = nil }
  }

  /// Whether the model equals the real tree. Records an issue if it does not.
  func matches(_ tree: TestTree, _ what: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation)
    -> Bool
  {
    let difference = difference(from: tree)
    if difference.isEmpty { return true }
    Issue.record("\(difference), \(what())", sourceLocation: sourceLocation)
    return false
  }

  /// The differences between the model and the real tree.
  func difference(from tree: TestTree) -> [String] {
    let real = tree.listing()
    return real.filter { entries[$0.key] != $0.value }.map { "not known: \($0.key)" }
      + entries.filter { real[$0.key] != $0.value }.map { "not there: \($0.key)" }
  }
}

@_silgen_name("renameat2")
private func renameat2(
  _: Int32, _: UnsafePointer<CChar>, _: Int32, _: UnsafePointer<CChar>, _: UInt32
) -> Int32

/// Swaps two names atomically, if both exist.
@discardableResult
func exchange(_ path: String, _ other: String) -> Bool { renameat2(AT_FDCWD, path, AT_FDCWD, other, 2) == 0 }

extension TestTree {
  /// All paths below the tree; true for directories.
  func listing() -> [String: Bool] {
    var entries: [String: Bool] = [:]
    func walk(_ prefix: String) {
      guard let directory = opendir(absolute(prefix)) else { return }
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name == "." || name == ".." { continue }
        let path = prefix.isEmpty ? name : "\(prefix)/\(name)"
        entries[path] = entry.pointee.d_type == 4
        if entry.pointee.d_type == 4 { walk(path) }
      }
    }
    walk("")
    return entries
  }

  /// Swaps two names atomically.
  func exchange(_ name: String, _ other: String) {
    if !FileWatchingTests.exchange(absolute(name), absolute(other)) { fatalError("renameat2: \(errno)") }
  }
}
