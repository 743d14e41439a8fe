import CSQLite
import SQLite

/// A value that SQLite can store.
public enum SQLiteValue: Hashable, Sendable {
  /// NULL.
  case null
  /// A 64-bit integer.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}

extension SQLiteValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByNilLiteral
{
  /// Creates `integer(value)`.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates `real(value)`.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// Creates `text(value)`.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }
}

extension SQLiteValue: CustomStringConvertible {
  /// The value for messages: text in quotation marks, which are not escaped, and the size of a blob.
  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "'\(value)'"
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}

extension SQLiteValue {
  /// Copies the argument of a function.
  init(_ value: OpaquePointer?) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
    case SQLITE_TEXT: self = .text(Self.text(sqlite3_value_text(value), sqlite3_value_bytes(value)))
    case SQLITE_BLOB: self = .blob(Self.bytes(sqlite3_value_blob(value), sqlite3_value_bytes(value)))
    default: self = .null
    }
  }

  /// Copies a column of the current row of a statement.
  init(_ statement: OpaquePointer, column: Int32) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      self = .text(Self.text(sqlite3_column_text(statement, column), sqlite3_column_bytes(statement, column)))
    case SQLITE_BLOB:
      self = .blob(Self.bytes(sqlite3_column_blob(statement, column), sqlite3_column_bytes(statement, column)))
    default: self = .null
    }
  }

  /// Binds the value to a parameter. SQLite copies it.
  func bind(to statement: Stmt, at index: Int32) throws(SQLiteFailure) {
    switch self {
    case .null: try statement.bindNull(index)
    case .integer(let value): try statement.bindInt64(index, value)
    case .real(let value): try statement.bindDouble(index, value)
    case .text(let value):
      try statement.bindText64(index, value, UInt64(value.utf8.count), encoding: UInt8(SQLITE_UTF8))
    case .blob(let bytes): try statement.bindBytes(index, bytes: bytes.span)
    }
  }

  /// Sets the value as the result of a function. SQLite copies it.
  func answer(_ context: Context) {
    switch self {
    case .null: context.resultNull()
    case .integer(let value): context.resultInt64(value)
    case .real(let value): context.resultDouble(value)
    case .text(let value): context.resultText64(value, UInt64(value.utf8.count), encoding: UInt8(SQLITE_UTF8))
    case .blob(let bytes): context.resultBytes(bytes.span)
    }
  }

  static func text(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
    String(decoding: memory(bytes, count), as: UTF8.self)
  }

  private static func bytes(_ bytes: UnsafeRawPointer?, _ count: Int32) -> [UInt8] { Array(memory(bytes, count)) }

  /// SQLite returns NULL if it has no memory, and may have some again when it is asked for the count. The statement then fails.
  private static func memory(_ bytes: UnsafeRawPointer?, _ count: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count))
  }
}
