import Callbacks
import EventLoops
import StreamsTesting
import Testing

/// All tests of callbacks. They run one after another, because `DroppedCalls` counts for the whole process.
@Suite("Callbacks", .serialized)
enum CallbacksTests {}

/// An object whose deallocation a test observes through a weak reference.
final class Witness: Sendable {}

/// Fails if the standard error of an exit test does not contain `text`.
func expect(_ result: ExitTest.Result?, says text: String, sourceLocation: SourceLocation = #_sourceLocation) {
  let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  #expect(output.contains(text), "\(output)", sourceLocation: sourceLocation)
}

/// Runs `body` on a thread that a loop owns, so that objects made there are confined to it.
func onLoop<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await onOwnThread {
    let loop = Loop()
    defer { loop.shutdown() }
    return try body()
  }
}

/// Yields until `condition` holds, for at most 60 seconds.
func settle(_ condition: () -> Bool) async {
  let deadline = ContinuousClock.now + .seconds(60)
  while !condition(), ContinuousClock.now < deadline { await Task.yield() }
}
