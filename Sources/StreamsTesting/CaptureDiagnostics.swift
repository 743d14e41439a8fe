import Streams

/// Runs `body` and returns what has been reported to `Diagnostics` meanwhile by this task, instead of printing it.
///
/// Reports of other tasks and of threads that are not the package's own go where they went before, so tests run in
/// parallel.
public func captureDiagnostics(_ body: () throws -> Void) rethrows -> [String] {
  try DiagnosticsCapture.run(body)
}

private final class DiagnosticsCapture: Sendable {
  @TaskLocal static var current: DiagnosticsCapture?

  /// Where reports went before. No bare closure: a generic box wraps one once more each time it is opened.
  private struct Before: Sendable {
    let take: @Sendable (String) -> Void
  }

  // Once for the process: reports go to the capture of the task that makes them.
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
