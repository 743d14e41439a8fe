/// All tests of the PostgreSQL streams. They run one after the other, because each starts a server.
import EventLoops
import Streams
import StreamsTesting
import Testing

@Suite("PostgreSQL", .serialized, .noLiveResources)
enum PostgresTests {}

/// An object whose deallocation a test can see.
final class Witness {}

/// Runs `body` on its own thread, with a loop and a server.
func withServer<Result: Sendable>(_ body: @escaping @Sendable (Loop, Server) throws -> Result) async throws -> Result {
  try await onOwnThread {
    let loop = Loop()
    defer { loop.shutdown() }
    let server = try Server(on: loop)
    defer { try? server.remove() }
    return try body(loop, server)
  }
}

extension Loop {
  /// Runs until `condition` holds; throws after two minutes.
  func run(until what: @autoclosure () -> String, _ condition: @escaping () -> Bool) throws {
    if condition() { return }
    let deadline = ContinuousClock.now + .seconds(120)
    let timer = try TimerHandle()
    defer { timer.dispose() }
    timer.start(after: .milliseconds(1), every: .milliseconds(1)) {
      if condition() || ContinuousClock.now > deadline { Loop.current.stop() }
    }
    run()
    if !condition() { throw TestError("not in time: \(what())") }
  }
}
