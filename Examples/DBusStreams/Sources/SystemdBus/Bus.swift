// Written by wrap-library from systemd/sd-bus.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CSystemdBus
public import Callbacks

/// A `struct sd_bus`, which it frees.
///
/// If the program owns it, `sd_bus_unref` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
nonisolated public final class Bus {
  private let storedPointer: OpaquePointer
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer {
    precondition(!isClosed, "The Bus is closed. Use it before release().")
    return storedPointer
  }

  /// Wraps an object of the library.
  ///
  /// - Parameters:
  ///   - pointer: The object.
  ///   - owner: What has to exist as long as the object does.
  ///   - isOwned: True if this object frees it.
  public init(_ pointer: OpaquePointer, owner: Any? = nil, isOwned: Bool) {
    storedPointer = pointer
    retained = owner
    self.isOwned = isOwned
  }

  deinit {
    if isOwned { _ = sd_bus_unref(storedPointer) }
  }

  /// Frees the object now. Later uses are a programming error.
  ///
  /// C: `sd_bus_unref`.
  public func release() {
    if !isOwned || isClosed { return }
    isOwned = false
    isClosed = true
    _ = sd_bus_unref(storedPointer)
  }

  private typealias ReplyCallback = OnceCallback<BusMessage?, UnsafeMutablePointer<sd_bus_error>?, Int32>

  /// Callbacks.
  ///
  /// C: `sd_bus_call_async`.
  public func reply(
    _ m: BusMessage?, usec: UInt64,
    _ answer: @escaping (_ m: BusMessage?, _ retError: UnsafeMutablePointer<sd_bus_error>?) -> Int32
  ) throws(SystemdBusFailure) -> any Disposable {
    let callback = ReplyCallback(answer)
    var made: OpaquePointer?
    let status = sd_bus_call_async(
      pointer, &made, m?.pointer,
      { m, context, retError in ReplyCallback.call(context, BusMessage(lent: m), retError, otherwise: 0) },
      callback.context, usec)
    if status < 0 {
      callback.disarm()
      throw SystemdBusFailure(function: "sd_bus_call_async", code: Int(status))
    }
    let registration = made
    return BlockDisposable {
      _ = sd_bus_slot_unref(registration)
      callback.disarm()
    }
  }

  /// The closures for `sd_bus_add_match_async`.
  private struct AddMatchAsyncFunctions {
    let message: ((_ m: BusMessage?, _ retError: UnsafeMutablePointer<sd_bus_error>?) -> Int32)?
    let installed: ((_ m: BusMessage?, _ retError: UnsafeMutablePointer<sd_bus_error>?) -> Int32)?
  }

  private typealias AddMatchAsyncCallback = RepeatingCallback<AddMatchAsyncFunctions?>

  /// Callbacks.
  ///
  /// C: `sd_bus_add_match_async`.
  public func addMatchAsync(
    _ match: String?, message: ((_ m: BusMessage?, _ retError: UnsafeMutablePointer<sd_bus_error>?) -> Int32)? = nil,
    installed: ((_ m: BusMessage?, _ retError: UnsafeMutablePointer<sd_bus_error>?) -> Int32)? = nil
  ) throws(SystemdBusFailure) -> any Disposable {
    let functions = AddMatchAsyncFunctions(message: message, installed: installed)
    let callback = AddMatchAsyncCallback { functions }
    var made: OpaquePointer?
    let status = sd_bus_add_match_async(
      pointer, &made, match,
      message == nil
        ? nil
        : { @Sendable m, context, retError in
          AddMatchAsyncCallback.call(context, otherwise: nil)?.message?(BusMessage(lent: m), retError) ?? 0
        },
      installed == nil
        ? nil
        : { @Sendable m, context, retError in
          AddMatchAsyncCallback.call(context, otherwise: nil)?.installed?(BusMessage(lent: m), retError) ?? 0
        }, callback.context)
    if status < 0 {
      callback.disarm()
      throw SystemdBusFailure(function: "sd_bus_add_match_async", code: Int(status))
    }
    let registration = made
    return BlockDisposable {
      _ = sd_bus_slot_unref(registration)
      callback.disarm()
    }
  }

  private typealias OnObjectCallback = RepeatingCallback<BusMessage?, UnsafeMutablePointer<sd_bus_error>?, Int32>

  /// Callbacks.
  ///
  /// C: `sd_bus_add_object`.
  public func onObject(
    _ path: String?, _ answer: @escaping (_ m: BusMessage?, _ retError: UnsafeMutablePointer<sd_bus_error>?) -> Int32
  ) throws(SystemdBusFailure) -> any Disposable {
    let callback = OnObjectCallback(answer)
    var made: OpaquePointer?
    let status = sd_bus_add_object(
      pointer, &made, path,
      { m, context, retError in OnObjectCallback.call(context, BusMessage(lent: m), retError, otherwise: 0) },
      callback.context)
    if status < 0 {
      callback.disarm()
      throw SystemdBusFailure(function: "sd_bus_add_object", code: Int(status))
    }
    let registration = made
    return BlockDisposable {
      _ = sd_bus_slot_unref(registration)
      callback.disarm()
    }
  }

  /// C: `sd_bus_open_user`.
  public static func openUser() throws(SystemdBusFailure) -> Bus {
    var ret: OpaquePointer?
    let result = sd_bus_open_user(&ret)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_open_user", code: Int(result)) }
    guard let ret else { throw SystemdBusFailure(function: "sd_bus_open_user", code: 0) }
    return Bus(ret, owner: nil, isOwned: true)
  }

  /// C: `sd_bus_open_system`.
  public static func openSystem() throws(SystemdBusFailure) -> Bus {
    var ret: OpaquePointer?
    let result = sd_bus_open_system(&ret)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_open_system", code: Int(result)) }
    guard let ret else { throw SystemdBusFailure(function: "sd_bus_open_system", code: 0) }
    return Bus(ret, owner: nil, isOwned: true)
  }

  /// C: `sd_bus_new`.
  public convenience init() throws(SystemdBusFailure) {
    var ret: OpaquePointer?
    let result = sd_bus_new(&ret)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_new", code: Int(result)) }
    guard let ret else { throw SystemdBusFailure(function: "sd_bus_new", code: 0) }
    self.init(ret, owner: nil, isOwned: true)
  }

  /// C: `sd_bus_set_address`.
  @discardableResult
  public func setAddress(_ address: String?) throws(SystemdBusFailure) -> Int32 {
    let result = sd_bus_set_address(pointer, address)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_set_address", code: Int(result)) }
    return result
  }

  /// C: `sd_bus_set_bus_client`.
  @discardableResult
  public func setBusClient(_ b: Int32) throws(SystemdBusFailure) -> Int32 {
    let result = sd_bus_set_bus_client(pointer, b)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_set_bus_client", code: Int(result)) }
    return result
  }

  /// C: `sd_bus_start`.
  @discardableResult
  public func start() throws(SystemdBusFailure) -> Int32 {
    let result = sd_bus_start(pointer)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_start", code: Int(result)) }
    return result
  }

  /// C: `sd_bus_close`.
  public func close() {
    sd_bus_close(pointer)
  }

  /// C: `sd_bus_is_open`.
  public var isOpen: Bool {
    let result = sd_bus_is_open(pointer)
    return result > 0
  }

  /// C: `sd_bus_is_ready`.
  public var isReady: Bool {
    let result = sd_bus_is_ready(pointer)
    return result > 0
  }

  /// C: `sd_bus_send`.
  public func send(_ m: BusMessage?) throws(SystemdBusFailure) -> UInt64 {
    var cookie: UInt64 = 0
    let result = sd_bus_send(pointer, m?.pointer, &cookie)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_send", code: Int(result)) }
    return cookie
  }

  /// C: `sd_bus_get_fd`.
  public var fd: Int32 {
    let result = sd_bus_get_fd(pointer)
    return result
  }

  /// C: `sd_bus_get_events`.
  public var events: Int32 {
    let result = sd_bus_get_events(pointer)
    return result
  }

  /// C: `sd_bus_get_timeout`.
  public func timeout() throws(SystemdBusFailure) -> UInt64 {
    var timeoutUsec: UInt64 = 0
    let result = sd_bus_get_timeout(pointer, &timeoutUsec)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_get_timeout", code: Int(result)) }
    return timeoutUsec
  }

  /// C: `sd_bus_process`.
  public func process() throws(SystemdBusFailure) -> (result: Int32, r: BusMessage?) {
    var r: OpaquePointer?
    let result = sd_bus_process(pointer, &r)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_process", code: Int(result)) }
    return (result: result, r: r.map { BusMessage($0, owner: self, isOwned: true) })
  }

  /// Declared with `sd_bus_message_new`: Message object.
  ///
  /// C: `sd_bus_message_new_signal`.
  public func messageNewSignal(_ path: String, interface: String, member: String) throws(SystemdBusFailure)
    -> BusMessage
  {
    var m: OpaquePointer?
    let result = sd_bus_message_new_signal(pointer, &m, path, interface, member)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_new_signal", code: Int(result)) }
    guard let m else { throw SystemdBusFailure(function: "sd_bus_message_new_signal", code: 0) }
    return BusMessage(m, owner: self, isOwned: true)
  }

  /// Declared with `sd_bus_message_new`: Message object.
  ///
  /// C: `sd_bus_message_new_method_call`.
  public func messageNewMethodCall(_ destination: String, path: String, interface: String, member: String)
    throws(SystemdBusFailure) -> BusMessage
  {
    var m: OpaquePointer?
    let result = sd_bus_message_new_method_call(pointer, &m, destination, path, interface, member)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_new_method_call", code: Int(result)) }
    guard let m else { throw SystemdBusFailure(function: "sd_bus_message_new_method_call", code: 0) }
    return BusMessage(m, owner: self, isOwned: true)
  }

  /// Bus management.
  ///
  /// C: `sd_bus_get_unique_name`.
  public func uniqueName() throws(SystemdBusFailure) -> String? {
    var unique: UnsafePointer<CChar>?
    let result = sd_bus_get_unique_name(pointer, &unique)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_get_unique_name", code: Int(result)) }
    return unique.map { String(cString: $0) }
  }
}
