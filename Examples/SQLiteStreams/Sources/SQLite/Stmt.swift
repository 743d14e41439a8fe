// Written by wrap-library from sqlite3.h, Sources/CSQLite/values.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CSQLite

/// A `struct sqlite3_stmt`, which it frees.
///
/// If the program owns it, `sqlite3_finalize` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
/// Whoever closes an object that it was made with closes it first.
nonisolated public final class Stmt: Usable {
  private let storedPointer: OpaquePointer
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer {
    precondition(
      !isClosed,
      "The Stmt is closed, or what it was made with. Use it before finalize(). If C allows this, choose sqlite3_prepare_next outlives=yes."
    )
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
    if isOwned { _ = sqlite3_finalize(storedPointer) }
  }

  /// Frees the object now, and reports an error of that. Later uses are a programming error.
  ///
  /// C: `sqlite3_finalize`.
  public func finalize() throws(SQLiteFailure) {
    if !isOwned || isClosed { return }
    isOwned = false
    isClosed = true
    let result = sqlite3_finalize(storedPointer)
    if result != 0 { throw SQLiteFailure(function: "sqlite3_finalize", code: Int(result)) }
  }

  func end() {
    if !isOwned { return }
    try? finalize()
  }

  /// C: `sqlite3_bind_double`.
  public func bindDouble(_ argument2: Int32, _ argument3: Double) throws(SQLiteFailure) {
    let result = sqlite3_bind_double(pointer, argument2, argument3)
    if result != 0 { throw SQLiteFailure(function: "sqlite3_bind_double", code: Int(result)) }
  }

  /// C: `sqlite3_bind_int64`.
  public func bindInt64(_ argument2: Int32, _ argument3: Int64) throws(SQLiteFailure) {
    let result = sqlite3_bind_int64(pointer, argument2, argument3)
    if result != 0 { throw SQLiteFailure(function: "sqlite3_bind_int64", code: Int(result)) }
  }

  /// C: `sqlite3_bind_null`.
  public func bindNull(_ argument2: Int32) throws(SQLiteFailure) {
    let result = sqlite3_bind_null(pointer, argument2)
    if result != 0 { throw SQLiteFailure(function: "sqlite3_bind_null", code: Int(result)) }
  }

  /// C: `sqlite3_bind_text64`.
  public func bindText64(_ argument2: Int32, _ argument3: String?, _ argument4: UInt64, encoding: UInt8)
    throws(SQLiteFailure)
  {
    let result = sqlite3_bind_text64(pointer, argument2, argument3, argument4, wrap_SQLITE_TRANSIENT(), encoding)
    if result != 0 { throw SQLiteFailure(function: "sqlite3_bind_text64", code: Int(result)) }
  }

  /// Return the number of columns in the result set returned by the prepared statement.
  ///
  /// C: `sqlite3_column_count`.
  public var columnCount: Int32 {
    let result = sqlite3_column_count(pointer)
    return result
  }

  /// C: `sqlite3_step`.
  public func step() -> Int32 {
    let result = sqlite3_step(pointer)
    return result
  }

  /// A null pointer would stand for NULL, and not for an empty value.
  ///
  /// C: `sqlite3_bind_bytes`.
  public func bindBytes(_ index: Int32, bytes: Span<UInt8>) throws(SQLiteFailure) {
    let result = bytes.withUnsafeBytes { bytes in sqlite3_bind_bytes(pointer, index, bytes.baseAddress, bytes.count) }
    if result != 0 { throw SQLiteFailure(function: "sqlite3_bind_bytes", code: Int(result)) }
  }
}
