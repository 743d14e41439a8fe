import Callbacks
import EventLoops
import Streams
import StreamsTesting
import Testing

@testable import CurlStreams

extension CurlTests {
  @Suite("Transfers") struct TransferTests {
    @Test func `100 transfers at once from a server on the same loop: each whole; no context and no socket is left`()
      async throws
    {
      let before = DroppedCalls.soFar
      try await withServer { loop, server, curl in
        var sizes: [Int] = []
        let transfers = (0..<100).map { number in
          curl.response(CurlRequest(server.url("/size/\(number * 997)"))).map { response in
            #expect(Loop.current === loop)
            #expect(response.status == 200)
            #expect(response.headers.contains("X-Path: /size/\(number * 997)"))
            return response.body
          }
        }
        let all = Operation.merge(transfers).record()
        #expect(curl.transferCount == 100)
        try loop.run(until: "all have ended") { all.termination != nil }
        #expect(all.isCompleted)
        for body in all.elements {
          sizes.append(body.count)
          #expect(body == HTTPServer.bytes(0..<body.count))
        }
        #expect(sizes.sorted() == (0..<100).map { $0 * 997 })
        #expect(server.peak > 1)
        // curl has requested immediate calls. Calls inside its own call would have failed.
        #expect(try curl.open().zeroTimeouts > 0)
        #expect(curl.transferCount == 0)
        #expect(curl.watchedSocketCount == 0, "connections that wait for the next transfer are not watched")
      }
      #expect(DroppedCalls.soFar == before)
    }

    @Test
    func `nothing keeps the loop running when the last transfer has ended; a cold stream fetches for each observer`()
      async throws
    {
      try await withServer { loop, server, curl in
        let transfer = curl.response(CurlRequest(server.url("/size/5")))
        #expect(curl.transferCount == 0)
        let first = transfer.record()
        try loop.run(until: "it has ended") { first.isCompleted }
        let second = transfer.record()
        try loop.run(until: "it has ended") { second.isCompleted }
        #expect(first.elements == second.elements && first.elements[0].body == HTTPServer.bytes(0..<5))
        #expect(server.peak == 1, "the connection is used again")
        server.close()
        loop.run()
      }
    }

    @Test func `an observer that pauses stops the server; others go on; resumed, it gets every byte`() async throws {
      try await withServer { loop, server, curl in
        let size = 32 * 1024 * 1024
        var received = 0
        var isWhole = true
        var end: Termination<CurlError>?
        let bag = DisposeBag()
        var isPaused = false
        var afterPause = 0
        let subscription = curl.events(CurlRequest(server.url("/size/\(size)"))).observe(
          next: { event in
            guard case .body(let bytes) = event else { return }
            if isPaused { afterPause += 1 }
            isWhole = isWhole && bytes == HTTPServer.bytes(received..<received + bytes.count)
            received += bytes.count
          }, termination: { end = $0 })
        subscription.dispose(in: bag)
        try loop.run(until: "it has begun") { received > 0 }
        for round in 1...3 {
          subscription.pause()
          isPaused = true
          // Other transfers continue during the pause.
          for _ in 0..<20 {
            let other = curl.response(CurlRequest(server.url("/size/1000"))).record()
            try loop.run(until: "another has ended") { other.isCompleted }
            #expect(other.elements.first?.body.count == 1000)
          }
          #expect(afterPause == 0)
          #expect(received < size && server.sent < size, "round \(round)")
          let before = received
          isPaused = false
          subscription.resume()
          try loop.run(until: "it goes on") { received > before }
        }
        try loop.run(until: "it has ended") { end != nil }
        #expect(end == .completed)
        #expect(isWhole && received == size)
        bag.dispose()
      }
    }

    @Test
    func `cancelled in the middle: before, inside of and after deliveries; all contexts are freed, the rest goes on`()
      async throws
    {
      let before = DroppedCalls.soFar
      try await withServer { loop, server, curl in
        let unaffected = curl.response(CurlRequest(server.url("/size/3000000"))).record()
        // Immediately.
        let first = curl.events(CurlRequest(server.url("/size/3000000"))).record()
        first.dispose()
        #expect(first.events.isEmpty)
        // While the server does not respond.
        let silent = curl.events(CurlRequest(server.url("/silent"))).record()
        try loop.run(until: "it is connected") { server.connectionCount >= 2 }
        silent.dispose()
        // Inside deliveries.
        var counts = Array(repeating: 0, count: 20)
        for index in counts.indices {
          let bag = DisposeBag()
          curl.events(CurlRequest(server.url("/size/3000000"))).observeNext { _ in
            counts[index] += 1
            if counts[index] == index + 1 { bag.dispose() }
          }.dispose(in: bag)
        }
        // While the observer is paused.
        let paused = curl.events(CurlRequest(server.url("/size/3000000"))).record()
        try loop.run(until: "it has begun") { paused.elements.count > 1 }
        paused.pause()
        try loop.run(until: "the others are cancelled") { curl.transferCount <= 2 }
        paused.dispose()
        try loop.run(until: "the last has ended") { unaffected.isCompleted }
        #expect(counts == Array(1...20))
        #expect(unaffected.elements.first?.body == HTTPServer.bytes(0..<3_000_000))
        #expect(curl.transferCount == 0)
        #expect(curl.watchedSocketCount == 0)
      }
      #expect(DroppedCalls.soFar == before)
    }

