// Written by wrap-library from libpq-fe.h, libpq-events.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CPostgres

/// A `struct pg_result`, which it frees.
///
/// If the program owns it, `PQclear` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
nonisolated public final class PGresult: Usable {
  private let storedPointer: OpaquePointer
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer {
    precondition(!isClosed, "The PGresult is closed. Use it before clear().")
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

  /// The object that C lends to a callback: valid until the callback returns.
  convenience init?(lent pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.init(pointer, isOwned: false)
  }

  deinit {
    if isOwned { PQclear(storedPointer) }
  }

  /// Frees the object now. Later uses are a programming error.
  ///
  /// C: `PQclear`.
  public func clear() {
    if !isOwned || isClosed { return }
    isOwned = false
    isClosed = true
    PQclear(storedPointer)
  }

  /// Accessor functions for PGresult objects.
  ///
  /// C: `PQresultStatus`.
  public var resultStatus: ExecStatusTypeKind {
    let result = PQresultStatus(pointer)
    return ExecStatusTypeKind(rawValue: result.rawValue)
  }

  /// Declared with `PQresultStatus`: Accessor functions for PGresult objects.
  ///
  /// C: `PQresultErrorMessage`.
  public var resultErrorMessage: String? {
    let result = PQresultErrorMessage(pointer)
    return result.map { String(cString: $0) }
  }

  /// Declared with `PQresultStatus`: Accessor functions for PGresult objects.
  ///
  /// C: `PQresultErrorField`.
  public func resultErrorField(_ fieldcode: Int32) -> String? {
    let result = PQresultErrorField(pointer, fieldcode)
    return result.map { String(cString: $0) }
  }

  /// Declared with `PQresultStatus`: Accessor functions for PGresult objects.
  ///
  /// C: `PQntuples`.
  public var ntuples: Int32 {
    let result = PQntuples(pointer)
    return result
  }

  /// Declared with `PQresultStatus`: Accessor functions for PGresult objects.
  ///
  /// C: `PQnfields`.
  public var nfields: Int32 {
    let result = PQnfields(pointer)
    return result
  }

  /// C: `PQgetvalue`.
  public func getvalue(_ tupNum: Int32, fieldNum: Int32) -> String? {
    let result = PQgetvalue(pointer, tupNum, fieldNum)
    return result.map { String(cString: $0) }
  }

  /// C: `PQgetisnull`.
  public func getisnull(_ tupNum: Int32, fieldNum: Int32) -> Int32 {
    let result = PQgetisnull(pointer, tupNum, fieldNum)
    return result
  }
}
