// Written by wrap-library from sqlite3.h, Sources/CSQLite/values.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CSQLite

/// A `struct sqlite3_context`.
///
/// It belongs to one isolation domain, and keeps what it is a part of.
nonisolated public final class Context: Usable {
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

  /// These routines are used by the xFunc or xFinal callbacks that implement SQL functions and aggregates.
  ///
  /// C: `sqlite3_result_double`.
  public func resultDouble(_ argument2: Double) {
    sqlite3_result_double(pointer, argument2)
  }

  /// These routines are used by the xFunc or xFinal callbacks that implement SQL functions and aggregates.
  ///
  /// C: `sqlite3_result_error`.
  public func resultError(_ argument2: String?, _ argument3: Int32) {
    sqlite3_result_error(pointer, argument2, argument3)
  }

  /// These routines are used by the xFunc or xFinal callbacks that implement SQL functions and aggregates.
  ///
  /// C: `sqlite3_result_int64`.
  public func resultInt64(_ argument2: Int64) {
    sqlite3_result_int64(pointer, argument2)
  }

  /// These routines are used by the xFunc or xFinal callbacks that implement SQL functions and aggregates.
  ///
  /// C: `sqlite3_result_null`.
  public func resultNull() {
    sqlite3_result_null(pointer)
  }

  /// These routines are used by the xFunc or xFinal callbacks that implement SQL functions and aggregates.
  ///
  /// C: `sqlite3_result_text64`.
  public func resultText64(_ argument2: String?, _ argument3: UInt64, encoding: UInt8) {
    sqlite3_result_text64(pointer, argument2, argument3, wrap_SQLITE_TRANSIENT(), encoding)
  }

  /// Declared with `sqlite3_bind_bytes`: A null pointer would stand for NULL, and not for an empty value.
  ///
  /// C: `sqlite3_result_bytes`.
  public func resultBytes(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBytes { bytes in sqlite3_result_bytes(pointer, bytes.baseAddress, bytes.count) }
  }
}
