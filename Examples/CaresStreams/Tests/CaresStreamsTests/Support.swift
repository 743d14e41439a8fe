import CaresStreams
import EventLoops
import Streams
import StreamsTesting
import Testing

/// All tests of c-ares. They run one after the other.
@Suite("c-ares", .serialized, .noLiveResources)
enum ResolverTests {}

/// Runs `body` on its own thread, with a loop, a name server on that loop, and a resolver that uses it.
func withServer<Result: Sendable>(
  timeout: Duration = .seconds(20), _ body: @escaping @Sendable (Loop, NameServer, Resolver) throws -> Result
) async throws -> Result {
  try await onOwnThread {
    let loop = Loop()
    defer { loop.shutdown() }
    let server = try NameServer()
    defer { server.close() }
    var options = Resolver.Options()
    options.servers = ["127.0.0.1:\(server.port)"]
    options.usesHostsFile = false
    options.timeout = timeout
    let resolver = try Resolver(options)
    defer { resolver.close() }
    return try body(loop, server, resolver)
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
