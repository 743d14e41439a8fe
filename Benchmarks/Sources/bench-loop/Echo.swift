import EventLoops
import Glibc
import Streams

let pairCount = 64
let messageSize = 64

/// 64 TCP connections whose both ends are on one loop: 64 bytes go to and fro. The figures are processor nanoseconds for each
/// round trip.
enum Echo {
  /// The raw way: a reader for each end, which has the bytes for the duration of the call.
  static func raw(_ count: Int) -> Double {
    run(count) { connection, trips in
      connection.startReading(trips.map { RawClient(connection, $0) } ?? RawServer(connection))
    }
  }

  /// Elements of a stream of bytes, which may be kept.
  static func bytes(_ count: Int) -> Double {
    run(count) { connection, trips in
      let subscription = connection.bytes.observe(
        next: { bytes in if trips?.isOver() != true { connection.write(bytes) } }, termination: { _ in })
      _ = subscription
    }
  }

  /// The same through four operators.
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
    // The connection lets go of its reader when reading ends.
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

/// Counts round trips, and stops the loop behind the last.
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
