/// All tests of the MQTT streams. They run one after the other, because they share two cores with a broker.
import EventLoops
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import MQTTStreams

@Suite("MQTT", .serialized, .noLiveResources)
enum MQTTTests {}

/// Runs `body` on its own thread, with a loop, and waits until all of its clients are destroyed.
func onLoop<Result: Sendable>(_ body: @escaping @Sendable (Loop) throws -> Result) async throws -> Result {
  try await onOwnThread {
    let loop = Loop()
    defer { loop.shutdown() }
    let result = try body(loop)
    try loop.run(until: "the clients are destroyed") { Client.alive.load(ordering: .relaxed) == 0 }
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
