import Headwater
import MQTTStreams

/// The broker and the topics that a fleet uses. All topics begin with one name.
struct Meeting {
  let broker: MQTTBroker
  let topic: String

  /// The topic of a node's changes, which the node sends.
  func changes(_ node: String) -> String { "\(topic)/changes/\(node)" }
  /// The topic of a node's last stored number, which the collector sends. The broker retains the last message.
  func stored(_ node: String) -> String { "\(topic)/stored/\(node)" }
  /// The topic on which the collector refuses the changes of a node.
  func refused(_ node: String) -> String { "\(topic)/refused/\(node)" }
  /// The topic on which the collector announces that it has connected.
  var collector: String { "\(topic)/collector" }
}

/// A subscription and a publisher. Each reconnects half a second after it has failed.
final class Link {
  /// Whether the broker has accepted the subscription, so that answers will be delivered.
  private(set) var isSubscribed = false
  private let meeting: Meeting
  private let fail: (FleetError) -> Void
  private let wakes = PushStream<Void>()
  private var hasComplained = false

  /// Creates a link that does nothing yet. `fail` receives the errors that a new attempt cannot fix.
  init(_ meeting: Meeting, fail: @escaping (FleetError) -> Void) {
    self.meeting = meeting
    self.fail = fail
  }

  /// Subscribes to `filters`. If `session` is not nil, the broker keeps the session under this name.
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

  /// Publishes the messages that `next` returns until it returns nil, and continues at each call of `wake()`.
  ///
  /// Calls `connected` at the beginning of each connection. Messages of the previous connection may or may not have been
  /// delivered.
  func send(connected: @escaping () -> Void, _ next: @escaping () -> MQTTMessage?) -> any Disposable {
    let wakes = wakes
    let messages = Stream<MQTTMessage>.deferred {
      connected()
      // A full window pauses the sequence. A wake-up during the pause is dropped, because the sequence continues anyway.
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
