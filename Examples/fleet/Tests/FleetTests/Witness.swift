import EventLoops
import MQTTStreams
import Streams
import StreamsTesting

/// A client that records what the broker delivers, and publishes messages that no program of a fleet would.
final class Witness {
  private let broker: MQTTBroker
  private let loop: Loop
  private let bag = DisposeBag()
  private(set) var messages: [MQTTMessage] = []

  /// Subscribes, and waits until the broker has accepted the subscription.
  init(_ filter: String, _ scene: Scene) throws {
    broker = MQTTBroker("127.0.0.1", port: Int32(scene.port))
    loop = scene.loop
    var isSubscribed = false
    broker.events([filter]).observe(
      next: { [unowned self] event in
        if case .message(let message) = event { messages.append(message) } else { isSubscribed = true }
      }, termination: { _ in }
    ).dispose(in: bag)
    try loop.run(until: "subscribed") { isSubscribed }
  }

  func wait(count: Int) throws {
    try loop.run(until: "\(count) messages, not \(messages.count)") { [self] in messages.count >= count }
  }

  /// Waits until the change with the number `id` has been delivered `times` times.
  func wait(for id: Int, times: Int = 1) throws {
    let start = Array("\(id)\0".utf8)
    try loop.run(until: "change \(id), \(times) times, among \(messages.count)") { [self] in
      messages.count { $0.payload.starts(with: start) } >= times
    }
  }

  /// Publishes a message, and waits until the broker has acknowledged it.
  func publish(_ message: MQTTMessage) throws {
    let published = Stream.just(message).publish(to: broker).record()
    try loop.run(until: "published") { published.isCompleted }
  }

  func stop() { bag.dispose() }
}
