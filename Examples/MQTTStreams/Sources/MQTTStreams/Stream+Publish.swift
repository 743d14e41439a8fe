import DequeModule
import Mosquitto
public import Streams

extension StreamProtocol where Element == MQTTMessage, Failure == Never {
  /// Publishes each element, and emits it when the broker has acknowledged it. An element with QoS 0 is emitted when it has
  /// been sent.
  ///
  /// Connects when observed, and observes this stream when the broker has accepted the connection. Completes when this stream has
  /// completed and all messages are acknowledged. Fails if the broker cannot be reached, refuses the connection, or ends it;
  /// unacknowledged messages may or may not have reached the broker. Disposing ends the connection. Pausing pauses this stream,
  /// but messages that are acknowledged meanwhile are still emitted.
  ///
  /// - Parameters:
  ///   - broker: The broker. Each observer has its own connection and thread.
  ///   - window: The largest number of unacknowledged messages, from 1 to 60,000. When it is reached, this stream is paused until
  ///     half of them are acknowledged. MQTT has 65,535 numbers, so the 65,535th message after one that is not acknowledged waits
  ///     for it, too. What a stream emits that cannot pause waits here, without a bound.
  public func publish(to broker: MQTTBroker, window: Int = 1000) -> Operation<MQTTMessage, MQTTError> {
    // MQTT numbers unacknowledged messages with 16 bits.
    let window = min(max(1, window), 60_000)
    return Operation { observer in
      let publishing = Publishing(observer, window)
      // At most one event waits for each message of the window, and some about the connection.
      let inlet = Inlet<ClientEvent>(
        capacity: window + 8, whenFull: .dropNewest, keepsLoopAlive: false, isolation: nil)
      let delivery = inlet.stream.observeNext { event in publishing.take(event, self) }
      do throws(MQTTError) {
        let client = try Client(broker) { event, _ in inlet.send(event) }
        publishing.client = client
        return BlockDisposable(
          {
            publishing.upstream.dispose()
            publishing.client = nil
            delivery.dispose()
            client.end()
          }, pause: { publishing.pause() }, resume: { publishing.resume() })
      } catch {
        delivery.dispose()
        observer.failed(error)
        return .none
      }
    }
  }
}

/// The state of one observer: the unacknowledged messages, and the subscription to the stream that is published.
private final class Publishing {
  private let observer: Observer<MQTTMessage, MQTTError>
  private let window: Int
  let upstream: Subscription
  var client: Client?
  private var messages: [Int32: MQTTMessage] = [:]
  /// The messages beyond the window, of a source that does not pause.
  private var waiting: Deque<MQTTMessage> = []
  /// The last key of the messages without a number: each counts for the window, or a long stream would go on without end.
  private var unnumbered: Int32 = 0
  /// The number that libmosquitto gives to the next message. It counts from 1 to 65,535, and then from 1 again.
  private var nextNumber: Int32 = 1
  private var hasConnected = false
  private var hasCompleted = false
  private var isFull = false
  private var isPausedDownstream = false
  /// False while the window is full, or an old message without an acknowledgement has the number of the next one.
  private var hasRoom: Bool { messages.count < window && messages[nextNumber] == nil }

  init(_ observer: Observer<MQTTMessage, MQTTError>, _ window: Int) {
    self.observer = observer
    self.window = window
    upstream = Subscription(downstream: observer.subscription)
  }

  func take(_ event: ClientEvent, _ source: some StreamProtocol<MQTTMessage, Never>) {
    switch event {
    case .connected(0):
      if hasConnected { return }
      hasConnected = true
      let upstream = upstream
      upstream.attach(
        source.subscribe(
          Observer(
            for: upstream, next: { [unowned self] in publish($0) }, termination: { [unowned self] _ in complete() })))
    case .connected(let code): observer.failed(.refused(code))
    case .published(let number):
      guard let message = messages.removeValue(forKey: number) else { return }
      observer.next(message)
      while hasRoom, let next = waiting.popFirst() { send(next) }
      if isFull, hasRoom, messages.count <= window / 2 {
        isFull = false
        update()
      }
      completeWhenDone()
    case .disconnected(let error): observer.failed(error)
    case .subscribed, .message: break
    }
  }

  private func publish(_ message: MQTTMessage) {
    // Also if there is room, because the observer of a message can make the source emit another one.
    if hasRoom, waiting.isEmpty { send(message) } else { waiting.append(message) }
  }

  private func send(_ message: MQTTMessage) {
    guard let client else { return }
    if message.topic.utf8.contains(0) { return observer.failed(.zeroByte(in: "mosquitto_publish")) }
    do {
      let number = try client.mosquitto.publish(
        message.topic, payload: message.payload.span, qos: message.quality.rawValue, retain: message.isRetained)
      messages[number] = message
      nextNumber = number % 65_535 + 1
    } catch {
      // If the connection has just been lost, the event `disconnected` reports it, and the message never gets a number.
      if ![MosqErr.noConn, .connLost].map({ Int($0.rawValue) }).contains(error.code) {
        return observer.failed(MQTTError(error))
      }
      unnumbered -= 1
      messages[unnumbered] = message
    }
    if !hasRoom {
      isFull = true
      update()
    }
  }

  private func complete() {
    hasCompleted = true
    upstream.dispose()
    completeWhenDone()
  }

  private func completeWhenDone() { if hasCompleted, messages.isEmpty, waiting.isEmpty { observer.completed() } }

  func pause() {
    isPausedDownstream = true
    update()
  }

  func resume() {
    isPausedDownstream = false
    update()
  }

  private func update() { isFull || isPausedDownstream ? upstream.pause() : upstream.resume() }
}
