import Callbacks
import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import MicrohttpdStreams

extension ServerTests {
  @Suite("Ends") struct EndTests {
    @Test func `a server that cannot start fails with the reason of the system`() async throws {
      try await withLoop { _ in
        var port: UInt16 = 0
        let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { _ in }
        let error = HTTPServer(port: port).requests().record().failure
        #expect(error?.code == EADDRINUSE && error?.description.hasSuffix("Choose one that is free.") == true)
        subscription.dispose()
        let refused = HTTPServerError(port: 80, code: EACCES)
        #expect(refused.description == "The server can't listen on port 80: Permission denied.")
      }
    }

    @Test func `disposing while clients wait answers them, 100 rounds: nothing is left`() async throws {
      let before = DroppedCalls.soFar
      try await withLoop { loop in
        for round in 0..<100 {
          var port: UInt16 = 0
          var waiting: [HTTPExchange] = []
          let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { waiting.append($0) }
          let clients = (0..<3).map { Client.get(port, "/\($0)") }
          // In a quarter of the rounds, disposes without waiting for a request.
          try loop.run(until: "some wait") { waiting.count >= round % 4 }
          subscription.dispose()
          for exchange in waiting { #expect(!exchange.respond(HTTPResponse())) }
          try loop.run(until: "all connections are closed") { clients.allSatisfy { $0.answer != nil } }
          #expect(clients.allSatisfy { $0.status == 503 || $0.status == 0 })
        }
      }
      #expect(DroppedCalls.soFar == before)
    }

    @Test func `a client that has gone is answered into the void, and the next one is served`() async throws {
      try await withLoop { loop in
        var port: UInt16 = 0
        var waiting: [HTTPExchange] = []
        let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { waiting.append($0) }
        let client = Client(port, "GET /gone HTTP/1.1\r\nHost: localhost\r\n\r\n", leavesAfterSending: true)
        try loop.run(until: "it has gone") { client.answer != nil && waiting.count == 1 }
        #expect(waiting.removeFirst().respond(HTTPResponse(text: "hello?")))
        let next = Client.get(port, "/next")
        try loop.run(until: "the next waits") { waiting.count == 1 }
        waiting.removeFirst().respond(HTTPResponse(text: "hello"))
        try loop.run(until: "it is answered") { next.answer != nil }
        #expect(next.body == "hello")
        subscription.dispose()
      }
    }

    @Test func `a client that has ended its side of the connection gets its answer`() async throws {
      try await withLoop { loop in
        var port: UInt16 = 0
        var waiting: [HTTPExchange] = []
        let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { waiting.append($0) }
        let client = Client(port, "GET /half HTTP/1.1\r\nHost: localhost\r\n\r\n", endsAfterSending: true)
        try loop.run(until: "it waits and has ended") { client.hasEnded && waiting.count == 1 }
        waiting.removeFirst().respond(HTTPResponse(text: "hello"))
        try loop.run(until: "it is answered") { client.answer != nil }
        #expect(client.body == "hello")
        subscription.dispose()
      }
    }

    @Test func `a port that is taken fails the stream once`() async throws {
      try await withLoop { _ in
        var port: UInt16 = 0
        let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { _ in }
        let second = HTTPServer(port: port).requests().record()
        #expect(second.failure?.port == port)
        subscription.dispose()
      }
    }
  }
}
