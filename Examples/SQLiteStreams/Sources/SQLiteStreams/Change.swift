import CSQLite
import SQLite

/// The insertion, update, or deletion of a row.
public struct Change: Hashable, Sendable, CustomStringConvertible {
  /// The operation on the row.
  public enum Kind: Hashable, Sendable {
    case insert
    case update
    case delete
  }

  /// The operation.
  public let kind: Kind
  /// The database: `main`, `temp`, or the name of an attached one.
  public let database: String
  /// The table.
  public let table: String
  /// The row ID. If an update changes it, the new row ID.
  public let row: Int64

  /// Creates a change.
  public init(_ kind: Kind, database: String = "main", table: String, row: Int64) {
    self.kind = kind
    self.database = database
    self.table = table
    self.row = row
  }

  init(_ update: Sqlite3.Update) {
    kind =
      switch update.kind {
      case SQLITE_INSERT: .insert
      case SQLITE_DELETE: .delete
      default: .update
      }
    database = update.database ?? ""
    table = update.table ?? ""
    row = update.row
  }

  /// The operation, the table, and the row ID, for example `insert main.notes 1`.
  public var description: String { "\(kind) \(database).\(table) \(row)" }
}
