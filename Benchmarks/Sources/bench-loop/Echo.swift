import EventLoops
import Glibc
import Streams

let pairCount = 64
let messageSize = 64

/// 64 TCP connections with both ends on one loop, which send 64 bytes back and forth. The figures are processor
/// nanoseconds per round trip.
enum Echo {
  /// Echoes with a reader for each end, which may use the bytes only during the call.
  static func raw(_ count: Int) -> Double {
    run(count) { connection, trips in
      connection.startReading(trips.map { RawClient(connection, $0) } ?? RawServer(connection))
    }
  }

  /// Echoes the elements of a stream of bytes, which an observer may retain.
  static func bytes(_ count: Int) -> Double {
    run(count) { connection, trips in
      let subscription = connection.bytes.observe(
        next: { bytes in if trips?.isOver() != true { connection.write(bytes) } }, termination: { _ in })
      _ = subscription
    }
  }

  /// Echoes the elements of a stream of bytes through four operators.
  static func operators(_ count: Int) -> Double {
    run(count) { connection, trips in
      let subscription = connection.bytes
        .filter { !$0.isEmpty }
        .map { ($0, $0.count) }
        .scan((Bytes(), 0)) { total, next in (next.0, total.1 + next.1) }
        .map { $0.0 }
        .observe(next: { bytes in if trips?.isOver() != true { connection.write(bytes) } }, termination: { _ in })
      _ = subscription
    }
  }

  private static func run(_ count: Int, _ start: @escaping (TCPHandle, Trips?) -> Void) -> Double {
    let loop = Loop.main
    let trips = Trips(count, loop)
    let listener = try! TCPListener(on: .loopback(port: 0))
    var ready = 0
    var clients: [TCPHandle] = []
    var before = 0.0
    func isReady() {
      ready += 1
      if ready < 2 * pairCount { return }
      let message = Bytes(repeating: 120, count: messageSize)
      before = Processor.process
      for client in clients { client.write(message) }
    }
    let bag = DisposeBag()
    listener.connections.observe(
      next: { connection in
        start(connection, nil)
        isReady()
      }, termination: { _ in }
    ).dispose(in: bag)
    for _ in 0..<pairCount {
      Operation.connect(to: listener.address).observe(
        next: { connection in
          try! connection.setNoDelay(true)
          start(connection, trips)
          clients.append(connection)
          isReady()
        }, termination: { _ in }
      ).dispose(in: bag)
    }
    loop.run()
    let taken = Processor.process - before
    bag.dispose()
    loop.shutdown()
    return taken / Double(count)
  }

  private final class RawServer: ByteReader {
    // The connection releases its reader when reading ends, which breaks the cycle.
    private let connection: TCPHandle

    init(_ connection: TCPHandle) { self.connection = connection }

    override func received(_ bytes: RawSpan) { connection.write(copying: bytes) }
  }

  private final class RawClient: ByteReader {
    private let connection: TCPHandle
    private let trips: Trips

    init(_ connection: TCPHandle, _ trips: Trips) {
      self.connection = connection
      self.trips = trips
    }

    override func received(_ bytes: RawSpan) { if !trips.isOver() { connection.write(copying: bytes) } }
  }
}

/// A counter of round trips that stops the loop after the last one.
final class Trips {
  @exclusivity(unchecked) private var left: Int
  private let loop: Loop

  init(_ count: Int, _ loop: Loop) {
    left = count
    self.loop = loop
  }

  func isOver() -> Bool {
    left -= 1
    if left > 0 { return false }
    loop.stop()
    return true
  }
}
