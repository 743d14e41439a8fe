// Written by wrap-library from libpq-fe.h, libpq-events.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CPostgres
public import Callbacks

/// A `struct pg_conn`, which it frees.
///
/// If the program owns it, `PQfinish` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
nonisolated public final class PGconn: Usable {
  private let storedPointer: OpaquePointer
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer {
    precondition(!isClosed, "The PGconn is closed. Use it before finish().")
    return storedPointer
  }

  var isUsable: Bool { !isClosed }

  var whole: any Usable { self }

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
    if isOwned { PQfinish(storedPointer) }
  }

  /// Frees the object now. Later uses are a programming error.
  ///
  /// C: `PQfinish`.
  public func finish() {
    if !isOwned || isClosed { return }
    isOwned = false
    isClosed = true
    PQfinish(storedPointer)
  }

  private typealias NoticesCallback = RepeatingCallback<PGresult?, Void>

  /// Override default notice handling routines Function types for notice-handling callbacks.
  ///
  /// The library has no call that ends it. Calls after the disposal are dropped.
  /// C: `PQsetNoticeReceiver`.
  /// - Parameter copy: Makes an element of what C lends for the time of the call.
  public func notices<Element>(copying copy: @escaping (_ res: PGresult?) -> Element) -> Stream<Element> {
    .registering { observer in
      NoticesCallback { res in observer.next(copy(res)) }
    } register: { [self] callback in
      _ = PQsetNoticeReceiver(
        pointer, { context, res in NoticesCallback.call(context, PGresult(lent: res)) }, callback.context)
    } unregister: { _ in
    }
  }

  /// C: `PQconnectStart`.
  public static func connectStart(_ conninfo: String) throws(PostgresFailure) -> PGconn {
    let result = PQconnectStart(conninfo)
    guard let result else { throw PostgresFailure(function: "PQconnectStart", code: 0) }
    return PGconn(result, owner: nil, isOwned: true)
  }

  /// C: `PQconnectPoll`.
  public func connectPoll() -> PostgresPollingStatusTypeKind {
    let result = PQconnectPoll(pointer)
    return PostgresPollingStatusTypeKind(rawValue: result.rawValue)
  }

  /// Synchronous (blocking).
  ///
  /// C: `PQconnectdb`.
  public static func connectdb(_ conninfo: String) throws(PostgresFailure) -> PGconn {
    let result = PQconnectdb(conninfo)
    guard let result else { throw PostgresFailure(function: "PQconnectdb", code: 0) }
    return PGconn(result, owner: nil, isOwned: true)
  }

  /// Synchronous (blocking).
  ///
  /// C: `PQreset`.
  public func reset() {
    PQreset(pointer)
  }

  /// Declared with `PQdb`: Accessor functions for PGconn objects.
  ///
  /// C: `PQstatus`.
  public var status: ConnStatusTypeKind {
    let result = PQstatus(pointer)
    return ConnStatusTypeKind(rawValue: result.rawValue)
  }

  /// Declared with `PQdb`: Accessor functions for PGconn objects.
  ///
  /// C: `PQerrorMessage`.
  public var errorMessage: String? {
    let result = PQerrorMessage(pointer)
    return result.map { String(cString: $0) }
  }

  /// Declared with `PQdb`: Accessor functions for PGconn objects.
  ///
  /// C: `PQsocket`.
  public var socket: Int32 {
    let result = PQsocket(pointer)
    return result
  }

  /// Declared with `PQisBusy`: Routines for managing an asynchronous query.
  ///
  /// C: `PQconsumeInput`.
  public func consumeInput() throws(PostgresFailure) {
    let result = PQconsumeInput(pointer)
    if result <= 0 { throw PostgresFailure(function: "PQconsumeInput", code: Int(result)) }
  }
}
