import EventLoops
import Streams
import StreamsTesting
import Testing

@testable import PostgresStreams

extension PostgresTests {
  @Suite("Text and transactions") struct TextTests {
    @Test func `channels are told apart by their bytes; a quote in a name may be a part of a character`()
      async throws
    {
      try await withServer { loop, server in
        let connection = try PostgresConnection(server.parameters)
        let names = ["caf\u{E9}", "cafe\u{301}", "a\"\u{301}b"]
        let records = names.map { connection.notifications(on: $0).record() }
        for name in names { try connection.query("SELECT pg_notify($1, 'x')", name) }
        try loop.run(until: "all have arrived") { records.allSatisfy { !$0.elements.isEmpty } }
        for (name, record) in zip(names, records) {
          #expect(record.elements.map { Array($0.channel.utf8) } == [Array(name.utf8)])
          record.dispose()
        }
        connection.close()
      }
    }

    @Test func `text is UTF-8 in a database with another encoding, too`() async throws {
      try await withServer { loop, server in
        let first = try PostgresConnection(server.parameters)
        try first.query("CREATE DATABASE latin ENCODING LATIN1 TEMPLATE template0")
        first.close()
        let parameters = server.parameters.replacing("dbname=postgres", with: "dbname=latin client_encoding=LATIN1")
        let connection = try PostgresConnection(parameters)
        #expect(try connection.query("SELECT chr(233), length($1)", "é") == [["é", "1"]])
        connection.close()
        let record = Operation.postgres(parameters).record()
        try loop.run(until: "it is connected") { !record.elements.isEmpty }
        #expect(try record.elements.first?.query("SELECT chr(233), length($1)", "é") == [["é", "1"]])
        #expect(throws: PostgresError.self) { try PostgresConnection(parameters + "\0host=nowhere") }
      }
    }

    @Test func `a stream that begins in a transaction survives the rollback`() async throws {
      try await withServer { loop, server in
        let connection = try PostgresConnection(server.parameters)
        try connection.query("BEGIN")
        let record = connection.notifications(on: "news").record()
        try connection.query("ROLLBACK")
        try connection.query("NOTIFY news")
        try loop.run(until: "it has arrived") { record.elements.count == 1 }
        record.dispose()
        connection.close()
      }
    }

    @Test func `a refused COPY leaves no transaction open`() async throws {
      try await withServer { loop, server in
        let connection = try PostgresConnection(server.parameters)
        let other = try PostgresConnection(server.parameters + " options='-c lock_timeout=1s'")
        try connection.query("CREATE TABLE copied (text text)")
        #expect(throws: PostgresError.self) { try connection.query("COPY copied FROM STDIN") }
        #expect(throws: PostgresError.self) { try connection.query("COPY copied TO STDOUT") }
        try other.query("DROP TABLE copied")
        connection.close()
        other.close()
      }
    }

    @Test func `an observer that has closed the connection can run no statement`() async throws {
      try await withServer { loop, server in
        let connection = try PostgresConnection(server.parameters)
        var errors: [PostgresError?] = []
        let record = connection.notifications(on: "news").doOn(next: { _ in
          connection.close()
          #expect(connection.isClosed)
          for call in [{ try connection.query("SELECT 1") as Any }, { try connection.reset() as Any }] {
            errors.append(#expect(throws: PostgresError.self) { try call() })
          }
        }).record()
        try connection.query("NOTIFY news")
        #expect(errors == [.closed, .closed])
        #expect(record.isCompleted)
      }
    }
  }
}