    @Test func `an observer may start a transfer, and may close the curl: those that are left fail once`() async throws
    {
      try await withServer { loop, server, curl in
        let bag = DisposeBag()
        var log: [String] = []
        curl.response(CurlRequest(server.url("/size/1"))).observeNext { _ in
          curl.response(CurlRequest(server.url("/size/2"))).observeNext { log.append("\($0.body.count)") }.dispose(
            in: bag)
        }.dispose(in: bag)
        try loop.run(until: "both have come") { log == ["2"] && curl.transferCount == 0 }
        let silent = curl.events(CurlRequest(server.url("/silent"))).record()
        let large = curl.events(CurlRequest(server.url("/size/10000000"))).observe(
          next: { _ in curl.close() }, termination: { log.append("\($0)") })
        try loop.run(until: "it is closed") { silent.termination != nil && large.isDisposed }
        #expect(silent.failure == .closed)
        #expect(log == ["2", "failed(\(CurlError.closed))"])
        #expect(curl.events(CurlRequest(server.url("/size/1"))).record().failure == .closed)
      }
    }

    @Test func `nobody there, an answer that breaks off, a timeout, a wrong address: one typed failure each`()
      async throws
    {
      try await withServer { loop, server, curl in
        let short = curl.events(CurlRequest(server.url("/short"))).record()
        let late = curl.events(CurlRequest(server.url("/silent"), timeout: .milliseconds(50))).record()
        let wrong = curl.events(CurlRequest("gopher://127.0.0.1/")).record()
        try loop.run(until: "all have failed") { [short, late, wrong].allSatisfy { $0.termination != nil } }
        #expect(short.failure?.code == 18, "CURLE_PARTIAL_FILE")
        #expect(short.elements.count >= 2)
        #expect(late.failure?.code == 28, "CURLE_OPERATION_TIMEDOUT")
        #expect(wrong.failure?.code == 1, "CURLE_UNSUPPORTED_PROTOCOL")
        server.close()
        let nobody = curl.events(CurlRequest(server.url("/size/1"))).record()
        try loop.run(until: "failed") { nobody.termination != nil }
        #expect(nobody.failure?.code == 7, "CURLE_COULDNT_CONNECT")
        #expect(nobody.events.count == 1)
      }
    }

    @Test func `what curl would cut off, or send as other lines, fails`() async throws {
      try await withServer { loop, server, curl in
        let url = server.url("/echo")
        var request = CurlRequest(url)
        request.headers = ["X-Key: a\0b"]
        var split = CurlRequest(url)
        split.headers = ["X-Key: a\r\nX-Other: b"]
        for request in [
          CurlRequest(url + "\0/size/5"), CurlRequest(url, method: "PUT\0X"), request, split,
          CurlRequest(url, method: "GET /size/5 HTTP/1.1\r\nX: "), CurlRequest(url, method: "GET /size/5"),
        ] {
          let response = curl.response(request).record()
          try loop.run(until: "it has ended") { response.termination != nil }
          #expect(response.failure?.code == 43, "CURLE_BAD_FUNCTION_ARGUMENT")
        }
        #expect(curl.transferCount == 0)
      }
    }

    @Test func `a field that begins like a head is none`() async throws {
      try await withServer { loop, server, curl in
        let events = curl.events(CurlRequest(server.url("/forged"))).record()
        try loop.run(until: "it has ended") { events.termination != nil }
        let fields = ["X-First: 1", "HTTP/9 404: x", "Transfer-Encoding: chunked"]
        #expect(events.elements == [.head(status: 200, headers: fields), .body([UInt8(ascii: "a")])])
      }
    }

    @Test(arguments: ["hello", ""])
    func `fields after a chunked body are no second head`(_ text: String) async throws {
      try await withServer { loop, server, curl in
        let events = curl.events(CurlRequest(server.url("/chunks/\(text)"))).record()
        try loop.run(until: "it has ended") { events.termination != nil }
        let head = CurlEvent.head(status: 200, headers: ["Transfer-Encoding: chunked"])
        #expect(events.elements == [head] + (text.isEmpty ? [] : [.body(Array(text.utf8))]))
        #expect(events.termination == .completed)
      }
    }

    @Test func `bodies are sent, redirects are followed, statuses and headers are told`() async throws {
      try await withServer { loop, server, curl in
        func fetch(_ request: CurlRequest) throws -> CurlResponse? {
          let response = curl.response(request).record()
          try loop.run(until: "it has ended") { response.termination != nil }
          return response.elements.first
        }
        let body = Array("ä\0b".utf8) + Array(repeating: 7, count: 1000)
        #expect(try fetch(CurlRequest(server.url("/echo"), body: body))?.body == body)
        #expect(try fetch(CurlRequest(server.url("/echo"), body: []))?.body == [])
        #expect(try fetch(CurlRequest(server.url("/echo"), method: "PUT", body: [1]))?.body == [1])
        #expect(try fetch(CurlRequest(server.url("/absent")))?.status == 404)
        var request = CurlRequest(server.url("/moved"))
        #expect(try fetch(request)?.body == HTTPServer.bytes(0..<10))
        request.followsRedirects = false
        let moved = try fetch(request)
        #expect(moved?.status == 302 && moved?.headers.contains("Location: /size/10") == true)
      }
    }
  }
}
