import CMosquitto
public import Streams

/// What becomes of messages that come faster than they are taken.
public enum MQTTOverflow: Sendable, Hashable {
  /// Nothing is lost: we read no more until there is room, and the broker keeps what comes. A pause that is longer than
  /// one and a half times `keepAlive` looks to the broker like a broken connection.
  case wait
  /// The oldest are dropped. `lostBefore` of the next one says how many.
  case dropOldest
  /// The newest are dropped. `lostBefore` of the next one says how many.
  case dropNewest
}

/// What a subscription delivers.
public enum MQTTEvent: Sendable, Hashable {
  /// The broker has accepted the subscription: what is published from now on arrives.
  case subscribed
  /// A message has arrived.
  case message(MQTTMessage)
}

extension MQTTBroker {
  /// The messages of all topics that one of `filters` matches, in the order in which the broker sends them.
  ///
  /// As `events`, without the notice that the subscription has begun.
  public func messages(
    _ filters: String..., quality: MQTTQuality = .atLeastOnce, capacity: Int = 1024,
    whenFull policy: MQTTOverflow = .wait
  ) -> Operation<MQTTMessage, MQTTError> {
    events(filters, quality: quality, capacity: capacity, whenFull: policy)
      .map { event -> MQTTMessage? in if case .message(let message) = event { message } else { nil } }
      .ignoreNil()
  }

  /// Connects and subscribes when observed; each observer has a connection and a thread of its own.
  ///
  /// Messages arrive at home, in order. At most `capacity` of them wait there, also while the observer pauses; `policy`
  /// says what becomes of more. Under a policy that drops, `subscribed` may be among what is dropped. Fails once, after
  /// what came before: when the broker cannot be reached, refuses, or has gone. It never completes. `retry(_:delay:)` connects
  /// again. Disposing ends the connection; nothing arrives after that, whatever is in flight.
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
          expected = arrival.number + 1
        },
        termination: { _ in observer.failed(arrivals.failure ?? .disconnected(MOSQ_ERR_CONN_LOST.rawValue)) })
      do throws(MQTTError) {
        let client = try Client(self) { arrivals.take($0, from: $1) }
        return BlockDisposable(
          {
            delivery.dispose()
            // The thread may wait there, inside of the callback.
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
