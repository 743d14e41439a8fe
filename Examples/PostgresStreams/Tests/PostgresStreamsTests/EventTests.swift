import CPostgres
import Callbacks
import EventLoops
import Streams
import StreamsTesting
import Testing

@testable import PostgresStreams

extension PostgresTests {
  @Suite("Events and notices") struct EventTests {
    @Test
    func `two independent observers share one event procedure, which libpq takes once (K2); destroying completes them`()
      async throws
    {
      try await withServer { _, server in
        let before = DroppedCalls.soFar
        let connection = try PostgresConnection(server.parameters)
        let first = connection.events.record()
        let second = connection.events.record()
        try connection.query("SELECT * FROM generate_series(1, 3)")
        #expect(first.elements == [.result(rows: 3)])
        first.dispose()
        // libpq cannot unregister the procedure, so the next observer uses the same registration.
        second.dispose()
        try connection.query("SELECT 1")
        let third = connection.events.record()
        try connection.reset()
        try connection.query("SELECT 1 WHERE false")
        #expect(first.elements.count == 1 && second.elements == [.result(rows: 3)])
        #expect(third.elements.contains(.reset) && third.elements.last == .result(rows: 0))
        connection.close()
        #expect(third.isCompleted)
        #expect(!second.isCompleted)
        #expect(DroppedCalls.soFar == before)
      }
    }

    @Test func `a second registration of the procedure fails with a typed error, and leaks nothing (F1)`() async throws
    {
      try await withServer { _, server in
        let connection = try PostgresConnection(server.parameters)
        let first = Operation.events(of: connection.connection).record()
        let second = Operation.events(of: connection.connection).record()
        #expect(second.failure?.message.contains("already") == true)
        try connection.query("SELECT 1")
        #expect(first.elements == [.result(rows: 1)])
        connection.close()
        #expect(first.isCompleted)
      }
    }

    @Test func `PGEVT_CONNDESTROY frees the box and what it holds, not before, and once`() async throws {
      try await withServer { _, server in
        weak var held: Witness?
        var ends = 0
        let connection = try PostgresConnection(server.parameters)
        do {
          let witness = Witness()
          held = witness
          let callback = EventCallback({ _ in withExtendedLifetime(witness) {} }, onEnd: { ends += 1 })
          let status = PQregisterEventProc(
            connection.connection.pointer,
            { id, _, context in
              if id == PGEVT_CONNDESTROY { EventCallback.giveBack(context) }
              return 1
            }, "test", callback.context)
          #expect(status == 1)
        }
        try connection.query("SELECT 1")
        #expect(held != nil && ends == 0)
        connection.close()
        #expect(held == nil && ends == 1)
        connection.close()
        #expect(ends == 1)
      }
    }

    @Test func `notices come after the call that they belong to, and the observer may use the connection`() async throws
    {
      try await withServer { _, server in
        let connection = try PostgresConnection(server.parameters)
        let bag = DisposeBag()
        var log: [String] = []
        connection.notices.observe(
          next: { notice in
            log.append("\(notice.severity) \(notice.message)")
            log.append((try? connection.query("SELECT 'used'"))?[0][0] ?? "not used")
          }, termination: { end in log.append("\(end)") }
        ).dispose(in: bag)
        try connection.query("DO $$ BEGIN RAISE NOTICE 'one'; RAISE WARNING 'two'; END $$")
        #expect(log == ["NOTICE one", "used", "WARNING two", "used"])
        connection.close()
        #expect(log.last == "completed")
      }
    }

    @Test
    func `a statement that fails throws the server's words and its state; letting go of the connection closes it`()
      async throws
    {
      try await withServer { _, server in
        var connection: PostgresConnection? = try PostgresConnection(server.parameters)
        do {
          try connection?.query("SELECT * FROM absent")
          throw TestError("it has not failed")
        } catch let error as PostgresError {
          #expect(error.state == "42P01")
          #expect(error.message.contains("absent"))
        }
        let events = connection?.events.record()
        #expect(try connection?.query("SELECT $1::text IS NULL", nil) == [["t"]])
        connection = nil
        #expect(events?.isCompleted == true)
      }
    }
  }
}
