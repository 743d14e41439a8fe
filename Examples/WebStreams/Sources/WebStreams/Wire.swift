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

private final class WireOf<Connection: ByteConnection>: Wire {
  private let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
    super.init(connection.carrier)
  }

  override var bytes: Operation<Bytes, HTTPError> { connection.bytes.mapError { HTTPError(carrying: $0) } }
  override var readiness: Operation<Void, HTTPError> { connection.readiness.mapError { HTTPError(carrying: $0) } }
  override var isFull: Bool { connection.isFull }
  override func write(_ bytes: Bytes) { connection.write(bytes) }
  override func write(copying bytes: [UInt8]) { connection.write(copying: bytes.span.bytes) }
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
