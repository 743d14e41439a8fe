import CSQLite
import Callbacks
import Streams
import StreamsTesting
import Testing

@testable import SQLiteStreams

extension SQLiteTests {
  @Suite("Unlocking") struct UnlockTests {
    @Test func `three waiters are told in one call, after the commit has returned, and try again (C5)`() throws {
      let cache = SharedCache("three")
      let writer = try cache.open()
      try writer.execute("CREATE TABLE notes (title TEXT); BEGIN; INSERT INTO notes VALUES ('a')")
      let bag = DisposeBag()
      var log: [String] = []
      let waiters = try (1...3).map { number in
        let waiter = try cache.open()
        let error = failure { () throws(SQLiteError) in try waiter.query("SELECT * FROM notes") }
        #expect(error?.code == SQLITE_LOCKED | 1 << 8, "SQLITE_LOCKED_SHAREDCACHE")
        waiter.unlocked.observe(
          next: {
            // SQLite must not be called inside the notification. The element is delivered after it.
            let rows = try? waiter.query("SELECT count(*) FROM notes")
            log.append("waiter \(number) reads \(rows?[0][0] ?? nil)")
          },
          termination: { _ in log.append("end \(number)") }
        ).dispose(in: bag)
        return waiter
      }
      #expect(log.isEmpty)
      try writer.execute("COMMIT")
      log.append("committed")
      #expect(
        log.sorted() == [
          "committed", "end 1", "end 2", "end 3", "waiter 1 reads 1", "waiter 2 reads 1", "waiter 3 reads 1",
        ])
      #expect(log.last == "committed")
      for database in waiters + [writer] { database.close() }
    }

    /// The number of contexts in each call by SQLite.
    private static let counts = Lock<[Int32]>([])

    @Test func `SQLite merges the waiters of one transaction into one call, and each box is called once`() throws {
      let cache = SharedCache("merged")
      let writer = try cache.open()
      try writer.execute("CREATE TABLE notes (title TEXT); BEGIN; INSERT INTO notes VALUES ('a')")
      var told: [Int] = []
      let waiters = try (1...3).map { number in
        let waiter = try cache.open()
        #expect(failure { () throws(SQLiteError) in try waiter.query("SELECT * FROM notes") } != nil)
        let callback = OnceCallback<Void> { told.append(number) }
        let code = sqlite3_unlock_notify(
          waiter.connection.pointer,
          { contexts, count in
            UnlockTests.counts.withLock { $0.append(count) }
            for index in 0..<Int(count) { OnceCallback<Void>.call(contexts?[index]) }
          }, callback.context)
        #expect(code == SQLITE_OK)
        return waiter
      }
      try writer.execute("COMMIT")
      #expect(told.sorted() == [1, 2, 3])
      #expect(Self.counts.withLock { $0 } == [3])
      for database in waiters + [writer] { database.close() }
    }

    @Test func `a waiter that is disposed of is not told; one that nothing blocks is told at once; closing completes`()
      throws
    {
      let cache = SharedCache("others")
      let writer = try cache.open()
      let waiter = try cache.open()
      #expect(waiter.unlocked.record().elements.count == 1)

      try writer.execute("CREATE TABLE notes (title TEXT); BEGIN; INSERT INTO notes VALUES ('a')")
      #expect(failure { () throws(SQLiteError) in try waiter.query("SELECT * FROM notes") } != nil)
      let disposed = waiter.unlocked.record()
      disposed.dispose()
      try writer.execute("COMMIT")
      #expect(disposed.events.isEmpty)

      try writer.execute("BEGIN; INSERT INTO notes VALUES ('b')")
      #expect(failure { () throws(SQLiteError) in try waiter.query("SELECT * FROM notes") } != nil)
      let closed = waiter.unlocked.record()
      waiter.close()
      #expect(closed.isCompleted && closed.elements.isEmpty)
      #expect(waiter.unlocked.record().isCompleted)
      writer.close()
    }

    @Test func `two that wait for each other: the second one's stream fails with SQLITE_LOCKED`() throws {
      let cache = SharedCache("deadlock")
      let first = try cache.open()
      let second = try cache.open()
      try first.execute("CREATE TABLE a (x); CREATE TABLE b (x); PRAGMA read_uncommitted = 0")
      try first.execute("BEGIN; SELECT * FROM a")
      try second.execute("BEGIN; SELECT * FROM b")
      let firstError = failure { () throws(SQLiteError) in try first.execute("INSERT INTO b VALUES (1)") }
      let secondError = failure { () throws(SQLiteError) in try second.execute("INSERT INTO a VALUES (1)") }
      #expect(firstError?.code == SQLITE_LOCKED | 1 << 8)
      #expect(secondError?.code == SQLITE_LOCKED | 1 << 8)
      let waiting = first.unlocked.record()
      #expect(waiting.events.isEmpty)
      #expect(second.unlocked.record().failure?.primaryCode == SQLITE_LOCKED)
      try second.execute("ROLLBACK")
      #expect(waiting.elements.count == 1 && waiting.isCompleted)
      first.close()
      second.close()
    }
  }
}
