import EventLoops
import Glibc
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import MQTTStreams

extension MQTTTests {
  @Suite("Connections") struct ConnectionTests {
    @Test
    func
      `a broker that is killed fails the streams once, after what came before; retry connects again when it is back`()
      async throws
    {
      try await onLoop { loop in
        let broker = try Broker(on: loop)
        defer { try? broker.remove() }
        let plain = broker.address().events(["news"]).record()
        var failures = 0
        var log: [String] = []
        let bag = DisposeBag()
        broker.address().events(["news"])
          .doOn(failed: { _ in failures += 1 })
          .retry(.max, delay: .milliseconds(20))
          .observeNext { event in
            if case .message(let message) = event { log.append(message.text) } else { log.append("subscribed") }
          }.dispose(in: bag)
        func publish(_ text: String) throws {
          let published = Stream.just(MQTTMessage("news", text)).publish(to: broker.address()).record()
          try loop.run(until: "\(text) has arrived") { published.isCompleted && log.last == text }
        }
        try loop.run(until: "subscribed") { log.count == 1 && plain.elements.count == 1 }
        try publish("before")
        try loop.run(until: "both have heard") { plain.elements.count == 2 }
        try broker.kill()
        try loop.run(until: "both have failed") { plain.failure != nil && failures >= 2 }
        #expect(plain.events.count == 3, "one failure and nothing after it")
        guard case .disconnected = plain.failure else { throw TestError("another failure") }
        #expect(log == ["subscribed", "before"])
        try broker.start()
        try loop.run(until: "subscribed again") { log.count == 3 }
        try publish("after")
        #expect(log == ["subscribed", "before", "subscribed", "after"])
        #expect(plain.events.count == 3)
        bag.dispose()
      }
    }

    @Test func `what publishes fails, too, when the broker is killed; what was not acknowledged has not been told`()
      async throws
    {
      try await onLoop { loop in
        let broker = try Broker(on: loop)
        defer { try? broker.remove() }
        let published = Stream.sequence(0...).map { MQTTMessage("numbers", "\($0)") }
          .publish(to: broker.address(), window: 10)
          .record()
        try loop.run(until: "some are published") { published.elements.count > 50 }
        try broker.kill()
        try loop.run(until: "it has failed") { published.termination != nil }
        guard case .disconnected = published.failure else { throw TestError("another end") }
        #expect(published.elements.map { Int($0.text) } == Array(0..<published.elements.count))
      }
    }

    @Test(arguments: [MQTTQuality.atMostOnce, .atLeastOnce, .exactlyOnce])
    func `messages of a source that cannot pause wait for the window, and each is acknowledged`(_ quality: MQTTQuality)
      async throws
    {
      try await onLoop { loop in
        let broker = try Broker(on: loop)
        defer { try? broker.remove() }
        let received = broker.address().events(["numbers"]).record()
        try loop.run(until: "subscribed") { received.elements.count == 1 }
        let numbers = PushStream<Int>()
        let published = numbers.map { MQTTMessage("numbers", "\($0)", quality: quality) }
          .publish(to: broker.address(), window: 10).record()
        try loop.run(until: "connected") { numbers.observerCount > 0 }
        for number in 0..<2_000 { numbers.next(number) }
        numbers.completed()
        try loop.run(until: "acknowledged") { published.termination != nil }
        #expect(published.isCompleted && published.elements.map(\.text) == (0..<2_000).map { "\($0)" })
        received.dispose()
      }
    }

