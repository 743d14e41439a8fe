import CMosquitto
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
  private let mosquitto: Mosquitto
  private let handlers = DisposeBag()

  /// The number of clients that have not been destroyed.
  static let alive = Atomic<Int>(0)

  private static let isInitialised: Void = { mosquitto_lib_init() }()

  // Waits for the threads of ended clients, so that no other thread blocks.
  private static let reaper = DispatchQueue(label: "MQTT clients")

  var pointer: OpaquePointer { mosquitto.pointer }

  /// Creates a client and starts libmosquitto's thread, which calls `take` with each event.
  init(_ broker: MQTTBroker, _ take: @escaping @Sendable (ClientEvent, _ client: OpaquePointer?) -> Void)
    throws(MQTTError)
  {
    Self.isInitialised
    guard let mosquitto = Mosquitto({ mosquitto_new(broker.name, broker.name == nil, $0) }) else {
      throw .invalid(MOSQ_ERR_INVAL.rawValue, call: "mosquitto_new")
    }
    self.mosquitto = mosquitto
    observe(take)
    do throws(MQTTError) {
      try connect(broker)
    } catch {
      handlers.dispose()
      mosquitto_destroy(pointer)
      throw error
    }
    Self.alive.add(1, ordering: .relaxed)
  }

  private func observe(_ take: @escaping @Sendable (ClientEvent, _ client: OpaquePointer?) -> Void) {
    mosquitto.onConnect { client, code in take(.connected(code), client) }.dispose(in: handlers)
    mosquitto.onSubscribe { client, _, granted in take(.subscribed(granted), client) }.dispose(in: handlers)
    mosquitto.onMessage { client, message in
      if let message { take(.message(MQTTMessage(copying: message)), client) }
    }.dispose(in: handlers)
    mosquitto.onPublish { client, number in take(.published(number), client) }.dispose(in: handlers)
    mosquitto.onDisconnect { client, code in
      let error = MQTTError.lost(code)
      // Otherwise the thread would connect again by itself. The observer decides that, with `retry`.
      if code != 0 { mosquitto_disconnect(client) }
      take(.disconnected(error), client)
    }.dispose(in: handlers)
  }

  private func connect(_ broker: MQTTBroker) throws(MQTTError) {
    if let user = broker.user {
      try MQTTError.check(
        mosquitto_username_pw_set(pointer, user, broker.password), "mosquitto_username_pw_set")
    }
    let code = mosquitto_connect_async(pointer, broker.host, broker.port, broker.keepAlive)
    if code == MOSQ_ERR_INVAL.rawValue { throw .invalid(code, call: "mosquitto_connect_async") }
    if code != MOSQ_ERR_SUCCESS.rawValue { throw .lost(code) }
    try MQTTError.check(mosquitto_loop_start(pointer), "mosquitto_loop_start")
  }

  /// Removes the handlers and disconnects, without blocking. The reaper waits for libmosquitto's thread, which may be waiting for
  /// the network, and frees the object.
  func end() {
    // Removing a handler waits for its running call, because libmosquitto holds a lock around the calls. Later calls are dropped
    // and counted.
    handlers.dispose()
    mosquitto_disconnect(pointer)
    Self.reaper.async { [self] in
      mosquitto_loop_stop(pointer, false)
      mosquitto_destroy(pointer)
      Self.alive.subtract(1, ordering: .relaxed)
    }
  }
}
