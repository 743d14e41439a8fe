import EventLoops
import FileWatching
import Streams

/// The changes that the next run is told about: each path once, in the order in which they were first seen.
nonisolated struct ChangeSet {
  /// More paths than these are not kept; an overflow record stands for the rest.
  static let bound = 65_536

  private let formatter: EventFormatter
  /// The changes.
  private(set) var events: [FileEvent] = []
  private var indices: [BytePath: Int] = [:]
  private var hasOverflowed = false

  /// Makes an empty set; `formatter` writes paths as users are to see them.
  init(_ formatter: EventFormatter) { self.formatter = formatter }

  /// The number of changed paths.
  var count: Int { events.count }

  /// Adds changes; a later one takes the place of an earlier one of the same path, except that what was created stays so
  /// however often it is modified.
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

  /// Forgets all.
  mutating func removeAll() { self = ChangeSet(formatter) }

  /// The only path that has changed: where a rename went, for a rename. Nil where there are none or several.
  var onlyPath: ArraySlice<UInt8>? {
    guard events.count == 1 else { return nil }
    return formatter.shown(events[0].destination ?? events[0].path)
  }

  /// The changed paths, each once: of a rename the new one.
  var paths: [[UInt8]] {
    var seen: Set<ArraySlice<UInt8>> = []
    return events.map { formatter.shown($0.currentPath) }.filter { seen.insert($0).inserted }.map { Array($0) }
  }

  /// All changes as NDJSON.
  var records: [UInt8] {
    var buffer: [UInt8] = []
    for event in events { formatter.append(event, to: &buffer) }
    return buffer
  }

  /// `3 changes: a, b, c`, with names escaped and no more than three.
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
