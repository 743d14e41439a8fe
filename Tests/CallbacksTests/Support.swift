import Callbacks
import EventLoops
import StreamsTesting
import Testing

/// All tests of callbacks, one after the other: `DroppedCalls` counts for the whole process.
@Suite("Callbacks", .serialized)
enum CallbacksTests {}

/// Something of which a test sees when it is let go of.
final class Witness: Sendable {}

/// Fails where an exit test has not printed `text`.
func expect(_ result: ExitTest.Result?, says text: String, sourceLocation: SourceLocation = #_sourceLocation) {
  let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  #expect(output.contains(text), "\(output)", sourceLocation: sourceLocation)
}

/// Runs `body` on a thread that a loop owns: what is made there is confined to it.
func onLoop<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await onOwnThread {
    let loop = Loop()
    defer { loop.shutdown() }
    return try body()
  }
}

/// Yields until `condition` holds, for a while.
func settle(_ condition: () -> Bool) async {
  let deadline = ContinuousClock.now + .seconds(60)
  while !condition(), ContinuousClock.now < deadline { await Task.yield() }
}
