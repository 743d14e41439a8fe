/// All tests of the Redis streams. They run one after the other, because each starts a server.
import EventLoops
import HiredisStreams
import Streams
import StreamsTesting
import Testing

@Suite("Redis", .serialized, .noLiveResources)
enum RedisTests {}

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

extension Loop {
  /// Runs until `operation` has ended, and returns its element.
  func first<Element, Failure: Error>(_ operation: Operation<Element, Failure>) throws -> Element {
    var result: Result<Element, Failure>?
    let subscription = operation.first().observe(
      next: { result = .success($0) }, termination: { if case .failed(let error) = $0 { result = .failure(error) } })
    defer { subscription.dispose() }
    try run(until: "an element") { result != nil || subscription.isDisposed }
    guard let result else { throw TestError("no element") }
    return try result.get()
  }

  /// Asks the server until it has `count` subscribers of `channel`.
  func wait(for count: Int, subscribedTo channel: String, _ sender: RedisConnection) throws {
    let deadline = ContinuousClock.now + .seconds(120)
    let answer = RedisValue.array([.bytes(Array(channel.utf8)), .integer(count)])
    while try first(sender.command("PUBSUB", "NUMSUB", channel)) != answer {
      if ContinuousClock.now > deadline { throw TestError("not in time: \(count) subscribers of \(channel)") }
    }
  }

  /// Asks the server until it has `count` connections, including that of `sender`. The server notices a closed socket in a later
  /// iteration of its own loop, perhaps after the first question.
  func wait(forClients count: Int, _ sender: RedisConnection) throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while try first(sender.command("CLIENT", "LIST")).text?.split(separator: "\n").count != count {
      if ContinuousClock.now > deadline { throw TestError("not in time: \(count) connections") }
    }
  }
}
