import Headwater
import MQTTStreams

/// Where the fleet meets: the broker, and the topics that begin with one name.
struct Meeting {
  let broker: MQTTBroker
  let topic: String

  /// The changes of a node, from the node.
  func changes(_ node: String) -> String { "\(topic)/changes/\(node)" }
  /// The last number of a node that is stored, from the collector. Kept by the broker.
  func stored(_ node: String) -> String { "\(topic)/stored/\(node)" }
  /// That the changes of a node are refused, from the collector.
  func refused(_ node: String) -> String { "\(topic)/refused/\(node)" }
  /// That the collector listens from now on.
  var collector: String { "\(topic)/collector" }
}

/// A subscription and a publisher, each connected again half a second after it has failed.
final class Link {
  /// Whether the broker has accepted the subscription, so that an answer to what is sent will be delivered.
  private(set) var isSubscribed = false
  private let meeting: Meeting
  private let fail: (FleetError) -> Void
  private let wakes = PushStream<Void>()
  private var hasComplained = false

  /// `fail` gets what trying again will not change.
  init(_ meeting: Meeting, fail: @escaping (FleetError) -> Void) {
    self.meeting = meeting
    self.fail = fail
  }

  /// Subscribes to `filters`, with a session that the broker keeps if it has a name.
  func receive(_ filters: [String], session: String? = nil, _ take: @escaping (MQTTEvent) -> Void) -> any Disposable {
    var broker = meeting.broker
    broker.name = session
    return broker.events(filters)
      .doOn(failed: { [unowned self] error in
        isSubscribed = false
        lost(error)
      })
      .retry(.max, delay: .milliseconds(500))
      .toStream(logError: false)
      .observeNext { [unowned self] event in
        if event == .subscribed {
          isSubscribed = true
          hasComplained = false
          note("connected to \(broker.host):\(broker.port)")
        }
        take(event)
      }
  }

  /// Publishes what `next` returns until it returns nil, and again from then on whenever `wake()` is called.
  ///
  /// `connected` is called at the beginning of each connection. Messages of the connection before may or may not have
  /// arrived.
  func send(connected: @escaping () -> Void, _ next: @escaping () -> MQTTMessage?) -> any Disposable {
    let wakes = wakes
    let messages = Stream<MQTTMessage>.deferred {
      connected()
      // A full window pauses the sequence in the middle; what wakes it meanwhile is found when it goes on.
      return wakes.start(with: ()).flatMap(.throttle) { Stream.sequence(AnyIterator(next)) }
    }
    return messages.publish(to: meeting.broker, window: 100)
      .doOn(failed: { [unowned self] in lost($0) })
      .retry(.max, delay: .milliseconds(500))
      .toStream(logError: false)
      .observeNext { _ in }
  }

  /// Asks for messages again.
  func wake() { wakes.next() }

  private func lost(_ error: MQTTError) {
    if case .invalid = error { return fail(.invalid(error)) }
    if hasComplained { return }
    hasComplained = true
    let broker = meeting.broker
    note("no connection to \(broker.host):\(broker.port): \(error) Trying again until there is one.")
  }
}
