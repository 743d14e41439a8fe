import EventLoops
import Streams
import StreamsTesting
import Testing

@testable import MQTTStreams

/// A broker that acknowledges nothing until it has received a number of messages with QoS 0, which mosquitto cannot be told to.
private final class SlowBroker {
  private let bag = DisposeBag()
  private(set) var address = MQTTBroker("127.0.0.1")
  private(set) var unacknowledged: [[UInt8]] = []
  private(set) var received = 0
  private var input: [UInt8] = []

  init(on loop: Loop, acknowledgingAfter limit: Int) throws {
    var port: Int32?
    Operation.listen(on: .loopback(port: 0), bound: { port = Int32($0.port) })
      .observeNext { [self] connection in
        connection.bytes.observeNext { [self] bytes in
          bytes.withUnsafeBytes { input.append(contentsOf: $0) }
          while let packet = nextPacket() {
            switch packet[0] >> 4 {
            case 1: connection.write([0x20, 2, 0, 0])
            case 3 where packet[0] & 6 == 0: received += 1
            case 3:
              let start = packet.count - packet.dropFirst().drop { $0 >= 0x80 }.dropFirst().count
              let number = start + 2 + Int(packet[start]) << 8 + Int(packet[start + 1])
              unacknowledged.append([0x40, 2, packet[number], packet[number + 1]])
            default: break
            }
            guard received >= limit else { continue }
            for acknowledgement in unacknowledged { connection.write(Bytes(acknowledgement)) }
            unacknowledged = []
          }
        }.dispose(in: bag)
        connection.dispose(in: bag)
      }.dispose(in: bag)
    try loop.run(until: "it listens") { port != nil }
    address.port = port ?? 0
  }

  /// Removes one packet from the input: a type, the length in groups of seven bits, and that many bytes.
  private func nextPacket() -> [UInt8]? {
    var (length, index) = (0, 1)
    while true {
      guard index < input.count else { return nil }
      length |= Int(input[index] & 0x7f) << (7 * (index - 1))
      index += 1
      if input[index - 1] < 0x80 { break }
    }
    guard input.count >= index + length else { return nil }
    defer { input.removeFirst(index + length) }
    return Array(input.prefix(index + length))
  }

  func dispose() { bag.dispose() }
}

extension MQTTTests {
  @Suite("A slow broker") struct SlowBrokerTests {
    @Test(arguments: [true, false])
    func `the number of an old message is not used again while it has no acknowledgement`(_ pauses: Bool) async throws {
      try await onLoop { loop in
        let count = 65_600
        let broker = try SlowBroker(on: loop, acknowledgingAfter: 65_534)
        let numbers = PushStream<Int>()
        let source = pauses ? Stream.sequence(0..<count) : numbers.toStream()
        let published = source.map { MQTTMessage("n", "\($0)", quality: $0 == 0 ? .atLeastOnce : .atMostOnce) }
          .publish(to: broker.address, window: 1_000).record()
        if !pauses {
          try loop.run(until: "connected") { numbers.observerCount > 0 }
          for number in 0..<count { numbers.next(number) }
          numbers.completed()
        }
        try loop.run(until: "it has ended") { published.termination != nil }
        #expect(published.isCompleted && published.elements.count == count)
        #expect(Set(published.elements.map(\.text)).count == count)
        // All others with a number of their own came before it.
        #expect(published.elements.firstIndex { $0.text == "0" } == 65_534)
        broker.dispose()
      }
    }
  }
}
