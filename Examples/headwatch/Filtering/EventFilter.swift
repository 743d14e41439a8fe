import EventLoops
import FileWatching
import Streams

/// Which events are shown, or run a command: pure decisions on one event at a time. What is ignored never gets here.
nonisolated struct EventFilter {
  /// The extensions that files must have, without the dot; empty for any.
  let extensions: [[UInt8]]
  /// The kinds of interest. An overflow is always of interest.
  let kinds: Set<EventKind>

  /// Makes a filter.
  init(extensions: [String], kinds: Set<EventKind>) {
    self.extensions = extensions.map { Array($0.utf8) }
    self.kinds = kinds
  }

  /// Whether the user is to see the event.
  func admits(_ event: FileEvent) -> Bool {
    if event.eventKind == .overflow { return true }
    guard kinds.contains(event.eventKind) else { return false }
    guard !extensions.isEmpty else { return true }
    if event.isDirectory { return false }
    return hasExtension(event.path) || event.destination.map(hasExtension) ?? false
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
