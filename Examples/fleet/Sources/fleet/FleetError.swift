import Headwater
import MQTTStreams
import SQLiteStreams

/// The reason why a node or the collector cannot continue.
nonisolated enum FleetError: Error, CustomStringConvertible {
  /// The directory cannot be watched.
  case watch(FileWatchError)
  /// The database cannot be opened, read, or written.
  case database(String, SQLiteError)
  /// Another process uses the database.
  case databaseInUse(String)
  /// A row of the database cannot be read as a change.
  case unreadable(String, row: Int64)
  /// The file is a database, but not one of this role.
  case otherDatabase(String, role: String)
  /// There is no file to read.
  case noDatabase(String)
  /// The database lies in the watched directory, so that each change would cause the next one.
  case databaseInDirectory(String)
  /// The broker's address, the name, or the topic is invalid.
  case invalid(MQTTError)
  /// The numbers of this node went backwards: the collector has other changes, or more, under its name.
  case numbersWentBack(node: String, stored: Int64)

  /// What went wrong, then what to do.
  var description: String {
    switch self {
    case .watch(let error): error.description
    case .database(let path, let error):
      "The database \(path) failed: \(error.message). Repair it, or move it away to begin with a new one."
    case .unreadable(let path, let row):
      "The change \(row) in the database \(path) cannot be read. Repair it, or move the file away to begin with a new one."
    case .databaseInUse(let path):
      "The database \(path) is in use by another process. Give each node a database of its own."
    case .otherDatabase(let path, let role):
      "\(path) is not the database of a \(role). Name another file."
    case .noDatabase(let path):
      "The database \(path) cannot be read. Name the file that the collector was started with."
    case .databaseInDirectory(let path):
      "The database \(path) lies in the watched directory. Put it elsewhere, or each change would cause another one."
    case .invalid(let error):
      "The connection cannot be made: \(error). Check --host, --port, --topic, and the name."
    case .numbersWentBack(let node, let stored):
      """
      The numbers of \(node) went backwards: the collector has \(stored) changes under this name that this database does \
      not have. Use the database that recorded them, or start the node under another name.
      """
    }
  }
}
