import EventLoops
import Streams

/// The connection that carries HTTP, without its type.
class Wire {
  let carrier: ByteStreamHandle

  fileprivate init(_ carrier: ByteStreamHandle) { self.carrier = carrier }

  static func over(_ connection: some ByteConnection) -> Wire { WireOf(connection) }

  var bytes: Operation<Bytes, HTTPError> { fatalError() }
  var readiness: Operation<Void, HTTPError> { fatalError() }
  var isFull: Bool { fatalError() }
  func write(_ bytes: Bytes) { fatalError() }
  func write(copying bytes: [UInt8]) { fatalError() }
  /// Writes what is queued, and closes when the peer has finished, too, or after 5 seconds.
  func close() { fatalError() }
  /// Closes at once, so that the peer sees that something is missing.
  func abort() { fatalError() }
}

/// The queue shrinks when a write ends, which shows that the peer takes bytes. That of a larger write would be too late.
private let largestWrite = 65_536

private final class WireOf<Connection: ByteConnection>: Wire {
  private let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
    super.init(connection.carrier)
  }

  override var bytes: Operation<Bytes, HTTPError> { connection.bytes.mapError { HTTPError(carrying: $0) } }
  override var readiness: Operation<Void, HTTPError> { connection.readiness.mapError { HTTPError(carrying: $0) } }
  override var isFull: Bool { connection.isFull }
  override func write(_ bytes: Bytes) {
    for start in stride(from: 0, to: bytes.count, by: largestWrite) {
      connection.write(bytes.dropFirst(start).prefix(largestWrite))
    }
  }

  override func write(copying bytes: [UInt8]) {
    for start in stride(from: 0, to: bytes.count, by: largestWrite) {
      let end = min(start + largestWrite, bytes.count)
      connection.write(copying: bytes.span.bytes.extracting(start..<end))
    }
  }

  override func close() { connection.close(within: .seconds(5)) }

  override func abort() {
    (connection as? TCPHandle)?.reset()
    connection.dispose()
  }
}

extension HTTPError {
  fileprivate init(carrying error: any Error) {
    if let error = error as? UVError { self.init(error) } else { self = .connection(error) }
  }
}