    @Test func `nobody there, an impossible filter, an impossible name: one typed failure each`() async throws {
      try await onLoop { loop in
        let broker = try Broker(on: loop)
        defer { try? broker.remove() }
        // libmosquitto would cut the last one off.
        for text in ["a/#/b", "a\0/b"] {
          let filter = broker.address().messages(text).record()
          try loop.run(until: "failed") { filter.termination != nil }
          #expect(filter.failure == .invalid(3, call: "mosquitto_subscribe"))
        }
        let topic = Stream.just(MQTTMessage("a\0/b", "text")).publish(to: broker.address()).record()
        try loop.run(until: "failed") { topic.termination != nil }
        #expect(topic.failure == .invalid(3, call: "mosquitto_publish"))
        let name = MQTTBroker("127.0.0.1", keepAlive: 1).messages("a").record()
        #expect(name.failure == .invalid(3, call: "mosquitto_connect_async"))
        try broker.kill()
        let nobody = broker.address().messages("a").record()
        let publisher = Stream.just(MQTTMessage("a", "b")).publish(to: broker.address()).record()
        try loop.run(until: "failed") { nobody.termination != nil && publisher.termination != nil }
        guard case .disconnected = nobody.failure, case .disconnected = publisher.failure else {
          throw TestError("another failure")
        }
        #expect(nobody.events.count == 1 && publisher.events.count == 1)
        // The description is that of the failure, and not that of the system's last error.
        errno = ENOENT
        #expect(nobody.failure?.description == "Disconnected: Connection refused")
        errno = 0
        #expect(publisher.failure?.description == "Disconnected: Connection refused")
      }
    }

    @Test func `the broker keeps what is published while a named client is away`() async throws {
      try await onLoop { loop in
        let broker = try Broker(on: loop)
        defer { try? broker.remove() }
        let news = broker.address(name: "reader").events(["news"])
        let first = news.record()
        try loop.run(until: "subscribed") { first.elements.count == 1 }
        first.dispose()
        try loop.run(until: "gone") { Client.alive.load(ordering: .relaxed) == 0 }
        let published = Stream.sequence(0..<100).map { MQTTMessage("news", "\($0)") }.publish(to: broker.address())
          .record()
        try loop.run(until: "published") { published.isCompleted }
        let second = news.filter { $0 != .subscribed }.record()
        try loop.run(until: "arrived") { second.elements.count == 100 }
        #expect(second.elements == (0..<100).map { .message(MQTTMessage("news", "\($0)")) })
        second.dispose()
      }
    }

    @Test func `two processes publish, a third has one stream of both: in order for each sender, none lost`()
      async throws
    {
      try await onLoop { loop in
        let broker = try Broker(on: loop)
        defer { try? broker.remove() }
        let count = 5000
        let senders = ["left", "right"]
        var received: [String: [Int]] = [:]
        var switches = 0
        var last = ""
        var subscribed = 0
        let merged = Operation<MQTTEvent, MQTTError>.merge(
          senders.map { broker.address().events(["events/\($0)"], capacity: 256) })
        let subscription = merged.observeNext { event in
          guard case .message(let message) = event else { return subscribed += 1 }
          if message.topic != last { switches += 1 }
          last = message.topic
          received[message.topic, default: []].append(Int(message.text) ?? -1)
        }
        try loop.run(until: "subscribed") { subscribed == 2 }
        let publishers = try senders.map { try Self.publisher(of: count, to: "events/\($0)", broker) }
        try loop.run(until: "both have ended") { publishers.allSatisfy { $0.status != nil } }
        #expect(publishers.map(\.status) == [.exited(0), .exited(0)])
        try loop.run(until: "all have arrived") { received.values.map(\.count).reduce(0, +) >= 2 * count }
        #expect(received == ["events/left": Array(0..<count), "events/right": Array(0..<count)])
        #expect(switches >= 2)
        subscription.dispose()
      }
    }

    /// Starts a process that publishes the numbers below `count`, one in each line of a file.
    private static func publisher(of count: Int, to topic: String, _ broker: Broker) throws -> ProcessHandle {
      var path = [CChar](repeating: 0, count: 4096)
      let length = readlink("/proc/self/exe", &path, path.count)
      let program = String(decoding: path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let folder = program.prefix(through: program.lastIndex(of: "/") ?? program.startIndex)
      let lines = Array((0..<count).map { "\($0)\n" }.joined().utf8)
      guard let file = tmpfile() else { throw TestError("tmpfile") }
      defer { fclose(file) }
      guard fwrite(lines, 1, lines.count, file) == lines.count else { throw TestError("fwrite") }
      rewind(file)
      var command = ProcessCommand(
        folder + "mqtt-lines", ["publish", "127.0.0.1", "\(broker.port)", topic])
      command.input = .descriptor(fileno(file))
      return try ProcessHandle(command)
    }
  }
}
