import CSQLite

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
  init(_ statement: OpaquePointer?, column: Int32) {
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

  /// Binds the value to a parameter. `SQLITE_TRANSIENT` makes SQLite copy the bytes.
  func bind(to statement: OpaquePointer?, at index: Int32) -> Int32 {
    switch self {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let value): sqlite3_bind_int64(statement, index, value)
    case .real(let value): sqlite3_bind_double(statement, index, value)
    case .text(var value):
      value.withUTF8 { text in
        text.withMemoryRebound(to: CChar.self) {
          sqlite3_bind_text64(
            statement, index, $0.baseAddress ?? Self.empty, UInt64($0.count), wrap_SQLITE_TRANSIENT(),
            UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      if bytes.isEmpty {
        sqlite3_bind_zeroblob(statement, index, 0)
      } else {
        sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count), wrap_SQLITE_TRANSIENT())
      }
    }
  }

  /// Sets the value as the result of a function.
  func answer(_ context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(var value):
      value.withUTF8 { text in
        text.withMemoryRebound(to: CChar.self) {
          sqlite3_result_text64(
            context, $0.baseAddress ?? Self.empty, UInt64($0.count), wrap_SQLITE_TRANSIENT(), UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      if bytes.isEmpty {
        sqlite3_result_zeroblob(context, 0)
      } else {
        sqlite3_result_blob64(context, bytes, UInt64(bytes.count), wrap_SQLITE_TRANSIENT())
      }
    }
  }

  // The address of an empty text. SQLite would bind NULL for a null pointer.
  nonisolated(unsafe) private static let empty: UnsafePointer<CChar> = {
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    memory.initialize(to: 0)
    return UnsafePointer(memory)
  }()

  static func text(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
    String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }

  private static func bytes(_ bytes: UnsafeRawPointer?, _ count: Int32) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }
}
