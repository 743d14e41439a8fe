import Callbacks
import EventLoops
import Streams
import StreamsTesting
import Testing

@testable import PostgresStreams

extension PostgresTests {
  @Suite("Notifications") struct NotificationTests {
    @Test func `10,000 notifications arrive on the loop in order, of one transaction and of many`() async throws {
      try await withServer { loop, server in
        let listener = try PostgresConnection(server.parameters)
        let sender = try PostgresConnection(server.parameters)
        let bag = DisposeBag()
        var numbers: [Int?] = []
        var senders: Set<Int32> = []
        listener.notifications(on: "numbers").observeNext { notification in
          #expect(Loop.current === loop)
          numbers.append(Int(notification.payload))
          senders.insert(notification.sender)
        }.dispose(in: bag)
        let silent = listener.notifications(on: "others").record()
        try sender.query("SELECT pg_notify('numbers', i::text) FROM generate_series(0, 9499) AS i")
        for number in 9500..<10_000 { try sender.query("SELECT pg_notify('numbers', $1)", "\(number)") }
        try loop.run(until: "all have arrived") { numbers.count >= 10_000 }
        #expect(numbers == Array(0..<10_000))
        #expect(senders.count == 1)
        #expect(silent.events.isEmpty)
        silent.dispose()
        bag.dispose()
        listener.close()
        sender.close()
      }
    }

    @Test func `an observed channel keeps its connection, which nothing else has`() async throws {
      try await withServer { loop, server in
        weak var kept: PostgresConnection?
        func listen() throws -> Recorder<PostgresNotification, PostgresError> {
          let connection = try PostgresConnection(server.parameters)
          kept = connection
          return connection.notifications(on: "news").record()
        }
        let news = try listen()
        let sender = try PostgresConnection(server.parameters)
        try sender.query("SELECT pg_notify('news', 'one')")
        try loop.run(until: "it has arrived") { !news.events.isEmpty }
        #expect(news.elements.map(\.payload) == ["one"] && kept != nil)
        news.dispose()
        #expect(kept == nil)
        sender.close()
      }
    }

    @Test func `cold: the first observer listens, the last one to leave unlistens; both hear; names are quoted`()
      async throws
    {
      try await withServer { loop, server in
        let connection = try PostgresConnection(server.parameters)
        let channels = "SELECT count(*) FROM pg_listening_channels()"
        let stream = connection.notifications(on: "Odd \"name\"")
        #expect(try connection.query(channels) == [["0"]])
        let first = stream.record()
        let second = stream.record()
        #expect(try connection.query(channels) == [["1"]])
        // A notification of the connection to itself is read with the result, and delivered after the call.
        try connection.query("SELECT pg_notify($1, $2)", "Odd \"name\"", "ä")
        try loop.run(until: "both have heard") { first.elements.count == 1 && second.elements.count == 1 }
        #expect(first.elements.map(\.payload) == ["ä"] && second.elements.map(\.channel) == ["Odd \"name\""])
        first.dispose()
        #expect(try connection.query(channels) == [["1"]])
        second.dispose()
        #expect(try connection.query(channels) == [["0"]])
        try connection.query("SELECT pg_notify($1, $2)", "Odd \"name\"", "late")
        #expect(second.elements.count == 1)
        // No socket is watched, so nothing keeps the loop running.
        loop.run()
        connection.close()
      }
    }

    @Test func `an observer may use the connection, and may close it; what it has not heard then is not told`()
      async throws
    {
      try await withServer { loop, server in
        let connection = try PostgresConnection(server.parameters)
        let bag = DisposeBag()
        var log: [String?] = []
        connection.notifications(on: "a").observe(
          next: { notification in
            log.append((try? connection.query("SELECT 'heard ' || $1", notification.payload))?[0][0])
            if notification.payload == "2" { connection.close() }
          }, termination: { end in log.append("\(end)") }
        ).dispose(in: bag)
        let late = connection.notifications(on: "b").record()
        try connection.query("SELECT pg_notify('a', i::text) FROM generate_series(1, 4) AS i")
        try loop.run(until: "closed") { connection.isClosed }
        #expect(log == ["heard 1", "heard 2", "completed"])
        #expect(late.isCompleted && late.elements.isEmpty)
        #expect(connection.notifications(on: "a").record().failure == PostgresError("the connection has been closed"))
        loop.run()
      }
    }

