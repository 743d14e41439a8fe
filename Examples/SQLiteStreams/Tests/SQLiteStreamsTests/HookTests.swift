import CSQLite
import Callbacks
import Delegates
import Streams
import StreamsTesting
import Testing

@testable import SQLiteStreams

extension SQLiteTests {
  @Suite("Hooks") struct HookTests {
    @Test func `a commit is answered: a veto rolls back and fails the statement with SQLITE_CONSTRAINT_COMMITHOOK`()
      throws
    {
      let database = try Database()
      try database.execute("CREATE TABLE notes (title TEXT)")
      let bag = DisposeBag()
      var log: [String] = []
      database.commits.observeNext { log.append("commit") }.dispose(in: bag)
      database.rollbacks.observeNext { log.append("rollback") }.dispose(in: bag)
      var verdict = false
      let answer = try database.mayCommit.answer { verdict }
      let error = failure { () throws(SQLiteError) in try database.execute("INSERT INTO notes VALUES ('a')") }
      #expect(error?.primaryCode == SQLITE_CONSTRAINT)
      #expect(error?.code == SQLITE_CONSTRAINT | 2 << 8)
      #expect(try database.query("SELECT count(*) FROM notes") == [[0]])
      verdict = true
      try database.execute("INSERT INTO notes VALUES ('a')")
      verdict = false
      answer.dispose()
      try database.execute("BEGIN; INSERT INTO notes VALUES ('b'); ROLLBACK; INSERT INTO notes VALUES ('c')")
      #expect(log == ["rollback", "commit", "rollback", "commit"])
      #expect(try database.query("SELECT title FROM notes") == [["a"], ["c"]])
      bag.dispose()
      database.close()
    }

    @Test func `a statement that fails after its commit is reported as a commit and as a failure`() throws {
      let database = try Database()
      try database.execute("CREATE TABLE notes (title TEXT UNIQUE)")
      let commits = database.commits.record()
      let error = failure { () throws(SQLiteError) in
        try database.execute("INSERT OR FAIL INTO notes VALUES ('a'), ('a'), ('b')")
      }
      #expect(error?.primaryCode == SQLITE_CONSTRAINT)
      #expect(try database.query("SELECT title FROM notes") == [["a"]])
      #expect(commits.elements.count == 1)
      _ = failure { () throws(SQLiteError) in try database.execute("INSERT INTO notes VALUES ('b'), ('a')") }
      #expect(commits.elements.count == 1)
      database.close()
    }

    @Test func `a commit that a lock prevents is no element, and nobody is asked, until it succeeds`() throws {
      try withFile { path in
        let writer = try Database(path)
        let reader = try Database(path)
        try writer.execute("CREATE TABLE notes (title TEXT)")
        try reader.execute("BEGIN; SELECT * FROM notes")
        let commits = writer.commits.record()
        var asked = 0
        let answer = try writer.mayCommit.answer {
          asked += 1
          return true
        }
        try writer.execute("BEGIN; INSERT INTO notes VALUES ('a')")
        #expect(failure { () throws(SQLiteError) in try writer.execute("COMMIT") }?.primaryCode == SQLITE_BUSY)
        #expect(asked == 0)
        #expect(commits.elements.isEmpty)
        try reader.execute("COMMIT")
        try writer.execute("COMMIT")
        #expect(asked == 1)
        #expect(commits.elements.count == 1)
        answer.dispose()
        reader.close()
        writer.close()
      }
    }

    @Test func `a database that is closed inside a hook first tells what the statement has done`() throws {
      let database = try Database()
      try database.execute("CREATE TABLE notes (title TEXT)")
      let (commits, changes) = (database.commits.record(), database.changes.record())
      let answer = try database.mayCommit.answer { [unowned database] in
        database.close()
        return true
      }
      try database.execute("INSERT INTO notes VALUES ('a')")
      #expect(commits.elements.count == 1 && commits.isCompleted)
      #expect(changes.elements.count == 1 && changes.isCompleted)
      answer.dispose()
    }

    @Test func `a statement that an observer runs after close() throws; each that has run is told`() throws {
      let database = try Database()
      try database.execute("CREATE TABLE notes (title TEXT)")
      let recorder = database.commits.record()
      var (ran, refused) = (0, 0)
      let subscription = database.commits.observeNext { [unowned database] in
        if ran == 2 { database.close() }
        for _ in 0..<2 where ran + refused < 8 {
          do {
            try database.execute("INSERT INTO notes VALUES ('a')")
            ran += 1
          } catch { refused += 1 }
        }
      }
      try database.execute("INSERT INTO notes VALUES ('first')")
      #expect(recorder.elements.count == ran + 1 && recorder.isCompleted)
      #expect(refused > 0 && subscription.isDisposed && database.isClosed)
    }

