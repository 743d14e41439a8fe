import EventLoops
import FileWatching
import Streams

/// The kind of an event as users name it: in `--kinds` and in JSON.
nonisolated enum EventKind: String, CaseIterable, Hashable {
  /// See `FileEvent.Kind.created`.
  case created
  /// See `FileEvent.Kind.modified`.
  case modified
  /// See `FileEvent.Kind.removed`.
  case removed
  /// See `FileEvent.Kind.renamed`.
  case renamed
  /// See `FileEvent.Kind.attributes`.
  case attributes
  /// See `FileEvent.Kind.overflow`.
  case overflow

  /// The kinds that run a command unless `--kinds` says otherwise: all but a change of mode, owner or times.
  static let changes: Set<EventKind> = [.created, .modified, .removed, .renamed, .overflow]

  /// Reads a list such as `created,modified`.
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
  /// The event's kind without what comes with it.
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

  /// Where a rename went.
  var destination: BytePath? {
    if case .renamed(let to) = kind { return to }
    return nil
  }
}
