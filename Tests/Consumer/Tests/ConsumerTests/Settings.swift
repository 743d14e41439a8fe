import Testing

/// The build settings of a consumer's target. Everything that is documented is compiled with each of them.
enum Settings: String, CaseIterable, CustomTestStringConvertible, Sendable {
  /// Swift 6, as `swift package init` sets it up.
  case defaults
  /// An `async` function runs on the actor of its caller.
  case nonisolatedNonsending
  /// Everything is isolated to the main actor unless it is declared otherwise.
  case mainActor
  /// Both, which README recommends for a program.
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
