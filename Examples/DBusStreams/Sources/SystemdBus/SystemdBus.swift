// Written by wrap-callbacks from systemd/sd-bus.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CSystemdBus
public import Callbacks
import Glibc

/// A function of C that has failed.
public struct SystemdBusFailure: Error, Hashable, CustomStringConvertible {
  /// The name of the function.
  public let function: String
  /// The code that it returned.
  public let code: Int
  /// What the library says about it.
  public let message: String?

  /// Creates the failure of a function. Without a message, the library describes the code.
  public init(function: String, code: Int, message: String? = nil) {
    self.function = function
    self.code = code
    self.message = message ?? (code < 0 ? String(cString: strerror(Int32(truncatingIfNeeded: -code))) : nil)
  }

  /// The function, and what the library says or the code.
  public var description: String {
    message.map { "\(function): \($0)" } ?? "\(function) failed with the code \(code)."
  }
}

/// A `struct sd_bus`, which it frees.
///
/// If the program owns it, `sd_bus_unref` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
public final class Bus {
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

  /// Frees the object now, and reports an error of that. Later uses are a programming error.
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
    _ m: OpaquePointer?, _ usec: UInt64,
    _ answer: @escaping (_ m: BusMessage?, _ retError: UnsafeMutablePointer<sd_bus_error>?) -> Int32
  ) throws(SystemdBusFailure) -> any Disposable {
    let callback = ReplyCallback(answer)
    var made: OpaquePointer?
    let status = sd_bus_call_async(
      pointer, &made, m,
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

  /// Message object.
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

  /// Message object.
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

/// A `struct sd_bus_creds`, which it frees.
///
/// If the program owns it, `sd_bus_creds_unref` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
public final class BusCreds {
  private let storedPointer: OpaquePointer
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer {
    precondition(!isClosed, "The BusCreds is closed. Use it before release().")
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
    if isOwned { _ = sd_bus_creds_unref(storedPointer) }
  }

  /// Frees the object now, and reports an error of that. Later uses are a programming error.
  ///
  /// C: `sd_bus_creds_unref`.
  public func release() {
    if !isOwned || isClosed { return }
    isOwned = false
    isClosed = true
    _ = sd_bus_creds_unref(storedPointer)
  }

}

/// A `struct sd_bus_message`, which it frees.
///
/// If the program owns it, `sd_bus_message_unref` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
public final class BusMessage {
  private let storedPointer: OpaquePointer
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer {
    precondition(!isClosed, "The BusMessage is closed. Use it before release().")
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

  /// The object that C passes to a callback.
  convenience init?(lent pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    _ = sd_bus_message_ref(pointer)
    self.init(pointer, isOwned: true)
  }

  deinit {
    if isOwned { _ = sd_bus_message_unref(storedPointer) }
  }

  /// Frees the object now, and reports an error of that. Later uses are a programming error.
  ///
  /// C: `sd_bus_message_unref`.
  public func release() {
    if !isOwned || isClosed { return }
    isOwned = false
    isClosed = true
    _ = sd_bus_message_unref(storedPointer)
  }

  /// Message object.
  ///
  /// C: `sd_bus_message_new_method_return`.
  public func newMethodReturn() throws(SystemdBusFailure) -> BusMessage {
    var m: OpaquePointer?
    let result = sd_bus_message_new_method_return(pointer, &m)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_new_method_return", code: Int(result)) }
    guard let m else { throw SystemdBusFailure(function: "sd_bus_message_new_method_return", code: 0) }
    return BusMessage(m, owner: self, isOwned: true)
  }

  /// Message object.
  ///
  /// C: `sd_bus_message_new_method_error`.
  public func newMethodError(_ e: BusError) throws(SystemdBusFailure) -> BusMessage {
    var m: OpaquePointer?
    let result = withUnsafePointer(to: e) { e in sd_bus_message_new_method_error(pointer, &m, e) }
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_new_method_error", code: Int(result)) }
    guard let m else { throw SystemdBusFailure(function: "sd_bus_message_new_method_error", code: 0) }
    return BusMessage(m, owner: self, isOwned: true)
  }

  /// C: `sd_bus_message_get_cookie`.
  public func cookie() throws(SystemdBusFailure) -> UInt64 {
    var cookie: UInt64 = 0
    let result = sd_bus_message_get_cookie(pointer, &cookie)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_get_cookie", code: Int(result)) }
    return cookie
  }

  /// C: `sd_bus_message_get_reply_cookie`.
  public func replyCookie() throws(SystemdBusFailure) -> UInt64 {
    var cookie: UInt64 = 0
    let result = sd_bus_message_get_reply_cookie(pointer, &cookie)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_get_reply_cookie", code: Int(result)) }
    return cookie
  }

  /// C: `sd_bus_message_get_priority`.
  public func priority() throws(SystemdBusFailure) -> Int64 {
    var priority: Int64 = 0
    let result = sd_bus_message_get_priority(pointer, &priority)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_get_priority", code: Int(result)) }
    return priority
  }

  /// C: `sd_bus_message_get_expect_reply`.
  public var expectReply: Int32 {
    let result = sd_bus_message_get_expect_reply(pointer)
    return result
  }

  /// C: `sd_bus_message_get_auto_start`.
  public func autoStart() -> Int32 {
    let result = sd_bus_message_get_auto_start(pointer)
    return result
  }

  /// C: `sd_bus_message_get_allow_interactive_authorization`.
  public var allowInteractiveAuthorization: Int32 {
    let result = sd_bus_message_get_allow_interactive_authorization(pointer)
    return result
  }

  /// C: `sd_bus_message_get_signature`.
  public func signature(_ complete: Int32) -> String? {
    let result = sd_bus_message_get_signature(pointer, complete)
    return result.map { String(cString: $0) }
  }

  /// C: `sd_bus_message_get_path`.
  public var path: String? {
    let result = sd_bus_message_get_path(pointer)
    return result.map { String(cString: $0) }
  }

  /// C: `sd_bus_message_get_interface`.
  public var interface: String? {
    let result = sd_bus_message_get_interface(pointer)
    return result.map { String(cString: $0) }
  }

  /// C: `sd_bus_message_get_member`.
  public var member: String? {
    let result = sd_bus_message_get_member(pointer)
    return result.map { String(cString: $0) }
  }

  /// C: `sd_bus_message_get_destination`.
  public var destination: String? {
    let result = sd_bus_message_get_destination(pointer)
    return result.map { String(cString: $0) }
  }

  /// C: `sd_bus_message_get_sender`.
  public var sender: String? {
    let result = sd_bus_message_get_sender(pointer)
    return result.map { String(cString: $0) }
  }

  /// C: `sd_bus_message_get_error`.
  public var error: BusError? {
    let result = sd_bus_message_get_error(pointer)
    return result?.pointee
  }

  /// C: `sd_bus_message_get_errno`.
  public var errno: Int32 {
    let result = sd_bus_message_get_errno(pointer)
    return result
  }

  /// C: `sd_bus_message_is_method_error`.
  public func isMethodError(_ name: String?) -> Bool {
    let result = sd_bus_message_is_method_error(pointer, name)
    return result > 0
  }

  /// C: `sd_bus_message_open_container`.
  @discardableResult
  public func openContainer(_ type: CChar, contents: String?) throws(SystemdBusFailure) -> Int32 {
    let result = sd_bus_message_open_container(pointer, type, contents)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_open_container", code: Int(result)) }
    return result
  }

  /// C: `sd_bus_message_close_container`.
  @discardableResult
  public func closeContainer() throws(SystemdBusFailure) -> Int32 {
    let result = sd_bus_message_close_container(pointer)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_close_container", code: Int(result)) }
    return result
  }

  /// C: `sd_bus_message_skip`.
  @discardableResult
  public func skip(_ types: String?) throws(SystemdBusFailure) -> Int32 {
    let result = sd_bus_message_skip(pointer, types)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_skip", code: Int(result)) }
    return result
  }

  /// C: `sd_bus_message_enter_container`.
  public func enterContainer(_ type: CChar, contents: String?) -> Int32 {
    let result = sd_bus_message_enter_container(pointer, type, contents)
    return result
  }

  /// C: `sd_bus_message_exit_container`.
  public var exitContainer: Int32 {
    let result = sd_bus_message_exit_container(pointer)
    return result
  }

  /// C: `sd_bus_message_at_end`.
  @discardableResult
  public func atEnd(_ complete: Int32) throws(SystemdBusFailure) -> Int32 {
    let result = sd_bus_message_at_end(pointer, complete)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_at_end", code: Int(result)) }
    return result
  }
}

/// A `struct sd_bus_slot`, which it frees.
///
/// If the program owns it, `sd_bus_slot_unref` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
public final class BusSlot {
  private let storedPointer: OpaquePointer
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer {
    precondition(!isClosed, "The BusSlot is closed. Use it before release().")
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
    if isOwned { _ = sd_bus_slot_unref(storedPointer) }
  }

  /// Frees the object now, and reports an error of that. Later uses are a programming error.
  ///
  /// C: `sd_bus_slot_unref`.
  public func release() {
    if !isOwned || isClosed { return }
    isOwned = false
    isClosed = true
    _ = sd_bus_slot_unref(storedPointer)
  }

}

/// A `struct sd_event`.
///
/// It belongs to one isolation domain, and keeps what it is a part of.
public final class SdEvent {
  private let storedPointer: OpaquePointer
  private let retained: Any?

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer { storedPointer }

  /// Wraps an object of the library.
  ///
  /// - Parameters:
  ///   - pointer: The object.
  ///   - owner: What has to exist as long as the object does.
  public init(_ pointer: OpaquePointer, owner: Any? = nil) {
    storedPointer = pointer
    retained = owner
  }

}

/// A `struct sd_bus_track`, which it frees.
///
/// If the program owns it, `sd_bus_track_unref` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
public final class BusTrack {
  private let storedPointer: OpaquePointer
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer {
    precondition(!isClosed, "The BusTrack is closed. Use it before release().")
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
    if isOwned { _ = sd_bus_track_unref(storedPointer) }
  }

  /// Frees the object now, and reports an error of that. Later uses are a programming error.
  ///
  /// C: `sd_bus_track_unref`.
  public func release() {
    if !isOwned || isClosed { return }
    isOwned = false
    isClosed = true
    _ = sd_bus_track_unref(storedPointer)
  }

}
