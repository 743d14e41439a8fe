import Callbacks
import EventLoops
import MicrohttpdStreams
import Streams
import StreamsTesting
import Testing

extension ServerTests {
  @Suite("Requests") struct RequestTests {
    @Test func `a request is delivered at home, with all that the client has sent, and is answered there`() async throws
    {
      let before = DroppedCalls.soFar
      try await withLoop { loop in
        var port: UInt16 = 0
        var requests: [HTTPRequest] = []
        let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { exchange in
          #expect(Loop.current === loop)
          requests.append(exchange.request)
          #expect(exchange.respond(HTTPResponse(201, headers: [HTTPField("X-Answer", "42")], text: "made")))
          #expect(!exchange.respond(HTTPResponse()))
        }
        let client = Client.get(port, "/a/b?x=1&y=two%20words")
        try loop.run(until: "it is answered") { client.answer != nil }
        #expect(client.status == 201)
        #expect(client.body == "made")
        #expect(client.answer?.contains("X-Answer: 42\r\n") == true)
        let request = try #require(requests.first)
        #expect(request.method == "GET" && request.path == "/a/b" && request.body.isEmpty)
        #expect(request.query == [HTTPField("x", "1"), HTTPField("y", "two words")])
        #expect(request.header("x-test") == "yes")
        subscription.dispose()
      }
      #expect(DroppedCalls.soFar == before)
    }

    @Test func `a zero byte cuts off neither a path nor a query`() async throws {
      try await withLoop { loop in
        var port: UInt16 = 0
        var requests: [HTTPRequest] = []
        let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { exchange in
          requests.append(exchange.request)
          exchange.respond(HTTPResponse())
        }
        let client = Client.get(port, "/a%00b%20c?x%00=1%20&y=2%00%20")
        try loop.run(until: "it is answered") { client.answer != nil }
        let request = try #require(requests.first)
        #expect(request.path == "/a%00b%20c")
        #expect(request.query == [HTTPField("x%00", "1 "), HTTPField("y", "2%00%20")])
        subscription.dispose()
      }
    }

    @Test(arguments: [
      HTTPResponse(headers: [HTTPField("X-A", "1\r\nX-Evil: 2")]), HTTPResponse(headers: [HTTPField("X A", "1")]),
      HTTPResponse(headers: [HTTPField("", "1")]), HTTPResponse(headers: [HTTPField("X-A", "a\0b")]), HTTPResponse(99),
      HTTPResponse(1000), HTTPResponse(-5), HTTPResponse(100),
      HTTPResponse(headers: [HTTPField("Content-Length", "5")]),
      HTTPResponse(headers: [HTTPField("X-A", String(repeating: "a", count: 40_000))]),
    ])
    func `a response that cannot be sent is the status 500, and is reported`(_ response: HTTPResponse)
      async throws
    {
      try await withLoop { loop in
        let reports = try captureDiagnostics {
          var port: UInt16 = 0
          let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { $0.respond(response) }
          let client = Client.get(port, "/a")
          try loop.run(until: "it is answered") { client.answer != nil }
          #expect(client.status == 500 && client.answer?.contains("Evil") == false)
          subscription.dispose()
        }
        #expect(reports.count == 1)
        #expect(reports[0].hasPrefix("The response to GET /a cannot be sent: "))
      }
    }

    @Test(arguments: [true, false])
    func `a field with an empty value is sent, and a Connection of keep-alive is left to the server`(_ isRead: Bool)
      async throws
    {
      try await withLoop { loop in
        let reports = try captureDiagnostics {
          var port: UInt16 = 0
          let fields = [
            HTTPField("X-Empty", ""), HTTPField("Connection", "Keep-Alive"), HTTPField("X-Blank", " "),
            HTTPField("Connection", ""), HTTPField("X-Last", "1"),
          ]
          let response =
            isRead
            ? HTTPResponse(headers: fields) { offset, _ in offset == 0 ? [65] : nil }
            : HTTPResponse(headers: fields, body: [65])
          let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { $0.respond(response) }
          let client = Client.get(port, "/")
          try loop.run(until: "it is answered") { client.answer != nil }
          #expect(client.status == 200)
          let received = (client.answer ?? "").split(separator: "\r\n").map { line in
            line.split(separator: ":", maxSplits: 1).map { $0.split(separator: " ").joined(separator: " ") }
          }
          #expect(received.filter { $0[0].hasPrefix("X-") } == [["X-Empty", ""], ["X-Blank", ""], ["X-Last", "1"]])
          #expect(received.filter { $0[0] == "Connection" } == [["Connection", "close"]])
          subscription.dispose()
        }
        #expect(reports == [])
      }
    }

