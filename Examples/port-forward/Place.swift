import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A place to listen on or to connect to.
nonisolated enum Place {
  /// An address, which needs no lookup.
  case address(SocketAddress)
  /// A name and a port.
  case host(String, port: UInt16)

  /// Parses `8080`, `127.0.0.1:8080`, `[::1]:8080`, `example.org:80`, `/run/service.sock`, or `@abstract`.
  static func parse(_ text: String) throws(UVError) -> Place {
    if let port = UInt16(text) { return .address(.loopback(port: port)) }
    do throws(UVError) {
      return .address(try SocketAddress(text))
    } catch {
      // The text is not an address, so it has to be a name.
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0] != "", !parts[0].contains("/"), let port = UInt16(parts[1]) else { throw error }
      return .host(String(parts[0]), port: port)
    }
  }
}

extension Place {
  /// Listens here, and emits the accepted connections. Fails with `EINVAL` for a name.
  ///
  /// - Parameter bound: Called once with the address.
  func connections(bound: @escaping (SocketAddress) -> Void) -> Operation<ByteStreamHandle, UVError> {
    switch self {
    case .address(let address) where address.family == .local:
      Operation.listen(onPipe: address, bound: bound).map { $0 }
    case .address(let address): Operation.listen(on: address, bound: bound).map { $0 }
    case .host(let host, _): .failed(UVError(errno: EINVAL, call: "bind", path: host))
    }
  }

  /// Connects, and emits the connection. Fails with `ETIMEDOUT` after ten seconds.
  func connect() -> Operation<ByteStreamHandle, UVError> {
    let connection: Operation<ByteStreamHandle, UVError> =
      switch self {
      case .address(let address) where address.family == .local: Operation.connect(toPipe: address).map { $0 }
      case .address(let address): Operation.connect(to: address).map { $0 }
      case .host(let host, let port): Operation.connect(host: host, port: port).map { $0 }
      }
    return connection.timeout(.seconds(10), failingWith: UVError(errno: ETIMEDOUT, call: "connect", path: "\(self)"))
  }
}

nonisolated extension Place: CustomStringConvertible {
  /// The form that `parse` reads.
  var description: String {
    switch self {
    case .address(let address): "\(address)"
    case .host(let host, let port): "\(host):\(port)"
    }
  }
}
