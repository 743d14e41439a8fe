// Written by wrap-library from systemd/sd-bus.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CSystemdBus

/// A `struct sd_bus_message`, which it frees.
///
/// If the program owns it, `sd_bus_message_unref` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
nonisolated public final class BusMessage {
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

  /// Frees the object now. Later uses are a programming error.
  ///
  /// C: `sd_bus_message_unref`.
  public func release() {
    if !isOwned || isClosed { return }
    isOwned = false
    isClosed = true
    _ = sd_bus_message_unref(storedPointer)
  }

  /// Declared with `sd_bus_message_new`: Message object.
  ///
  /// C: `sd_bus_message_new_method_return`.
  public func newMethodReturn() throws(SystemdBusFailure) -> BusMessage {
    var m: OpaquePointer?
    let result = sd_bus_message_new_method_return(pointer, &m)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_new_method_return", code: Int(result)) }
    guard let m else { throw SystemdBusFailure(function: "sd_bus_message_new_method_return", code: 0) }
    return BusMessage(m, owner: self, isOwned: true)
  }

  /// Declared with `sd_bus_message_new`: Message object.
  ///
  /// C: `sd_bus_message_new_method_error`.
  public func newMethodError(_ e: BusError) throws(SystemdBusFailure) -> BusMessage {
    var m: OpaquePointer?
    let result = withUnsafePointer(to: e) { e in sd_bus_message_new_method_error(pointer, &m, e) }
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_new_method_error", code: Int(result)) }
    guard let m else { throw SystemdBusFailure(function: "sd_bus_message_new_method_error", code: 0) }
    return BusMessage(m, owner: self, isOwned: true)
  }

  /// Declared with `sd_bus_message_new`: Message object.
  ///
  /// C: `sd_bus_message_new_method_errorf`.
  public func newMethodErrorf(_ name: String, text: String) throws(SystemdBusFailure) -> BusMessage {
    var m: OpaquePointer?
    let result = wrap_sd_bus_message_new_method_errorf(pointer, &m, name, text)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_new_method_errorf", code: Int(result)) }
    guard let m else { throw SystemdBusFailure(function: "sd_bus_message_new_method_errorf", code: 0) }
    return BusMessage(m, owner: self, isOwned: true)
  }

  /// C: `sd_bus_message_new_method_errnof`.
  public func newMethodErrnof(_ error: Int32, text: String?) throws(SystemdBusFailure) -> BusMessage {
    var m: OpaquePointer?
    let result = wrap_sd_bus_message_new_method_errnof(pointer, &m, error, text)
    if result < 0 { throw SystemdBusFailure(function: "sd_bus_message_new_method_errnof", code: Int(result)) }
    guard let m else { throw SystemdBusFailure(function: "sd_bus_message_new_method_errnof", code: 0) }
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
  public func exitContainer() -> Int32 {
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
