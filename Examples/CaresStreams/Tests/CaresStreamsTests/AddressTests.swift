import Callbacks
import CaresStreams
import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

extension ResolverTests {
  @Suite("Addresses") struct AddressTests {
    @Test func `a name has addresses of both families, or of the one that was asked for`() async throws {
      let before = DroppedCalls.soFar
      try await withServer { loop, server, resolver in
        server.reply = { _, kind in
          kind == .a
            ? .records([[127, 0, 0, 1], [127, 0, 0, 2]]) : .records([[UInt8](repeating: 0, count: 15) + [1]])
        }
        let both = resolver.addresses(of: "host.test").record()
        let four = resolver.addresses(of: "host.test", family: .ipv4).record()
        #expect(resolver.questionCount == 2)
        try loop.run(until: "both are answered") { both.termination != nil && four.termination != nil }
        #expect(both.isCompleted && four.isCompleted)
        #expect(Set(both.elements.flatMap { $0 }.map(\.host)) == ["127.0.0.1", "127.0.0.2", "::1"])
        #expect(Set(four.elements.flatMap { $0 }.map(\.host)) == ["127.0.0.1", "127.0.0.2"])
        #expect(resolver.questionCount == 0)
      }
      #expect(DroppedCalls.soFar == before)
    }

    @Test func `100 questions at once, each answered once with what was asked`() async throws {
      try await withServer { loop, server, resolver in
        server.reply = { name, _ in
          .records([[10, 0, 0, UInt8(name.prefix { $0 != "." }.drop { !$0.isNumber }) ?? 0]])
        }
        let all = (0..<100).map { resolver.addresses(of: "host\($0).test", family: .ipv4).record() }
        try loop.run(until: "all are answered") { all.allSatisfy { $0.termination != nil } }
        for (number, answer) in all.enumerated() {
          #expect(answer.isCompleted && answer.elements.map { $0.map(\.host) } == [["10.0.0.\(number)"]])
        }
      }
    }

    @Test func `a name with a zero byte fails, because c-ares would cut it off`() async throws {
      try await withServer { _, server, resolver in
        #expect(resolver.addresses(of: "host.test\0.org").record().failure == .invalidName)
        #expect(resolver.questionCount == 0 && server.questions.isEmpty)
      }
    }

    @Test func `an address has a name`() async throws {
      try await withServer { loop, server, resolver in
        server.reply = { name, kind in
          name == "4.3.2.1.in-addr.arpa" && kind == .pointer ? .records([NameServer.name("host.test")]) : .noSuchName
        }
        let name = resolver.name(of: SocketAddress(ipv4: 1, 2, 3, 4, port: 0)).record()
        let none = resolver.name(of: SocketAddress(ipv4: 4, 3, 2, 1, port: 0)).record()
        try loop.run(until: "both are answered") { name.termination != nil && none.termination != nil }
        #expect(name.elements == ["host.test"] && name.isCompleted)
        #expect(none.failure == .notFound)
      }
    }

    @Test func `what is answered without a server is delivered once, and after the call`() async throws {
      try await withServer { loop, server, resolver in
        var observed: [String] = []
        let bag = DisposeBag()
        resolver.addresses(of: "192.0.2.7", family: .ipv4).observeNext { addresses in
          observed += addresses.map(\.host)
          // An observer can start another query.
          resolver.addresses(of: "192.0.2.8", family: .ipv4).observeNext { observed += $0.map(\.host) }.dispose(in: bag)
        }.dispose(in: bag)
        try loop.run(until: "both are answered") { observed.count == 2 }
        #expect(observed == ["192.0.2.7", "192.0.2.8"])
        #expect(server.questions.isEmpty)
        bag.dispose()
      }
    }
  }

  @Suite("Failures and ends") struct EndTests {
    @Test func `a name that does not exist, and one without addresses, are failures of their own`() async throws {
      try await withServer { loop, server, resolver in
        server.reply = { name, _ in name.hasPrefix("empty") ? .records([]) : .noSuchName }
        let absent = resolver.addresses(of: "absent.test", family: .ipv4).record()
        let empty = resolver.addresses(of: "empty.test", family: .ipv4).record()
        try loop.run(until: "both are answered") { absent.termination != nil && empty.termination != nil }
        #expect(absent.failure == .notFound)
        #expect(empty.failure == .noData)
        #expect(absent.elements.isEmpty && empty.elements.isEmpty)
      }
    }

    @Test(arguments: [false, true])
    func `a server that is silent is asked again, and then it has timed out`(_ sendsGarbage: Bool) async throws {
      try await withServer(timeout: .milliseconds(20)) { loop, server, resolver in
        server.reply = { _, _ in sendsGarbage ? .garbage : .silence }
        let answer = resolver.addresses(of: "slow.test", family: .ipv4).record()
        try loop.run(until: "it has failed") { answer.termination != nil }
        #expect(answer.failure == .timedOut)
        #expect(server.questions == ["slow.test", "slow.test", "slow.test"])
      }
    }

