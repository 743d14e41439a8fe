import Glibc
import SQLiteStreams
import StreamsTesting
import Testing

/// All tests of SQLite, one after the other: shared caches are the process's.
@Suite("SQLite", .serialized, .noLiveResources)
enum SQLiteTests {}

/// Something of which a test sees when it is let go of.
final class Witness {}

/// What `body` fails with.
func failure(_ body: () throws(SQLiteError) -> Void) -> SQLiteError? {
  do throws(SQLiteError) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// The path of a file that is not there, and is gone after `body`.
func withFile<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
  var template = Array("/tmp/sqlite-streams-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw TestError("mkdtemp") }
  let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  defer {
    unlink(directory + "/test.db")
    rmdir(directory)
  }
  return try body(directory + "/test.db")
}
