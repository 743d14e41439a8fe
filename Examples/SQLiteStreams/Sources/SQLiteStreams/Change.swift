import CSQLite

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

  /// Copies what the update hook lends.
  init(code: Int32, database: UnsafePointer<CChar>?, table: UnsafePointer<CChar>?, row: Int64) {
    kind =
      switch code {
      case SQLITE_INSERT: .insert
      case SQLITE_DELETE: .delete
      default: .update
      }
    self.database = database.map { String(cString: $0) } ?? ""
    self.table = table.map { String(cString: $0) } ?? ""
    self.row = row
  }

  /// `insert main.notes 1`.
  public var description: String { "\(kind) \(database).\(table) \(row)" }
}
