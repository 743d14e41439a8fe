/// All tests of curl. They run one after the other.
import CurlStreams
import EventLoops
import Streams
import StreamsTesting
import Testing

@Suite("curl", .serialized, .noLiveResources)
enum CurlTests {}

/// Runs `body` on its own thread, with a loop, a server on that loop, and a `Curl`. Checks that no transfer and no watched socket
/// is left.
func withServer<Result: Sendable>(
  _ body: @escaping @Sendable (Loop, HTTPServer, Curl) throws -> Result
) async throws -> Result {
  try await onOwnThread {
    let loop = Loop()
    defer { loop.shutdown() }
    let server = try HTTPServer()
    defer { server.close() }
    let curl = Curl()
    let result = try body(loop, server, curl)
    #expect(curl.transferCount == 0)
    curl.close()
    #expect(curl.watchedSocketCount == 0)
    return result
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
