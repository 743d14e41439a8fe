import EventLoops
import FileWatching
import Streams

/// Which events are shown, or run a command: pure decisions on one event at a time.
nonisolated struct EventFilter {
  /// What is left out altogether.
  let rules: IgnoreRules
  /// The extensions that files must have, without the dot; empty for any.
  let extensions: [[UInt8]]
  /// The kinds of interest. An overflow is always of interest.
  let kinds: Set<EventKind>

  /// Makes a filter.
  init(rules: IgnoreRules, extensions: [String], kinds: Set<EventKind>) {
    self.rules = rules
    self.extensions = extensions.map { Array($0.utf8) }
    self.kinds = kinds
  }

  /// The event as the user is to see it, or nil.
  ///
  /// A rename from an ignored name, as editors do when they save, is the creation of the new one; a rename to an ignored
  /// name is the removal of the old one.
  func visible(_ event: FileEvent) -> FileEvent? {
    if event.eventKind == .overflow { return event }
    let event = withoutIgnoredEnd(event)
    guard let event, kinds.contains(event.eventKind) else { return nil }
    guard !extensions.isEmpty else { return event }
    if event.isDirectory { return nil }
    return hasExtension(event.path) || event.destination.map(hasExtension) ?? false ? event : nil
  }

  private func withoutIgnoredEnd(_ event: FileEvent) -> FileEvent? {
    let isIgnored = rules.isIgnored(event.path, isDirectory: event.isDirectory)
    guard let destination = event.destination else { return isIgnored ? nil : event }
    switch (isIgnored, rules.isIgnored(destination, isDirectory: event.isDirectory)) {
    case (false, false): return event
    case (true, false): return FileEvent(.created, destination, isDirectory: event.isDirectory)
    case (false, true): return FileEvent(.removed, event.path, isDirectory: event.isDirectory)
    case (true, true): return nil
    }
  }

  private func hasExtension(_ path: BytePath) -> Bool {
    extensions.contains { wanted in
      let rest = path.bytes.dropLast(wanted.count)
      guard rest.count + wanted.count == path.bytes.count, path.bytes.suffix(wanted.count).elementsEqual(wanted) else {
        return false
      }
      // A name such as `.swift` has no extension.
      let beforeDot = rest.dropLast()
      return rest.last == UInt8(ascii: ".") && beforeDot.last.map { $0 != UInt8(ascii: "/") } ?? false
    }
  }
}
