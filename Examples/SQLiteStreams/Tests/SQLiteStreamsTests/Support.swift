import Glibc
import SQLiteStreams
import StreamsTesting
import Testing

/// All tests of SQLite. They run serially, because shared caches are global to the process.
@Suite("SQLite", .serialized, .noLiveResources)
enum SQLiteTests {}

/// An object whose deallocation a test can observe.
final class Witness {}

/// Returns the error of `body`, or nil if it succeeds.
func failure(_ body: () throws(SQLiteError) -> Void) -> SQLiteError? {
  do throws(SQLiteError) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// Calls `body` with the path of a file that does not exist, and deletes the file afterward.
func withFile<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
  var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/sqlite-streams-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw TestError("mkdtemp") }
  let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  defer {
    unlink(directory + "/test.db")
    rmdir(directory)
  }
  return try body(directory + "/test.db")
}