    @Test func `a database may be closed again as one of its streams ends`() throws {
      let cache = SharedCache("closing")
      let (first, second) = (try cache.open(), try cache.open())
      try first.execute("CREATE TABLE t(a); BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
      _ = try? second.query("SELECT * FROM t")
      var ends = 0
      let subscription = second.unlocked.observe(
        next: { _ in },
        termination: { _ in
          ends += 1
          second.close()
        })
      second.close()
      #expect(ends == 1 && subscription.isDisposed)
      first.close()
    }

    @Test func `a handler that uses the database gets an error instead of a broken database`() throws {
      let database = try Database()
      try database.execute("CREATE TABLE notes (title TEXT)")
      var errors: [SQLiteError?] = []
      let answer = try database.mayCommit.answer { [unowned database] in
        errors.append(failure { () throws(SQLiteError) in try database.execute("INSERT INTO notes VALUES ('b')") })
        return true
      }
      try database.execute("INSERT INTO notes VALUES ('a')")
      #expect(errors.map(\.?.code) == [SQLITE_MISUSE])
      #expect(try database.query("SELECT title FROM notes") == [["a"]])
      answer.dispose()
      database.close()
    }

    @Test func `replacing a hook frees the box of the one before, at once (E4)`() throws {
      let database = try Database()
      try database.execute("CREATE TABLE notes (title TEXT)")
      var asked: [Int] = []
      weak var previous: Witness?
      for round in 1...3 {
        let witness = Witness()
        let callback = LentCallback<Int32> {
          withExtendedLifetime(witness) { asked.append(round) }
          return 0
        }
        LentCallback<Int32>.giveBack(
          sqlite3_commit_hook(
            database.connection.pointer, { LentCallback<Int32>.call($0, otherwise: 1) }, callback.context))
        #expect(previous == nil, "SQLite has returned the context of round \(round - 1)")
        previous = witness
        try database.execute("INSERT INTO notes VALUES ('a')")
      }
      #expect(asked == [1, 2, 3])
      #expect(previous != nil, "SQLite holds the last one")
      database.close()
      #expect(previous == nil)
    }

    @Test func `an update hook that somebody else replaces ends the stream it belonged to`() throws {
      let database = try Database()
      try database.execute("CREATE TABLE notes (title TEXT)")
      let changes = database.changes.record()
      var rows: [Int64] = []
      let other = LentCallback<Int64, Void> { rows.append($0) }
      let pointer = try #require(database.connection.pointer)
      LentCallback<Change, Void>.giveBack(
        sqlite3_update_hook(pointer, { LentCallback<Int64, Void>.call($0, $4) }, other.context))
      #expect(changes.isCompleted)
      try database.execute("INSERT INTO notes VALUES ('a')")
      #expect(rows == [1])
      changes.dispose()
      database.close()
      #expect(other.isEnded)
    }

    @Test func `a locked file is asked about, until the handler gives up or the lock has gone`() throws {
      try withFile { path in
        let writer = try Database(path)
        try writer.execute("CREATE TABLE notes (title TEXT); BEGIN IMMEDIATE; INSERT INTO notes VALUES ('a')")
        let other = try Database(path)
        let insert = "INSERT INTO notes VALUES ('b')"
        #expect(failure { () throws(SQLiteError) in try other.execute(insert) }?.primaryCode == SQLITE_BUSY)

        var attempts: [Int] = []
        let patience = try other.triesAgain.answer { attempt in
          attempts.append(attempt)
          return attempt < 2
        }
        #expect(failure { () throws(SQLiteError) in try other.execute(insert) }?.primaryCode == SQLITE_BUSY)
        #expect(attempts == [0, 1, 2])

        attempts = []
        let helper = other.triesAgain.replaceAnswer { attempt in
          attempts.append(attempt)
          // A handler can use another connection.
          if attempt == 1 { try? writer.execute("COMMIT") }
          return true
        }
        #expect(patience.isDisposed)
        try other.execute(insert)
        #expect(attempts == [0, 1])
        #expect(try writer.query("SELECT title FROM notes") == [["a"], ["b"]])
        helper.dispose()
        other.close()
        writer.close()
      }
    }
  }
}
