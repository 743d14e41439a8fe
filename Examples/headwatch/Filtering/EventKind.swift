import EventLoops
import FileWatching
import Streams

/// The kind of an event, with its name in `--kinds` and in JSON.
nonisolated enum EventKind: String, CaseIterable, Hashable {
  /// A file or directory was created.
  case created
  /// The content of a file was modified.
  case modified
  /// A file or directory was removed.
  case removed
  /// A file or directory was renamed.
  case renamed
  /// The mode, the owner, or the times were changed.
  case attributes
  /// The kernel dropped events.
  case overflow

  /// The kinds that run a command by default: all except changes of mode, owner, or times.
  static let changes: Set<EventKind> = [.created, .modified, .removed, .renamed, .overflow]

  /// Parses a list such as `created,modified`. Throws a `UsageError` if the list is empty or contains an unknown kind.
  static func set(_ list: String) throws -> Set<EventKind> {
    let kinds = try list.split(separator: ",").map { name in
      guard let kind = EventKind(rawValue: String(name)) else {
        throw UsageError("--kinds: '\(name)' is none of \(allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      return kind
    }
    guard !kinds.isEmpty else { throw UsageError("--kinds: the list is empty.") }
    return Set(kinds)
  }
}

nonisolated extension FileEvent {
  /// The kind of the event, without the destination of a rename.
  var eventKind: EventKind {
    switch kind {
    case .created: .created
    case .modified: .modified
    case .removed: .removed
    case .renamed: .renamed
    case .attributes: .attributes
    case .overflow: .overflow
    }
  }

  /// The new path of a renamed file, or nil for another kind of event.
  var destination: BytePath? {
    if case .renamed(let to) = kind { return to }
    return nil
  }
}