    @Test func `a request and its response may each have 25 KB of fields`() async throws {
      try await withLoop { loop in
        var port: UInt16 = 0
        let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { exchange in
          exchange.respond(HTTPResponse(headers: [HTTPField("X-Answer", exchange.request.header("X-Large") ?? "")]))
        }
        let large = String(repeating: "a", count: 25_000)
        let client = Client(port, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: \(large)\r\nConnection: close\r\n\r\n")
        try loop.run(until: "it is answered") { client.answer != nil }
        #expect(client.status == 200 && client.answer?.contains("X-Answer: \(large)\r\n") == true)
        subscription.dispose()
      }
    }

    @Test func `a body comes whole; one that is too large is refused and not delivered`() async throws {
      try await withLoop { loop in
        var server = HTTPServer(port: 0)
        server.largestBody = 300_000
        var port: UInt16 = 0
        var sizes: [Int] = []
        let subscription = server.requests { port = $0 }.observeNext { exchange in
          sizes.append(exchange.request.body.count)
          exchange.respond(HTTPResponse(body: exchange.request.body))
        }
        let text = String(repeating: "0123456789", count: 30_000)
        let fits = Client.post(port, text)
        let tooLarge = Client.post(port, text + "!")
        try loop.run(until: "both are answered") { fits.answer != nil && tooLarge.answer != nil }
        #expect(fits.status == 200 && fits.body?.elementsEqual(text) == true)
        #expect(tooLarge.status == 413)
        #expect(sizes == [300_000])
        subscription.dispose()
      }
    }

    @Test func `50 clients wait at once and are answered in any order`() async throws {
      try await withLoop { loop in
        var port: UInt16 = 0
        var waiting: [HTTPExchange] = []
        let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { waiting.append($0) }
        let clients = (0..<50).map { Client.get(port, "/\($0)") }
        try loop.run(until: "all wait") { waiting.count == 50 }
        for exchange in waiting.reversed() { exchange.respond(HTTPResponse(text: exchange.request.path)) }
        waiting = []
        try loop.run(until: "all are answered") { clients.allSatisfy { $0.answer != nil } }
        for (number, client) in clients.enumerated() { #expect(client.body == "/\(number)") }
        subscription.dispose()
      }
    }

    @Test func `a request that is released, and one for which there is no room, is answered with 503`() async throws {
      try await withLoop { loop in
        var server = HTTPServer(port: 0)
        server.capacity = 2
        var port: UInt16 = 0
        var count = 0
        let subscription = server.requests { port = $0 }.observeNext { _ in count += 1 }
        let released = Client.get(port, "/")
        try loop.run(until: "it is answered") { released.answer != nil }
        #expect(released.status == 503 && count == 1)
        subscription.pause()
        let clients = (0..<10).map { Client.get(port, "/\($0)") }
        try loop.run(until: "those without room are answered") { clients.count { $0.answer != nil } >= 8 }
        #expect(clients.allSatisfy { $0.status == nil || $0.status == 503 })
        #expect(count == 1)
        subscription.resume()
        try loop.run(until: "all are answered") { clients.allSatisfy { $0.answer != nil } }
        #expect(count == 3)
        subscription.dispose()
      }
    }

    @Test func `a body that is read in pieces comes whole, and what it captured is released`() async throws {
      try await withLoop { loop in
        final class Witness: Sendable {}
        weak var captured: Witness?
        var port: UInt16 = 0
        let subscription = HTTPServer(port: 0).requests { port = $0 }.observeNext { exchange in
          let witness = Witness()
          captured = witness
          exchange.respond(
            HTTPResponse { [witness] offset, limit in
              withExtendedLifetime(witness) {
                offset < 1_000_000
                  ? (offset..<min(offset + limit, 1_000_000)).map { UInt8(ascii: "a") + UInt8($0 % 26) } : nil
              }
            })
        }
        // HTTP/1.0 has no chunks, so the end of the connection is the end of the body.
        let client = Client(port, "GET / HTTP/1.0\r\n\r\n")
        try loop.run(until: "it is answered") { client.answer != nil }
        #expect(client.body?.utf8.count == 1_000_000)
        #expect(client.body?.utf8.elementsEqual((0..<1_000_000).map { UInt8(ascii: "a") + UInt8($0 % 26) }) == true)
        subscription.dispose()
        #expect(captured == nil)
      }
    }
  }
}
