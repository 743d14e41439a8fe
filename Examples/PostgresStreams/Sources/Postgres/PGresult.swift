// Written by wrap-library from libpq-fe.h, libpq-events.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CPostgres

/// A `struct pg_result`.
///
/// It belongs to one isolation domain, and keeps what it is a part of.
nonisolated public final class PGresult: Usable {
  private let storedPointer: OpaquePointer
  private let retained: Any?

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer { storedPointer }

  var isUsable: Bool { true }

  var whole: any Usable { self }

  /// Wraps an object of the library.
  ///
  /// - Parameters:
  ///   - pointer: The object.
  ///   - owner: What has to exist as long as the object does.
  public init(_ pointer: OpaquePointer, owner: Any? = nil) {
    storedPointer = pointer
    retained = owner
  }

  /// The object that C lends to a callback: valid until the callback returns.
  convenience init?(lent pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.init(pointer)
  }

  /// Accessor functions for PGresult objects.
  ///
  /// C: `PQresultStatus`.
  public var resultStatus: ExecStatusTypeKind {
    let result = PQresultStatus(pointer)
    return ExecStatusTypeKind(rawValue: result.rawValue)
  }

  /// Accessor functions for PGresult objects.
  ///
  /// C: `PQresultErrorMessage`.
  public var resultErrorMessage: String? {
    let result = PQresultErrorMessage(pointer)
    return result.map { String(cString: $0) }
  }

  /// Accessor functions for PGresult objects.
  ///
  /// C: `PQresultErrorField`.
  public func resultErrorField(_ fieldcode: Int32) -> String? {
    let result = PQresultErrorField(pointer, fieldcode)
    return result.map { String(cString: $0) }
  }

  /// Accessor functions for PGresult objects.
  ///
  /// C: `PQntuples`.
  public var ntuples: Int32 {
    let result = PQntuples(pointer)
    return result
  }

  /// Accessor functions for PGresult objects.
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

  /// Delete a PGresult.
  ///
  /// C: `PQclear`.
  public func clear() {
    PQclear(pointer)
  }
}
