import EventLoops
import FileWatching
import Streams

/// The changes to pass to the next run: each path once, in the order of the first changes.
nonisolated struct ChangeSet {
  /// The maximum number of paths. One overflow event replaces all further paths.
  static let bound = 65_536

  private let formatter: EventFormatter
  /// The changes.
  private(set) var events: [FileEvent] = []
  private var indices: [BytePath: Int] = [:]
  /// Whether there were more changes.
  private(set) var hasOverflowed = false

  /// Creates an empty set. `formatter` formats the paths.
  init(_ formatter: EventFormatter) { self.formatter = formatter }

  /// The number of changes.
  var count: Int { events.count }

  /// Adds changes. A later change replaces an earlier one of the same path, but a created file that is modified remains
  /// created.
  mutating func insert(_ new: [FileEvent]) {
    for event in new {
      if let index = indices[event.path] {
        if events[index].kind != .created || event.kind != .modified { events[index] = event }
      } else if events.count < Self.bound {
        indices[event.path] = events.count
        events.append(event)
      } else if !hasOverflowed {
        hasOverflowed = true
        events.append(FileEvent(.overflow, event.path, isDirectory: event.isDirectory))
      }
    }
  }

  /// Removes all changes.
  mutating func removeAll() { self = ChangeSet(formatter) }

  /// The changed path, if there is exactly one. For a renamed file, the new path.
  var onlyPath: ArraySlice<UInt8>? {
    guard events.count == 1 else { return nil }
    return formatter.shown(events[0].destination ?? events[0].path)
  }

  /// The changed paths, each once. For a renamed file, the new path.
  var paths: [[UInt8]] {
    var seen: Set<ArraySlice<UInt8>> = []
    return events.map { formatter.shown($0.currentPath) }.filter { seen.insert($0).inserted }.map { Array($0) }
  }

  /// All changes, in the format of the formatter.
  var records: [UInt8] {
    var buffer: [UInt8] = []
    for event in events { formatter.append(event, to: &buffer) }
    return buffer
  }

  /// A summary such as `3 changes: a, b, c`, with up to three escaped names.
  var summary: String {
    var names: [String] = events.prefix(3).map { event in
      var buffer: [UInt8] = []
      Escaping.appendForPeople(formatter.shown(event.destination ?? event.path), to: &buffer)
      return String(decoding: buffer, as: UTF8.self)
    }
    if events.count > 3 { names.append("…") }
    return "\(events.count) \(events.count == 1 ? "change" : "changes"): \(names.joined(separator: ", "))"
  }
}
