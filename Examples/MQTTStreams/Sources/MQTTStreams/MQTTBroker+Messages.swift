import Mosquitto
public import Streams

/// The policy for messages that are received faster than they are delivered.
public enum MQTTOverflow: Sendable, Hashable {
  /// Blocks libmosquitto's thread until there is room, so the broker holds the messages and none is lost. If that takes longer
  /// than one and a half times `keepAlive`, the broker considers the connection broken.
  case wait
  /// Drops the oldest message. `lostBefore` of the next delivered message is the number of dropped ones.
  case dropOldest
  /// Drops the newest message. `lostBefore` of the next delivered message is the number of dropped ones.
  case dropNewest
}

/// An event of a subscription.
public enum MQTTEvent: Sendable, Hashable {
  /// The broker has accepted the subscription. Messages that are published from now on are delivered.
  case subscribed
  /// The broker has sent a message.
  case message(MQTTMessage)
}

extension MQTTBroker {
  /// Returns a cold stream of the messages whose topic matches one of `filters`, in the order of the broker.
  ///
  /// Each observer has its own connection and thread. At most `capacity` messages are held, also while the observer is paused;
  /// `policy` decides about further ones. Fails if the broker cannot be reached, refuses the connection or a filter, or ends the
  /// connection; earlier messages are delivered first. Never completes. `retry(_:delay:)` connects again. Disposing ends the
  /// connection.
  public func messages(
    _ filters: String..., quality: MQTTQuality = .atLeastOnce, capacity: Int = 1024,
    whenFull policy: MQTTOverflow = .wait
  ) -> Operation<MQTTMessage, MQTTError> {
    events(filters, quality: quality, capacity: capacity, whenFull: policy)
      .map { event -> MQTTMessage? in if case .message(let message) = event { message } else { nil } }
      .ignoreNil()
  }

  /// Returns a cold stream of the messages whose topic matches one of `filters`, and of the start of the subscription.
  ///
  /// Observing connects and subscribes. Each observer has its own connection and thread. Events are delivered at home, in the
  /// order of the broker. At most `capacity` events are held, also while the observer is paused; `policy` decides about further
  /// ones. A policy that drops messages can also drop `subscribed`. Fails if the broker cannot be reached, refuses the connection
  /// or a filter, or ends the connection; earlier events are delivered first. Never completes. `retry(_:delay:)` connects again.
  /// Disposing ends the connection, and messages in flight are dropped.
  public func events(
    _ filters: [String], quality: MQTTQuality = .atLeastOnce, capacity: Int = 1024,
    whenFull policy: MQTTOverflow = .wait
  ) -> Operation<MQTTEvent, MQTTError> {
    Operation { observer in
      let arrivals = Arrivals(filters, quality, capacity, policy)
      var expected = 0
      let delivery = arrivals.inlet.stream.observe(
        next: { arrival in
          arrivals.valve?.leave()
          observer.next(arrival.event(expected: expected))
          if arrival.message != nil { expected = arrival.number + 1 }
        },
        termination: { _ in observer.failed(arrivals.failure ?? .disconnected(MosqErr.connLost.rawValue)) })
      do throws(MQTTError) {
        let client = try Client(self) { arrivals.take($0, from: $1) }
        return BlockDisposable(
          {
            delivery.dispose()
            // Wakes libmosquitto's thread, which may be waiting inside its callback.
            arrivals.valve?.end()
            client.end()
          }, pause: { delivery.pause() }, resume: { delivery.resume() })
      } catch {
        delivery.dispose()
        observer.failed(error)
        return .none
      }
    }
  }
}
