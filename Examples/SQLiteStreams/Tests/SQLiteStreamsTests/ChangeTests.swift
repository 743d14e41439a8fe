import CSQLite
import Callbacks
import EventLoops
import SQLiteStreams
import Streams
import StreamsTesting
import Testing

extension SQLiteTests {
  @Suite("Changes") struct ChangeTests {
    private static func notes() throws -> Database {
      let database = try Database()
      try database.execute("CREATE TABLE notes (title TEXT)")
      return database
    }

    @Test func `text with a zero byte is refused, and no statement runs`() throws {
      let database = try Database()
      let refused = SQLiteError(code: SQLITE_MISUSE, message: "the text contains a zero byte")
      #expect(throws: refused) { try database.execute("CREATE TABLE a(x);\0CREATE TABLE b(x);") }
      #expect(throws: refused) { try database.query("SELECT 1\0") }
      #expect(throws: refused) { try database.function("a\0b", arguments: 0) { _ in .null } }
      #expect(throws: refused) { try database.collation("a\0b") { _, _ in 0 } }
      #expect(throws: refused) { try Database("x\0y.db") }
      #expect(try database.query("SELECT * FROM sqlite_schema").isEmpty)
    }

    @Test func `inserts, updates and deletes are elements, in order, with their rows`() throws {
      let database = try Self.notes()
      let changes = database.changes.record()
      try database.execute(
        """
        INSERT INTO notes VALUES ('milk'), ('eggs'); -- two rows
        UPDATE notes SET title = 'bread' WHERE rowid = 2;
        DELETE FROM notes WHERE rowid = 1;
        """)
      #expect(
        changes.elements.map(\.description) == [
          "insert main.notes 1", "insert main.notes 2", "update main.notes 2", "delete main.notes 1",
        ])
      changes.dispose()
      database.close()
    }

    @Test func `they are delivered when the statement has returned, so the observer may use the database`() throws {
      let database = try Self.notes()
      let bag = DisposeBag()
      var log: [String] = []
      try database.function("log", arguments: 1) { arguments in
        log.append("inside")
        return arguments[0]
      }.dispose(in: bag)
      var titles: [SQLiteValue] = []
      database.changes.observeNext { change in
        log.append("change \(change.row)")
        titles += (try? database.query("SELECT title FROM notes WHERE rowid = ?", .integer(change.row)))?.first ?? []
        // The observer can also change the database. That change is delivered after this one.
        if change.row == 1 { try? database.execute("INSERT INTO notes VALUES ('third')") }
      }.dispose(in: bag)
      try database.query("INSERT INTO notes SELECT log(value) FROM (SELECT 'a' AS value UNION ALL SELECT 'b')")
      log.append("returned")
      #expect(log == ["inside", "inside", "change 1", "change 2", "change 3", "returned"])
      #expect(titles == ["a", "b", "third"])
      bag.dispose()
      database.close()
    }

    @Test func `cold until observed, shared by all observers, installed and removed with the first and the last`()
      throws
    {
      let database = try Self.notes()
      let stream = database.changes
      try database.execute("INSERT INTO notes VALUES ('nobody listens')")
      for _ in 0..<3 {
        let first = stream.record()
        let second = stream.record()
        try database.execute("INSERT INTO notes VALUES ('x')")
        #expect(first.elements.count == 1)
        first.dispose()
        try database.execute("INSERT INTO notes VALUES ('y')")
        #expect(first.elements.count == 1)
        #expect(second.elements.count == 2)
        second.dispose()
      }
      let before = DroppedCalls.soFar
      try database.execute("INSERT INTO notes VALUES ('nobody listens')")
      #expect(DroppedCalls.soFar == before, "the hook has been removed")
      database.close()
    }

    @Test func `an observer that disposes of itself gets no more, also of the same statement`() throws {
      let database = try Self.notes()
      let bag = DisposeBag()
      var rows: [Int64] = []
      database.changes.observeNext { change in
        rows.append(change.row)
        if change.row == 2 { bag.dispose() }
      }.dispose(in: bag)
      try database.execute("INSERT INTO notes VALUES ('a'), ('b'), ('c')")
      #expect(rows == [1, 2])
      database.close()
    }

    @Test func `closing completes the streams, and a late observer completes at once`() throws {
      let database = try Self.notes()
      let changes = database.changes.record()
      let commits = database.commits.record()
      let rollbacks = database.rollbacks.record()
      try database.execute("INSERT INTO notes VALUES ('a')")
      database.close()
      database.close()
      #expect(database.isClosed)
      #expect(changes.elements.count == 1)
      #expect(commits.elements.count == 1)
      #expect(changes.isCompleted && commits.isCompleted && rollbacks.isCompleted)
      #expect(database.changes.record().isCompleted)
      #expect(database.commits.record().isCompleted)
      #expect(
        failure { () throws(SQLiteError) in try database.execute("SELECT 1") }?.message.contains("closed") == true)
    }

    @Test
    func `letting go of the database closes it; so does close() from inside of a statement, when that has returned`()
      throws
    {
      let abandoned: Recorder<Change, Never>
      do { abandoned = try Self.notes().changes.record() }
      #expect(abandoned.isCompleted)

      let database = try Self.notes()
      let changes = database.changes.record()
      _ = try database.function("leave", arguments: 0) { [unowned database] _ in
        database.close()
        #expect(!database.isClosed)
        return 1
      }
      try database.execute("INSERT INTO notes VALUES (leave())")
      #expect(database.isClosed)
      #expect(changes.elements.count == 1)
      #expect(changes.isCompleted)
    }

    @Test func `a database that dies on another thread is closed at home`() async throws {
      let isCompleted = try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        // This thread does not use the database while the other thread releases it.
        nonisolated(unsafe) var database: Database? = try Self.notes()
        let changes = database?.changes.record()
        try database?.execute("INSERT INTO notes VALUES ('a')")
        let thread = Queue(label: "elsewhere")
        try thread.sync { database = nil }
        #expect(changes?.isCompleted == false)
        // Closes the database, which the other thread has posted to this loop.
        loop.run()
        return changes?.isCompleted
      }
      #expect(isCompleted == true)
    }
  }
}
