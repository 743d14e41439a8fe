import CSQLite
import Callbacks
import Streams
import StreamsTesting
import Testing

@testable import SQLiteStreams

extension SQLiteTests {
  @Suite("Functions and collations") struct FunctionTests {
    @Test func `values of every type go through statements and functions and come back: SQLite copies them`() throws {
      let database = try Database()
      let function = try database.function("echo", arguments: 1) { $0[0] }
      let long = String(repeating: "ä", count: 100_000)
      let values: [SQLiteValue] = [
        nil, 42, 0.5, "", "text\0with a null", .text(long), .blob([]), .blob([0, 1, 255]),
        .blob(Array(repeating: 7, count: 100_000)),
      ]
      for value in values {
        // The memory of the bound values is freed before the statement runs.
        #expect(try database.query("SELECT echo(?), ?", value, value) == [[value, value]])
      }
      function.dispose()
      database.close()
    }

    @Test func `a text for which SQLite has had no memory is empty`() {
      // It returns NULL, and the number of bytes if it has memory again when it is asked for that.
      #expect(SQLiteValue.text(nil, 5) == "")
    }

    @Test func `what a function throws fails the statement with its description`() throws {
      let database = try Database()
      let function = try database.function("fail", arguments: 0) { _ in throw TestError("no luck") }
      let error = failure { () throws(SQLiteError) in try database.query("SELECT fail()") }
      #expect(error == SQLiteError(code: SQLITE_ERROR, message: "TestError(no luck)"))
      function.dispose()
      #expect(
        failure { () throws(SQLiteError) in try database.query("SELECT fail()") }?.message == "no such function: fail")
      database.close()
    }

    @Test func `a function is let go of when it is disposed of, when it is replaced, and when the database is closed`()
      throws
    {
      let database = try Database()
      func add(_ answer: SQLiteValue) throws -> (any Disposable, () -> Bool) {
        let witness = Witness()
        let function = try database.function("answer", arguments: 0) { _ in withExtendedLifetime(witness) { answer } }
        return (function, { [weak witness] in witness == nil })
      }
      let (first, firstIsGone) = try add(1)
      let (second, secondIsGone) = try add(2)
      #expect(firstIsGone())
      // The second function has replaced the first, so this removes nothing.
      first.dispose()
      #expect(try database.query("SELECT answer()") == [[2]])
      #expect(!secondIsGone())
      second.dispose()
      #expect(secondIsGone())
      let (_, thirdIsGone) = try add(3)
      #expect(!thirdIsGone())
      database.close()
      #expect(thirdIsGone())
    }

    @Test func `a function may dispose of itself while it runs, and may use the database`() throws {
      let database = try Database()
      let bag = DisposeBag()
      try database.function("once", arguments: 0) { [unowned database] _ in
        bag.dispose()
        return try database.query("SELECT 6 * 7")[0][0]
      }.dispose(in: bag)
      #expect(try database.query("SELECT once()") == [[42]])
      #expect(failure { () throws(SQLiteError) in try database.query("SELECT once()") } != nil)
      database.close()
    }

    @Test func `a function that cannot be registered is freed once, by SQLite (F2)`() throws {
      let database = try Database()
      weak var released: Witness?
      let before = DroppedCalls.soFar
      let error = failure { () throws(SQLiteError) in
        let witness = Witness()
        released = witness
        // SQLite does not allow so many arguments.
        _ = try database.function("many", arguments: 1000) { _ in withExtendedLifetime(witness) { nil } }
      }
      #expect(error?.code == SQLITE_MISUSE)
      #expect(released == nil)
      #expect(DroppedCalls.soFar == before)
      database.close()
    }

    @Test func `a collation that cannot be registered leaks nothing: SQLite leaves the box to us (F1)`() throws {
      let database = try Database()
      weak var released: Witness?
      let error = failure { () throws(SQLiteError) in
        let witness = Witness()
        released = witness
        _ = try database.collation("BAD", encoding: 99) { _, _ in withExtendedLifetime(witness) { 0 } }
      }
      #expect(error?.code == SQLITE_MISUSE)
      #expect(released == nil)
      database.close()
    }

    @Test func `a collation orders, and is gone when it is disposed of`() throws {
      let database = try Database()
      try database.execute("CREATE TABLE words (word TEXT); INSERT INTO words VALUES ('ccc'), ('a'), ('bb'), ('')")
      let query = "SELECT word FROM words ORDER BY word COLLATE LENGTH DESC"
      let collation = try database.collation("LENGTH") { $0.count - $1.count }
      #expect(try database.query(query) == [["ccc"], ["bb"], ["a"], [""]])
      collation.dispose()
      #expect(
        failure { () throws(SQLiteError) in try database.query(query) }?.message == "no such collation sequence: LENGTH"
      )
      database.close()
    }
  }
}
