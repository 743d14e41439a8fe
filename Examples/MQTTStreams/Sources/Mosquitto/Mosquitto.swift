// Written by wrap-library from mosquitto.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CMosquitto
public import Callbacks
import Synchronization

/// The callbacks of a `struct mosquitto`.
///
/// The closure of `init` makes the object, and you destroy it, after disposing the subscriptions to its callbacks.
public final class Mosquitto {
  /// The object of the library.
  public let pointer: OpaquePointer
  private let slots: MosquittoSlots
  private let callback: ForeignCallback<MosquittoSlots?>

  /// The context that all callbacks of the object share.
  public var context: UnsafeMutableRawPointer { callback.context }

  /// Wraps an object that `make` makes with the context, which `mosquitto_new` takes. Nil if that returns nil.
  public init?(_ make: (_ context: UnsafeMutableRawPointer) -> OpaquePointer?) {
    let slots = MosquittoSlots()
    let callback = ForeignCallback<MosquittoSlots?> { slots }
    guard let pointer = make(callback.context) else { return nil }
    self.pointer = pointer
    self.slots = slots
    self.callback = callback
  }

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
          OnMessageCallback.call(context, client, message)
        })
    }
  }

  private typealias OnMessageCallback = ForeignCallback<OpaquePointer?, UnsafePointer<mosquitto_message>?, Void>

  /// Set the message callback.
  ///
  /// C: `mosquitto_message_callback_set`.
  public func onMessage(
    _ body: @escaping @Sendable (_ client: OpaquePointer?, _ message: UnsafePointer<mosquitto_message>?) -> Void
  ) -> any Disposable {
    let callback = OnMessageCallback(body)
    slots.onMessage.claim(callback.context)
    installMessageCallbackSet()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
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
      slots.onSubscribe.release(callback.context)
      installSubscribeCallbackSet()
      callback.disarm()
    }
  }
}

/// The contexts of the handlers that are there.
private final class MosquittoSlots: Sendable {
  let onConnect = Atomic<UInt>(0)
  let onDisconnect = Atomic<UInt>(0)
  let onPublish = Atomic<UInt>(0)
  let onMessage = Atomic<UInt>(0)
  let onSubscribe = Atomic<UInt>(0)
}

extension Atomic where Value == UInt {
  /// The context that is in here.
  fileprivate var context: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: load(ordering: .acquiring)) }

  /// Replaces the context.
  fileprivate func claim(_ context: UnsafeMutableRawPointer) {
    store(UInt(bitPattern: context), ordering: .releasing)
  }

  /// Removes the context, unless another one has replaced it.
  fileprivate func release(_ context: UnsafeMutableRawPointer) {
    _ = compareExchange(expected: UInt(bitPattern: context), desired: 0, ordering: .acquiringAndReleasing)
  }
}
