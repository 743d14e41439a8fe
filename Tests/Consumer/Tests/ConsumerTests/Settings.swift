import Testing

/// The build settings of a consumer's target. Everything that is documented is compiled in each of them.
enum Settings: String, CaseIterable, CustomTestStringConvertible, Sendable {
  /// Swift 6, as `swift package init` sets it up.
  case defaults
  /// An `async` function stays where it is called.
  case nonisolatedNonsending
  /// Everything is on the main actor unless it says otherwise.
  case mainActor
  /// Both: what README recommends for a program.
  case both

  var arguments: [String] {
    switch self {
    case .defaults: []
    case .nonisolatedNonsending: ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault"]
    case .mainActor: ["-default-isolation", "MainActor"]
    case .both: Self.nonisolatedNonsending.arguments + Self.mainActor.arguments
    }
  }

  var testDescription: String { rawValue }
}
