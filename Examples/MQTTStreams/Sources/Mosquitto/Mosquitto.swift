// Written by wrap-library from mosquitto.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CMosquitto
public import Callbacks
import Glibc

/// A `struct mosquitto`, which it frees.
///
/// If the program owns it, `mosquitto_destroy` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
nonisolated public final class Mosquitto {
  private let storedPointer: OpaquePointer
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false
  private let slots: MosquittoSlots
  private let callback: ForeignCallback<MosquittoSlots?>

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer {
    precondition(!isClosed, "The Mosquitto is closed. Use it before destroy().")
    return storedPointer
  }

  /// The context that all callbacks of the object share.
  public var context: UnsafeMutableRawPointer { callback.context }

  /// Wraps an object of the library.
  ///
  /// - Parameters:
  ///   - pointer: The object.
  ///   - owner: What has to exist as long as the object does.
  ///   - isOwned: True if this object frees it.
  public convenience init(_ pointer: OpaquePointer, owner: Any? = nil, isOwned: Bool) {
    let slots = MosquittoSlots()
    self.init(pointer, owner: owner, isOwned: isOwned, slots, ForeignCallback<MosquittoSlots?> { slots })
  }

  private init(
    _ pointer: OpaquePointer, owner: Any?, isOwned: Bool, _ slots: MosquittoSlots,
    _ callback: ForeignCallback<MosquittoSlots?>
  ) {
    storedPointer = pointer
    retained = owner
    self.isOwned = isOwned
    self.slots = slots
    self.callback = callback
  }

  deinit {
    if isOwned { mosquitto_destroy(storedPointer) }
  }

  /// Frees the object now. Later uses are a programming error.
  ///
  /// C: `mosquitto_destroy`.
  public func destroy() {
    if !isOwned || isClosed { return }
    isOwned = false
    isClosed = true
    mosquitto_destroy(storedPointer)
  }

  private var isNotClosed: Bool { !isClosed }

  /// Sets the C functions while a handler is there.
  private func installConnectCallbackSet() {
    if slots.onConnect.context == nil {
      mosquitto_connect_callback_set(pointer, nil)
    } else {
      mosquitto_connect_callback_set(
        pointer,
        { @Sendable client, context, code in
          guard let context = ForeignCallback<MosquittoSlots?>.call(context, otherwise: nil)?.onConnect.context else {
            return
          }
          OnConnectCallback.call(context, client, code)
        })
    }
  }

  private typealias OnConnectCallback = ForeignCallback<OpaquePointer?, Int32, Void>

  /// Set the connect callback.
  ///
  /// C: `mosquitto_connect_callback_set`.
  public func onConnect(_ body: @escaping @Sendable (_ client: OpaquePointer?, _ code: Int32) -> Void) -> any Disposable
  {
    let callback = OnConnectCallback(body)
    slots.onConnect.claim(callback.context)
    installConnectCallbackSet()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onConnect.release(callback.context)
      installConnectCallbackSet()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installDisconnectCallbackSet() {
    if slots.onDisconnect.context == nil {
      mosquitto_disconnect_callback_set(pointer, nil)
    } else {
      mosquitto_disconnect_callback_set(
        pointer,
        { @Sendable client, context, code in
          guard let context = ForeignCallback<MosquittoSlots?>.call(context, otherwise: nil)?.onDisconnect.context
          else { return }
          OnDisconnectCallback.call(context, client, code)
        })
    }
  }

  private typealias OnDisconnectCallback = ForeignCallback<OpaquePointer?, Int32, Void>

  /// Set the disconnect callback.
  ///
  /// C: `mosquitto_disconnect_callback_set`.
  public func onDisconnect(_ body: @escaping @Sendable (_ client: OpaquePointer?, _ code: Int32) -> Void)
    -> any Disposable
  {
    let callback = OnDisconnectCallback(body)
    slots.onDisconnect.claim(callback.context)
    installDisconnectCallbackSet()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onDisconnect.release(callback.context)
      installDisconnectCallbackSet()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installPublishCallbackSet() {
    if slots.onPublish.context == nil {
      mosquitto_publish_callback_set(pointer, nil)
    } else {
      mosquitto_publish_callback_set(
        pointer,
        { @Sendable client, context, number in
          guard let context = ForeignCallback<MosquittoSlots?>.call(context, otherwise: nil)?.onPublish.context else {
            return
          }
          OnPublishCallback.call(context, client, number)
        })
    }
  }

  private typealias OnPublishCallback = ForeignCallback<OpaquePointer?, Int32, Void>

  /// Set the publish callback.
  ///
  /// C: `mosquitto_publish_callback_set`.
  public func onPublish(_ body: @escaping @Sendable (_ client: OpaquePointer?, _ number: Int32) -> Void)
    -> any Disposable
  {
    let callback = OnPublishCallback(body)
    slots.onPublish.claim(callback.context)
    installPublishCallbackSet()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onPublish.release(callback.context)
      installPublishCallbackSet()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installMessageCallbackSet() {
    if slots.onMessage.context == nil {
      mosquitto_message_callback_set(pointer, nil)
    } else {
      mosquitto_message_callback_set(
        pointer,
        { @Sendable client, context, message in
          guard let context = ForeignCallback<MosquittoSlots?>.call(context, otherwise: nil)?.onMessage.context else {
            return
          }
          OnMessageCallback.call(context, client, message.map { Message(copying: $0.pointee) })
        })
    }
  }

  private typealias OnMessageCallback = ForeignCallback<OpaquePointer?, Message?, Void>

  /// Set the message callback.
  ///
  /// C: `mosquitto_message_callback_set`.
  public func onMessage(_ body: @escaping @Sendable (_ client: OpaquePointer?, _ message: Message?) -> Void)
    -> any Disposable
  {
    let callback = OnMessageCallback(body)
    slots.onMessage.claim(callback.context)
    installMessageCallbackSet()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onMessage.release(callback.context)
      installMessageCallbackSet()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSubscribeCallbackSet() {
    if slots.onSubscribe.context == nil {
      mosquitto_subscribe_callback_set(pointer, nil)
    } else {
      mosquitto_subscribe_callback_set(
        pointer,
        { @Sendable client, context, number, qosCount, granted in
          guard let context = ForeignCallback<MosquittoSlots?>.call(context, otherwise: nil)?.onSubscribe.context else {
            return
          }
          OnSubscribeCallback.call(
            context, client, number,
            [Int32](UnsafeBufferPointer(start: granted, count: granted == nil ? 0 : max(0, Int(qosCount)))))
        })
    }
  }

  private typealias OnSubscribeCallback = ForeignCallback<OpaquePointer?, Int32, [Int32], Void>

  /// Set the subscribe callback.
  ///
  /// C: `mosquitto_subscribe_callback_set`.
  public func onSubscribe(
    _ body: @escaping @Sendable (_ client: OpaquePointer?, _ number: Int32, _ granted: [Int32]) -> Void
  ) -> any Disposable {
    let callback = OnSubscribeCallback(body)
    slots.onSubscribe.claim(callback.context)
    installSubscribeCallbackSet()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onSubscribe.release(callback.context)
      installSubscribeCallbackSet()
      callback.disarm()
    }
  }

  /// Create a new mosquitto client instance.
  ///
  /// C: `mosquitto_new`.
  public convenience init(id: String?, cleanSession: Bool) throws(MosquittoFailure) {
    let slots = MosquittoSlots()
    let callback = ForeignCallback<MosquittoSlots?> { slots }
    let result = mosquitto_new(id, cleanSession, callback.context)
    guard let result else {
      throw MosquittoFailure(function: "mosquitto_new", code: 0, message: String(cString: Glibc.strerror(errno)))
    }
    self.init(result, owner: nil, isOwned: true, slots, callback)
  }

  /// Configure username and password for a mosquitto instance.
  ///
  /// C: `mosquitto_username_pw_set`.
  public func usernamePwSet(_ username: String?, password: String?) throws(MosquittoFailure) {
    let result = mosquitto_username_pw_set(pointer, username, password)
    if result != 0 { throw MosquittoFailure(function: "mosquitto_username_pw_set", code: Int(result)) }
  }

  /// Connect to an MQTT broker.
  ///
  /// C: `mosquitto_connect_async`.
  public func connectAsync(_ host: String, port: Int32, keepalive: Int32) throws(MosquittoFailure) {
    let result = mosquitto_connect_async(pointer, host, port, keepalive)
    if result != 0 { throw MosquittoFailure(function: "mosquitto_connect_async", code: Int(result)) }
  }

  /// Disconnect from the broker.
  ///
  /// C: `mosquitto_disconnect`.
  public func disconnect() throws(MosquittoFailure) {
    let result = mosquitto_disconnect(pointer)
    if result != 0 { throw MosquittoFailure(function: "mosquitto_disconnect", code: Int(result)) }
  }

  /// Publish a message on a given topic.
  ///
  /// C: `mosquitto_publish`.
  public func publish(_ topic: String, payload: Span<UInt8>, qos: Int32, retain: Bool) throws(MosquittoFailure) -> Int32
  {
    var mid: Int32 = 0
    let result = payload.withUnsafeBytes { payload in
      mosquitto_publish(pointer, &mid, topic, Int32(payload.count), payload.baseAddress, qos, retain)
    }
    if result != 0 { throw MosquittoFailure(function: "mosquitto_publish", code: Int(result)) }
    return mid
  }

  /// Subscribe to a topic.
  ///
  /// C: `mosquitto_subscribe`.
  public func subscribe(_ sub: String, qos: Int32) throws(MosquittoFailure) -> Int32 {
    var mid: Int32 = 0
    let result = mosquitto_subscribe(pointer, &mid, sub, qos)
    if result != 0 { throw MosquittoFailure(function: "mosquitto_subscribe", code: Int(result)) }
    return mid
  }

  /// This is part of the threaded client interface.
  ///
  /// C: `mosquitto_loop_start`.
  public func loopStart() throws(MosquittoFailure) {
    let result = mosquitto_loop_start(pointer)
    if result != 0 { throw MosquittoFailure(function: "mosquitto_loop_start", code: Int(result)) }
  }

  /// This is part of the threaded client interface.
  ///
  /// C: `mosquitto_loop_stop`.
  public func loopStop(_ force: Bool) throws(MosquittoFailure) {
    let result = mosquitto_loop_stop(pointer, force)
    if result != 0 { throw MosquittoFailure(function: "mosquitto_loop_stop", code: Int(result)) }
  }
}

/// The handlers that are there.
nonisolated private final class MosquittoSlots: Sendable {
  let onConnect = CallbackPlace()
  let onDisconnect = CallbackPlace()
  let onPublish = CallbackPlace()
  let onMessage = CallbackPlace()
  let onSubscribe = CallbackPlace()
}
