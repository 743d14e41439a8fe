import CMosquitto
import Dispatch
import Mosquitto
import Streams
import Synchronization

/// What libmosquitto's thread tells.
enum ClientEvent: Sendable {
  /// The broker has answered; zero if it has accepted.
  case connected(Int32)
  /// The qualities that the broker has granted, 128 for a refusal.
  case subscribed([Int32])
  case message(MQTTMessage)
  /// The broker has acknowledged the message with this number.
  case published(Int32)
  /// The connection could not be made or has gone; zero if we have ended it.
  case disconnected(Int32)
}

/// One connection with its thread. It connects once: whoever wants more makes another.
final class Client: @unchecked Sendable {
  // Sendable: libmosquitto's functions lock by themselves, the handlers are disposed by the one who ends the client, and
  // the object is destroyed after the last use.
  private let mosquitto: Mosquitto
  private let handlers = DisposeBag()

  /// How many have not been destroyed yet.
  static let alive = Atomic<Int>(0)

  private static let isInitialised: Void = { mosquitto_lib_init() }()

  // Waits for the threads of clients that have ended: nobody else should.
  private static let reaper = DispatchQueue(label: "MQTT clients")

  var pointer: OpaquePointer { mosquitto.pointer }

  /// Makes a client that hands its events to `take`, on libmosquitto's thread, and starts that thread.
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
    mosquitto.onSubscribe { client, _, count, granted in
      take(.subscribed(Array(UnsafeBufferPointer(start: granted, count: Int(count)))), client)
    }.dispose(in: handlers)
    mosquitto.onMessage { client, message in
      if let message { take(.message(MQTTMessage(copying: message)), client) }
    }.dispose(in: handlers)
    mosquitto.onPublish { client, number in take(.published(number), client) }.dispose(in: handlers)
    mosquitto.onDisconnect { client, code in
      // Or the thread would connect again by itself: that is decided by who observes, with `retry`.
      if code != 0 { mosquitto_disconnect(client) }
      take(.disconnected(code), client)
    }.dispose(in: handlers)
  }

  private func connect(_ broker: MQTTBroker) throws(MQTTError) {
    if let user = broker.user {
      try MQTTError.check(
        mosquitto_username_pw_set(pointer, user, broker.password), "mosquitto_username_pw_set")
    }
    let code = mosquitto_connect_async(pointer, broker.host, broker.port, broker.keepAlive)
    if code == MOSQ_ERR_INVAL.rawValue { throw .invalid(code, call: "mosquitto_connect_async") }
    if code != MOSQ_ERR_SUCCESS.rawValue { throw .disconnected(code) }
    try MQTTError.check(mosquitto_loop_start(pointer), "mosquitto_loop_start")
  }

  /// Takes the handlers away and says goodbye to the broker. The thread ends and everything is freed soon, elsewhere: the
  /// thread may wait for the network.
  func end() {
    // Each handler waits for a call that is under way: libmosquitto has a lock around its calls. What it calls with
    // afterwards, if it does, is dropped and counted.
    handlers.dispose()
    mosquitto_disconnect(pointer)
    Self.reaper.async { [self] in
      mosquitto_loop_stop(pointer, false)
      mosquitto_destroy(pointer)
      Self.alive.subtract(1, ordering: .relaxed)
    }
  }
}
