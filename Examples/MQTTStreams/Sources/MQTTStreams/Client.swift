import Dispatch
import Mosquitto
import Streams
import Synchronization

/// An event that libmosquitto's thread reports.
enum ClientEvent: Sendable {
  /// The broker has responded to the request to connect; zero if it has accepted.
  case connected(Int32)
  /// The broker has responded to a subscription: with the granted qualities of service, or 128 for a refusal.
  case subscribed([Int32])
  case message(MQTTMessage)
  /// The broker has acknowledged the message with this number.
  case published(Int32)
  /// The connection could not be made or has ended.
  case disconnected(MQTTError)
}

/// One connection to a broker, with libmosquitto's thread for it. A client connects only once.
final class Client: @unchecked Sendable {
  // Sendable, because libmosquitto's functions lock its object, the domain that ends the client also disposes the handlers, and
  // the object is destroyed after its last use.
  let mosquitto: Mosquitto
  private let handlers = DisposeBag()

  /// The number of clients that have not been destroyed.
  static let alive = Atomic<Int>(0)

  private static let isInitialised: Void = { try? MosquittoLibrary.libInit() }()

  // Waits for the threads of ended clients, so that no other thread blocks.
  private static let reaper = DispatchQueue(label: "MQTT clients")

  /// Creates a client and starts libmosquitto's thread, which calls `take` with each event.
  init(_ broker: MQTTBroker, _ take: @escaping @Sendable (ClientEvent, _ client: Client) -> Void) throws(MQTTError) {
    Self.isInitialised
    do {
      mosquitto = try Mosquitto(id: broker.name, cleanSession: broker.name == nil)
    } catch {
      throw .invalid(MosqErr.inval.rawValue, call: error.function)
    }
    observe(take)
    try connect(broker)
    Self.alive.add(1, ordering: .relaxed)
  }

  private func observe(_ take: @escaping @Sendable (ClientEvent, _ client: Client) -> Void) {
    let take = { @Sendable [unowned self] event in take(event, self) }
    mosquitto.onConnect { _, code in take(.connected(code)) }.dispose(in: handlers)
    mosquitto.onSubscribe { _, _, granted in take(.subscribed(granted)) }.dispose(in: handlers)
    mosquitto.onMessage { _, message in if let message { take(.message(MQTTMessage(message))) } }.dispose(in: handlers)
    mosquitto.onPublish { _, number in take(.published(number)) }.dispose(in: handlers)
    mosquitto.onDisconnect { [unowned self] _, code in
      let error = MQTTError.lost(code)
      // Otherwise the thread would connect again by itself. The observer decides that, with `retry`.
      if code != 0 { try? mosquitto.disconnect() }
      take(.disconnected(error))
    }.dispose(in: handlers)
  }

  private func connect(_ broker: MQTTBroker) throws(MQTTError) {
    do {
      if let user = broker.user { try mosquitto.usernamePwSet(user, password: broker.password) }
      try mosquitto.connectAsync(broker.host, port: broker.port, keepalive: broker.keepAlive)
      try mosquitto.loopStart()
    } catch {
      if error.function == "mosquitto_connect_async", error.code != MosqErr.inval.rawValue {
        throw .lost(Int32(error.code))
      }
      throw MQTTError(error)
    }
  }

  /// Removes the handlers and disconnects, without blocking. The reaper waits for libmosquitto's thread, which may be waiting for
  /// the network, and frees the object.
  func end() {
    // Removing a handler waits for its running call, because libmosquitto holds a lock around the calls. Later calls are dropped
    // and counted.
    handlers.dispose()
    try? mosquitto.disconnect()
    Self.reaper.async { [self] in
      try? mosquitto.loopStop(false)
      mosquitto.destroy()
      Self.alive.subtract(1, ordering: .relaxed)
    }
  }
}
