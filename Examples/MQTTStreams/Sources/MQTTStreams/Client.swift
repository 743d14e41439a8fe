import CMosquitto
import Callbacks
import Dispatch
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

/// The callback of a client: one context for all of libmosquitto's functions (C1). It comes from libmosquitto's thread.
typealias ClientCallback = ForeignCallback<OpaquePointer?, ClientEvent, Void>

/// One connection with its thread. It connects once: whoever wants more makes another.
final class Client: @unchecked Sendable {
  // Sendable: libmosquitto's functions lock by themselves, and `pointer` is destroyed after the last use.
  let pointer: OpaquePointer

  /// How many have not been destroyed yet.
  static let alive = Atomic<Int>(0)

  private static let isInitialised: Void = { mosquitto_lib_init() }()

  // Waits for the threads of clients that have ended: nobody else should.
  private static let reaper = DispatchQueue(label: "MQTT clients")

  /// Makes a client that calls `callback`, and starts its thread.
  init(_ broker: MQTTBroker, _ callback: ClientCallback) throws(MQTTError) {
    Self.isInitialised
    guard let pointer = mosquitto_new(broker.name, broker.name == nil, callback.context) else {
      throw .invalid(MOSQ_ERR_INVAL.rawValue, call: "mosquitto_new")
    }
    self.pointer = pointer
    do throws(MQTTError) {
      try connect(broker)
    } catch {
      mosquitto_destroy(pointer)
      throw error
    }
    Self.alive.add(1, ordering: .relaxed)
  }

  private func connect(_ broker: MQTTBroker) throws(MQTTError) {
    setCallbacks()
    if let user = broker.user {
      try MQTTError.check(
        mosquitto_username_pw_set(pointer, user, broker.password), "mosquitto_username_pw_set")
    }
    let code = mosquitto_connect_async(pointer, broker.host, broker.port, broker.keepAlive)
    if code == MOSQ_ERR_INVAL.rawValue { throw .invalid(code, call: "mosquitto_connect_async") }
    if code != MOSQ_ERR_SUCCESS.rawValue { throw .disconnected(code) }
    try MQTTError.check(mosquitto_loop_start(pointer), "mosquitto_loop_start")
  }

  private func setCallbacks() {
    mosquitto_connect_callback_set(pointer) { ClientCallback.call($1, $0, .connected($2)) }
    mosquitto_subscribe_callback_set(pointer) { client, context, _, count, granted in
      ClientCallback.call(
        context, client, .subscribed(Array(UnsafeBufferPointer(start: granted, count: Int(count)))))
    }
    mosquitto_message_callback_set(pointer) { client, context, message in
      if let message { ClientCallback.call(context, client, .message(MQTTMessage(copying: message))) }
    }
    mosquitto_publish_callback_set(pointer) { ClientCallback.call($1, $0, .published($2)) }
    mosquitto_disconnect_callback_set(pointer) { client, context, code in
      // Or the thread would connect again by itself: that is decided by who observes, with `retry`.
      if code != 0 { mosquitto_disconnect(client) }
      ClientCallback.call(context, client, .disconnected(code))
    }
  }

  /// Cancels `callback` and says goodbye to the broker. The thread ends and everything is freed soon, elsewhere: the thread
  /// may wait for the network.
  func end(_ callback: ClientCallback) {
    // Each of these waits for a call that is under way: libmosquitto has a lock around its calls. What it calls with
    // afterwards, if it does, is dropped and counted.
    mosquitto_message_callback_set(pointer, nil)
    mosquitto_publish_callback_set(pointer, nil)
    mosquitto_subscribe_callback_set(pointer, nil)
    mosquitto_connect_callback_set(pointer, nil)
    mosquitto_disconnect_callback_set(pointer, nil)
    callback.cancel()
    mosquitto_disconnect(pointer)
    Self.reaper.async { [self] in
      mosquitto_loop_stop(pointer, false)
      mosquitto_destroy(pointer)
      Self.alive.subtract(1, ordering: .relaxed)
    }
  }
}
