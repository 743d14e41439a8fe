import Callbacks
import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import HiredisStreams

extension RedisTests {
  @Suite("Commands") struct CommandTests {
    @Test func `answers of each kind; an error of the server fails its command alone`() async throws {
      try await withServer { loop, server in
        let connection = try loop.first(.redis(path: server.path))
        #expect(try loop.first(connection.command("SET", "a", "text with\r\nlines")).text == "OK")
        #expect(try loop.first(connection.command("GET", "a")).text == "text with\r\nlines")
        #expect(try loop.first(connection.command("GET", "b")) == .null)
        #expect(try loop.first(connection.command("INCR", "n")) == .integer(1))
        let list = try loop.first(connection.command("MGET", "a", "b"))
        #expect(list == .array([.bytes(Array("text with\r\nlines".utf8)), .null]))
        let binary: [UInt8] = [0, 255, 13, 10]
        _ = try loop.first(connection.command([Array("SET".utf8), Array("c".utf8), binary]))
        #expect(try loop.first(connection.command("GET", "c")) == .bytes(binary))
        var errors: [RedisError] = []
        _ = connection.command("INCR", "a").observe(
          next: { _ in }, termination: { if let error = $0.failure { errors.append(error) } })
        #expect(try loop.first(connection.command("PING")).text == "PONG")
        #expect(errors.count == 1)
        guard case .server(let message)? = errors.first else { throw TestError("\(errors)") }
        #expect(message.contains("not an integer"))
        connection.close()
        #expect(connection.isClosed)
        #expect(throws: RedisError.closed) { try loop.first(connection.command("PING")) }
      }
      #expect(DroppedCalls.soFar == DroppedCalls())
    }

    @Test func `a connection whose socket cannot be watched fails`() async throws {
      try await withServer { loop, server in
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw TestError("pipe") }
        // The loop still has a handle for the number of the closed descriptor, which the socket gets.
        let handle = try PollHandle(descriptor: ends[0])
        try handle.start(.readable) { _ in }
        close(ends[0])
        let attempt = Operation.redis(path: server.path).record()
        handle.dispose()
        close(ends[1])
        guard case .connection(let reason)? = attempt.failure else { throw TestError("\(attempt.events)") }
        #expect(reason.contains("EEXIST"))
      }
    }

    @Test func `a command that has no single reply is not sent, and the connection stays open`() async throws {
      try await withServer { loop, server in
        let connection = try loop.first(.redis(path: server.path))
        func reason(_ words: String...) -> String? {
          let reply = connection.command(words.map { Array($0.utf8) }).record()
          guard case .invalid(let reason)? = reply.failure else { return nil }
          return reason
        }
        #expect(reason()?.isEmpty == false)
        for name in ["SUBSCRIBE", "unsubscribe", "PSUBSCRIBE", "MONITOR"] {
          #expect(reason(name)?.contains("messages(on:)") == true)
        }
        #expect(reason("sync")?.contains("SYNC") == true)
        #expect(reason("client", "reply", "off")?.contains("CLIENT REPLY OFF") == true)
        #expect(try loop.first(connection.command("CLIENT", "REPLY", "ON")).text == "OK")
        let messages = connection.messages(on: "news").record()
        #expect(reason("PING")?.contains("subscriptions") == true)
        let sender = try loop.first(.redis(path: server.path))
        while try loop.first(sender.command("PUBLISH", "news", "one")) == .integer(0) {}
        try loop.run(until: "heard") { messages.elements.count == 1 }
        messages.dispose()
        #expect(try loop.first(connection.command("PING")).text == "PONG")
        // What follows an unsubscription waits until the server has confirmed it.
        for _ in 0..<20 {
          connection.messages(on: "news").record().dispose()
          let other = connection.messages(on: "other").record()
          connection.messages(on: "news").record().dispose()
          while try loop.first(sender.command("PUBLISH", "other", "two")) == .integer(0) {}
          try loop.run(until: "heard") { other.elements.count == 1 }
          other.dispose()
        }
        let pending = connection.command("PING").record()
        #expect(pending.events.isEmpty)
        connection.close()
        try loop.run(until: "failed") { pending.termination != nil }
        #expect(pending.failure == .closed)
        sender.close()
      }
    }

