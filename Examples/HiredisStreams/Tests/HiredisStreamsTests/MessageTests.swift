import Callbacks
import EventLoops
import Streams
import StreamsTesting
import Testing

@testable import HiredisStreams

extension RedisTests {
  @Suite("Messages") struct MessageTests {
    @Test func `messages of two channels, in order; the last observer of a channel unsubscribes; closing completes`()
      async throws
    {
      try await withServer { loop, server in
        let sender = try loop.first(.redis(path: server.path))
        let listener = try loop.first(.redis(path: server.path))
        var log: [String] = []
        let news = listener.messages(on: "news").observe(
          next: { log.append("news \($0.text)") }, termination: { log.append("news \($0)") })
        let again = listener.messages(on: "news").observe(
          next: { log.append("again \($0.text)") }, termination: { log.append("again \($0)") })
        _ = listener.messages(on: "other").observe(
          next: { log.append("other \($0.text)") }, termination: { log.append("other \($0)") })
        func receivers(_ channel: String, _ text: String) throws -> RedisValue {
          try loop.first(sender.command("PUBLISH", channel, text))
        }
        try loop.wait(for: 1, subscribedTo: "news", sender)
        try loop.wait(for: 1, subscribedTo: "other", sender)
        #expect(try receivers("news", "one") == .integer(1))
        #expect(try receivers("other", "two") == .integer(1))
        try loop.run(until: "all have come") { log.count == 3 }
        #expect(log == ["news one", "again one", "other two"])
        news.dispose()
        again.dispose()
        try loop.wait(for: 0, subscribedTo: "news", sender)
        listener.close()
        #expect(log.last == "other completed")
        sender.close()
      }
      #expect(DroppedCalls.soFar == DroppedCalls())
    }

    @Test func `channels are told apart by their bytes, and no host or path is cut off`() async throws {
      try await withServer { loop, server in
        let sender = try loop.first(.redis(path: server.path))
        let listener = try loop.first(.redis(path: server.path))
        let channels = ["caf\u{E9}", "cafe\u{301}", "a\0b"]
        let records = channels.map { listener.messages(on: $0).record() }
        for channel in channels {
          try loop.wait(for: 1, subscribedTo: channel, sender)
          #expect(try loop.first(sender.command("PUBLISH", channel, channel)) == .integer(1))
        }
        try loop.run(until: "all have come") { records.allSatisfy { !$0.elements.isEmpty } }
        for (channel, record) in zip(channels, records) {
          #expect(record.elements.map(\.payload) == [Array(channel.utf8)])
          record.dispose()
        }
        listener.close()
        sender.close()
        let long = String(repeating: "/", count: 108)
        for attempt in [Operation.redis(path: server.path + "\0"), .redis(path: long), .redis(host: "127.0.0.1\0")] {
          guard case .invalid = attempt.record().failure else { throw TestError("connected") }
        }
      }
    }

    @Test func `a command that waits is sent before a subscription that is observed later`() async throws {
      try await withServer { loop, server in
        let connection = try loop.first(.redis(path: server.path))
        let sender = try loop.first(.redis(path: server.path))
        let first = connection.messages(on: "first").record()
        try loop.wait(for: 1, subscribedTo: "first", sender)
        first.dispose()
        let early = connection.command("PING", "early").record()
        let second = connection.messages(on: "second").record()
        let late = connection.command("PING", "late").record()
        try loop.run(until: "both have ended") { early.termination != nil && late.termination != nil }
        #expect(early.elements.first?.text == "early")
        #expect(late.failure?.description.contains("subscriptions") == true)
        second.dispose()
        connection.close()
        sender.close()
      }
    }

    @Test func `a subscription that the server refuses fails with its reason`() async throws {
      try await withServer { loop, server in
        let listener = try loop.first(.redis(path: server.path))
        _ = try loop.first(listener.command("ACL", "SETUSER", "default", "resetchannels"))
        let news = listener.messages(on: "news").record()
        try loop.run(until: "the refusal") { news.termination != nil }
        #expect(news.failure?.description.contains("NOPERM") == true)
        listener.close()
      }
    }

    @Test func `a server that is killed fails what waits, once each; when it is back, the next attempt goes on`()
      async throws
    {
      try await withServer { loop, server in
        var log: [String] = []
        var current: RedisConnection?
        let subscription = Operation.redis(path: server.path)
          .flatMapLatest { connection -> Operation<RedisMessage, RedisError> in
            current = connection
            return connection.messages(on: "news").doOn(disposed: { connection.close() })
          }
          .doOn(failed: { _ in if log.last != "failed" { log.append("failed") } })
          .retry(.max, delay: .milliseconds(5))
          .observeNext { log.append($0.text) }
        for text in ["one", "two", "three"] {
          let sender = try loop.first(.redis(path: server.path))
          try loop.wait(for: 1, subscribedTo: "news", sender)
          #expect(try loop.first(sender.command("PUBLISH", "news", text)) == .integer(1))
          try loop.run(until: "it has come") { log.last == text }
          var errors: [RedisError] = []
          _ = sender.command("BLPOP", "nothing", "0").observe(
            next: { _ in }, termination: { if let error = $0.failure { errors.append(error) } })
          try server.kill()
          try loop.run(until: "both have failed") { log.last == "failed" && errors.count == 1 }
          guard case .connection? = errors.first else { throw TestError("\(errors)") }
          #expect(sender.isClosed)
          #expect(current?.isClosed == true)
          #expect(throws: RedisError.self) { try loop.first(.redis(path: server.path)) }
          try server.start()
        }
        #expect(log == ["one", "failed", "two", "failed", "three", "failed"])
        subscription.dispose()
        current = nil
      }
      #expect(DroppedCalls.soFar == DroppedCalls())
    }

    @Test func `connecting fails with the system's words, also over the network, and can be given up`() async throws {
      try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        var errors: [String] = []
        func connect(_ operation: Operation<RedisConnection, RedisError>) -> Subscription {
          operation.observe(next: { _ in }, termination: { if let error = $0.failure { errors.append("\(error)") } })
        }
        // Port 1 has no server.
        let attempts = [connect(.redis(path: "/nonexistent/socket")), connect(.redis(host: "127.0.0.1", port: 1))]
        connect(.redis(host: "127.0.0.1", port: 1)).dispose()
        loop.run()
        #expect(attempts.map(\.isDisposed) == [true, true])
        #expect(errors == ["No such file or directory", "Connection refused"])
      }
    }
  }
}
