import Streams

/// Runs `body`, and returns the reports of this task to `Diagnostics` instead of printing them.
///
/// Reports of other tasks, and of threads that the package did not create, use the previous sink, so tests can run in parallel.
public func captureDiagnostics(_ body: () throws -> Void) rethrows -> [String] {
  try DiagnosticsCapture.run(body)
}

private final class DiagnosticsCapture: Sendable {
  @TaskLocal static var current: DiagnosticsCapture?

  /// The previous sink. A struct, because Swift wraps a bare closure in a generic box again at each access.
  private struct Before: Sendable {
    let take: @Sendable (String) -> Void
  }

  // Installed once for the process. A report goes to the capture of its task.
  private static let installation: Void = {
    let before = Lock(Before { _ in })
    let previous = Diagnostics.setSink { message in
      if let current = DiagnosticsCapture.current {
        current.messages.withLock { $0.append(message) }
      } else {
        before.withLock { $0 }.take(message)
      }
    }
    before.withLock { $0 = Before(take: previous) }
  }()

  private let messages = Lock<[String]>([])

  static func run(_ body: () throws -> Void) rethrows -> [String] {
    installation
    let capture = DiagnosticsCapture()
    try $current.withValue(capture, operation: body)
    return capture.messages.withLock { $0 }
  }
}