    @Test
    func `a server that stops fails each stream once; when it is back reset() connects, and the new socket is watched`()
      async throws
    {
      try await withServer { loop, server in
        let connection = try PostgresConnection(server.parameters)
        let first = connection.notifications(on: "news").record()
        let second = connection.notifications(on: "news").record()
        let other = connection.notifications(on: "other").record()
        try connection.query("NOTIFY news, 'before'")
        try loop.run(until: "heard") { first.elements.count == 1 }
        try server.stop()
        try loop.run(until: "failed") { first.termination != nil && other.termination != nil }
        for recorder in [first, second] {
          #expect(recorder.events.count == 2 && recorder.failure?.message.isEmpty == false)
        }
        #expect(other.events.count == 1 && other.failure != nil)
        #expect(connection.notifications(on: "news").record().failure != nil)
        // The closed socket is not watched, so nothing keeps the loop running.
        loop.run()
        #expect(throws: PostgresError.self) { try connection.reset() }
        try server.start()
        try connection.reset()
        let third = connection.notifications(on: "news").record()
        try connection.query("NOTIFY news, 'after'")
        try loop.run(until: "heard again") { third.elements.count == 1 }
        #expect(third.elements.map(\.payload) == ["after"])
        #expect(first.events.count == 2)
        third.dispose()
        connection.close()
      }
    }

    @Test func `reset() of a connection that is well: who listens goes on listening, on another socket`() async throws {
      try await withServer { loop, server in
        let connection = try PostgresConnection(server.parameters)
        let sender = try PostgresConnection(server.parameters)
        let news = connection.notifications(on: "news").record()
        let backend = try connection.query("SELECT pg_backend_pid()")
        for round in 1...5 {
          try connection.reset()
          try sender.query("SELECT pg_notify('news', $1)", "\(round)")
          try loop.run(until: "heard") { news.elements.count == round }
        }
        #expect(try connection.query("SELECT pg_backend_pid()") != backend)
        #expect(news.elements.map(\.payload) == ["1", "2", "3", "4", "5"])
        #expect(news.termination == nil)
        connection.close()
        #expect(news.isCompleted)
        sender.close()
      }
    }

    @Test func `who listens again after reset() in the delivery of a failure goes on listening`() async throws {
      try await withServer { loop, server in
        let connection = try PostgresConnection(server.parameters)
        let sender = try PostgresConnection(server.parameters)
        var log: [String] = []
        let bag = DisposeBag()
        func listen() {
          connection.notifications(on: "news").observe(
            next: { log.append($0.payload) },
            termination: { _ in
              log.append("lost")
              do { try connection.reset() } catch { log.append("\(error)") }
              if log.count < 10 { listen() }
            }
          ).dispose(in: bag)
        }
        listen()
        let backend = try connection.query("SELECT pg_backend_pid()")[0][0]
        try sender.query("SELECT pg_terminate_backend($1::int)", backend)
        try loop.run(until: "lost") { log.count == 1 }
        try sender.query("NOTIFY news, 'after'")
        try loop.run(until: "heard") { log.count == 2 }
        #expect(log == ["lost", "after"])
        bag.dispose()
        connection.close()
        sender.close()
      }
    }

    @Test
    func `a zero byte, COPY to the client, and a long name fail with a reason, and the connection stays usable`()
      async throws
    {
      try await withServer { _, server in
        let connection = try PostgresConnection(server.parameters)
        func reason(_ statement: String, _ value: String? = nil) -> String {
          do {
            if let value { try connection.query(statement, value) } else { try connection.query(statement) }
            return ""
          } catch {
            return error.message
          }
        }
        #expect(reason("SELECT 1\0 garbage").contains("zero byte"))
        #expect(reason("SELECT $1", "before\0after").contains("zero byte"))
        #expect(reason("COPY (SELECT 1) TO STDOUT").contains("COPY"))
        // PostgreSQL would cut off the name, and the notifications would have another one.
        let long = String(repeating: "c", count: 64)
        #expect(connection.notifications(on: long).record().failure?.message.contains("63 bytes") == true)
        let news = connection.notifications(on: String(long.dropLast())).record()
        try connection.query("NOTIFY \"\(long.dropLast())\", 'text'")
        #expect(news.elements.map(\.payload) == ["text"])
        #expect(try connection.query("SELECT 2") == [["2"]])
        connection.close()
      }
    }

    @Test
    func `connecting on the loop: one connection, a typed failure, nothing after disposal; retry waits for a server`()
      async throws
    {
      try await withServer { loop, server in
        let connected = Operation.postgres(server.parameters).record()
        let absent = Operation.postgres("host=\(server.directory) user=tester dbname=absent").record()
        let abandoned = Operation.postgres(server.parameters).record()
        abandoned.dispose()
        #expect(connected.events.isEmpty, "it does not wait")
        try loop.run(until: "both have ended") { connected.termination != nil && absent.termination != nil }
        #expect(try connected.elements.first?.query("SELECT $1::int + 1", "41") == [["42"]])
        #expect(connected.isCompleted)
        #expect(absent.failure?.message.contains("absent") == true)
        #expect(abandoned.events.isEmpty)
        connected.elements.first?.close()
        try server.stop()
        var failures = 0
        let patient = Operation.postgres(server.parameters)
          .doOn(failed: { _ in failures += 1 })
          .retry(.max, delay: .milliseconds(10))
          .record()
        try loop.run(until: "some attempts have failed") { failures >= 3 }
        try server.start()
        try loop.run(until: "connected") { patient.isCompleted }
        #expect(patient.elements.count == 1)
        patient.elements.first?.close()
      }
    }
  }
}