    @Test func `a query whose socket cannot be watched fails, and the next one is answered`() async throws {
      try await withServer { loop, server, resolver in
        server.reply = { _, _ in .records([[10, 0, 0, 1]]) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw TestError("pipe") }
        // The loop still has a handle for the number of the closed descriptor, which the socket gets.
        let handle = try PollHandle(descriptor: ends[0])
        try handle.start(.readable) { _ in }
        close(ends[0])
        let answer = resolver.addresses(of: "a.test", family: .ipv4).record()
        handle.dispose()
        close(ends[1])
        try loop.run(until: "it has failed") { answer.termination != nil }
        #expect(answer.failure == .unreachable)
        let next = resolver.addresses(of: "b.test", family: .ipv4).record()
        try loop.run(until: "it is answered") { next.termination != nil }
        #expect(next.isCompleted)
      }
    }

    @Test func `one of two that is disposed gets nothing; the other is answered`() async throws {
      try await withServer { loop, server, resolver in
        server.reply = { _, _ in .records([[10, 0, 0, 1]]) }
        let disposed = resolver.addresses(of: "a.test", family: .ipv4).record()
        let kept = resolver.addresses(of: "b.test", family: .ipv4).record()
        disposed.dispose()
        #expect(resolver.questionCount == 1)
        try loop.run(until: "it is answered") { kept.termination != nil }
        #expect(kept.isCompleted && disposed.events.isEmpty)
      }
    }

    @Test func `when the last one is disposed in flight nothing keeps the loop running, 200 rounds`() async throws {
      let before = DroppedCalls.soFar
      try await withServer { loop, server, resolver in
        server.reply = { _, _ in .silence }
        for round in 0..<200 {
          let answers = (0..<3).map { resolver.addresses(of: "r\(round).n\($0).test").record() }
          if round % 2 == 0 {
            try loop.run(until: "it is asked") { server.questions.last?.hasPrefix("r\(round).") == true }
          }
          for answer in answers { answer.dispose() }
          #expect(resolver.questionCount == 0)
          #expect(answers.allSatisfy { $0.events.isEmpty })
        }
        server.close()
        loop.run()
      }
      #expect(DroppedCalls.soFar == before)
    }

    @Test func `closing fails what is in flight, and what is asked later`() async throws {
      try await withServer { loop, server, resolver in
        server.reply = { _, _ in .silence }
        let answer = resolver.addresses(of: "a.test").record()
        try loop.run(until: "it is asked") { !server.questions.isEmpty }
        resolver.close()
        #expect(answer.failure == .closed)
        #expect(resolver.addresses(of: "b.test").record().failure == .closed)
        resolver.close()
      }
    }

    @Test func `the name of an address with a scope is asked for; a local socket has none`() async throws {
      try await withServer { loop, server, resolver in
        server.reply = { _, _ in .noSuchName }
        let answer = resolver.name(of: try SocketAddress("fe80::1%1", port: 0)).record()
        try loop.run(until: "it is answered") { answer.termination != nil }
        #expect(server.questions.first?.hasPrefix("1.0.0.0.") == true)
        #expect(server.questions.first?.hasSuffix(".0.8.e.f.ip6.arpa") == true)
        #expect(resolver.name(of: try SocketAddress("/run/socket")).record().failure == .invalidName)
      }
    }

    @Test func `the text of an address is its own answer, and no server is asked`() async throws {
      try await withServer { loop, server, resolver in
        server.reply = { _, _ in .records([[10, 0, 0, 1]]) }
        for text in ["10.1.2.3", "::1", "fe80::1%1"] {
          let answer = resolver.addresses(of: text).record()
          try loop.run(until: "it is answered") { answer.termination != nil }
          #expect(answer.elements == [[try SocketAddress(text, port: 0)]])
        }
        #expect(resolver.addresses(of: "10.1.2.3", family: .ipv6).record().failure == .noData)
        #expect(server.questions.isEmpty)
        resolver.close()
        #expect(resolver.addresses(of: "10.1.2.3").record().failure == .closed)
      }
    }

    @Test(arguments: ["nowhere", "", "127.0.0.1\0x", "127.0.0.1:99999", "127.0.0.1,", "/run/socket"])
    func `a server that is no address is an error`(_ server: String) async throws {
      try await withServer { _, _, _ in
        var options = Resolver.Options()
        options.servers = [server]
        do {
          _ = try Resolver(options)
          Issue.record("A name is taken for an address.")
        } catch { #expect(error is ResolverError) }
      }
    }
  }
}