    @Test func `ten thousand commands at once are answered in their order`() async throws {
      try await withServer { loop, server in
        let connection = try loop.first(.redis(path: server.path))
        var answers: [Int] = []
        for _ in 0..<10_000 {
          _ = connection.command("INCR", "n").observe(
            next: { if case .integer(let value) = $0 { answers.append(value) } }, termination: { _ in })
        }
        try loop.run(until: "all have been answered") { answers.count == 10_000 }
        #expect(answers == Array(1...10_000))
        connection.close()
      }
    }

    @Test func `an observer may send, and close; commands without an answer fail, once`() async throws {
      try await withServer { loop, server in
        let connection = try loop.first(.redis(path: server.path))
        var log: [String] = []
        connection.command("PING").expectNext { _ in
          connection.command("ECHO", "inside").expectNext { value in
            log.append(value.text ?? "")
            _ = connection.command("BLPOP", "nothing", "0").observe(
              next: { _ in }, termination: { log.append("\($0)") })
            connection.close()
            log.append("closing")
          }
        }
        try loop.run(until: "it is closed") { log.count == 3 }
        #expect(log == ["inside", "closing", "failed(the connection has been closed)"])
      }
    }

    @Test func `streams retain their connection until they end or are disposed`() async throws {
      try await withServer { loop, server in
        let other = try loop.first(.redis(path: server.path))
        let visits = Operation.redis(path: server.path).flatMapLatest { $0.command("INCR", "visits") }
        for number in 1...3 { #expect(try loop.first(visits) == .integer(number)) }
        let news = Operation.redis(path: server.path).flatMapLatest { $0.messages(on: "news") }.record()
        try loop.wait(for: 1, subscribedTo: "news", other)
        #expect(try loop.first(other.command("PUBLISH", "news", "hello")) == .integer(1))
        try loop.run(until: "it has been received") { news.elements.map(\.text) == ["hello"] }
        news.dispose()
        try loop.wait(forClients: 1, other)
        other.close()
      }
      #expect(DroppedCalls.soFar == DroppedCalls())
    }

    @Test func `the last reference closes the connection, and its descriptor`() async throws {
      try await withServer { loop, server in
        let other = try loop.first(.redis(path: server.path))
        var connection: RedisConnection? = try loop.first(.redis(path: server.path))
        try loop.wait(forClients: 2, other)
        #expect(connection?.isClosed == false)
        connection = nil
        try loop.wait(forClients: 1, other)
        other.close()
      }
    }

    @Test(arguments: [true, false])
    func `a connection whose queue has shut down is released on another thread, with its socket`(_ closes: Bool)
      async throws
    {
      // Sendable: the queue fills it, and this thread uses it after `sync` has returned.
      final class Box: @unchecked Sendable {
        var connections: [RedisConnection] = []
        var clients: [() -> Client?] = []
      }
      let before = DroppedCalls.soFar
      try await withServer { loop, server in
        let other = try loop.first(.redis(path: server.path))
        let path = server.path
        let box = Box()
        let queue = Queue(label: "redis")
        try queue.sync {
          func connect(_ work: @escaping (RedisConnection) -> Subscription) {
            _ = Operation.redis(path: path).observe(
              next: { connection in
                box.connections.append(connection)
                box.clients.append { [weak client = connection.client] in client }
                _ = work(connection)
              }, termination: { _ in })
          }
          connect { $0.command("BLPOP", "nothing", "0").observe(next: { _ in }, termination: { _ in }) }
          connect { $0.messages(on: "news").observe(next: { _ in }, termination: { _ in }) }
        }
        try loop.wait(for: 1, subscribedTo: "news", other)
        try loop.wait(forClients: 3, other)
        queue.shutdown()
        #expect(box.connections.map(\.isClosed) == [true, true])
        if closes { for connection in box.connections { connection.close() } }
        box.connections = []
        // Perhaps at the end of the queue's thread, which may be later than the end of the queue.
        try loop.run(until: "the clients are deallocated") { box.clients.allSatisfy { $0() == nil } }
        try loop.wait(forClients: 1, other)
        other.close()
      }
      #expect(DroppedCalls.soFar == before)
    }
  }
}

extension Operation {
  /// Observes the elements, and records a failure as an issue.
  fileprivate func expectNext(_ body: @escaping (Element) -> Void) {
    _ = observe(next: body, termination: { if let error = $0.failure { Issue.record(error) } })
  }
}
