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

  // Once for the process: reports go to the capture of the task that makes them.
  private static let installation: Void = {
    let slot = Lock<@Sendable (String) -> Void> { _ in }
    let previous = Diagnostics.setSink { message in
      if let current = DiagnosticsCapture.current {
        current.messages.withLock { $0.append(message) }
      } else {
        slot.withLock { $0 }(message)
      }
    }
    slot.withLock { $0 = previous }
  }()

  private let messages = Lock<[String]>([])

  static func run(_ body: () throws -> Void) rethrows -> [String] {
    installation
    let capture = DiagnosticsCapture()
    try $current.withValue(capture, operation: body)
    return capture.messages.withLock { $0 }
  }
}
