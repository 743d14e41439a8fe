import CSQLite
import SQLite

/// A row that has been inserted, updated or deleted.
public struct Change: Hashable, Sendable, CustomStringConvertible {
  /// What has been done to the row.
  public enum Kind: Hashable, Sendable {
    case insert
    case update
    case delete
  }

  /// What has been done.
  public let kind: Kind
  /// The database: `main`, `temp`, or the name of an attached one.
  public let database: String
  /// The table.
  public let table: String
  /// The number of the row; the new one where an update has changed it.
  public let row: Int64

  /// Makes one.
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

  /// `insert main.notes 1`.
  public var description: String { "\(kind) \(database).\(table) \(row)" }
}
