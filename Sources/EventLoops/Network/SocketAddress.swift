import CUV

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The address of a socket: an IPv4 or IPv6 address and a port, or the name of a local (Unix domain) socket.
///
/// ```swift
/// let server = try SocketAddress("192.0.2.7", port: 80)
/// let same = try SocketAddress("192.0.2.7:80")
/// let nearby = try SocketAddress("[fe80::1%eth0]:8080")
/// let local = try SocketAddress(path: "/run/service.sock")
/// ```
///
/// Only numeric text is parsed, so making an address never waits. To resolve names, use `Operation.addresses`. Two
/// addresses are equal if all their parts are equal. Errors are a `UVError` whose `path` is the text.
public struct SocketAddress: Hashable, Sendable {
  /// The family of an address.
  public enum Family: Hashable, Sendable {
    /// Four bytes and a port.
    case ipv4
    /// Sixteen bytes, a port, and, for link-local addresses, the interface.
    case ipv6
    /// A name in the file system or, on Linux, in the abstract namespace.
    case local
  }

  enum Content: Hashable, Sendable {
    case ipv4(UInt32, port: UInt16)
    case ipv6(high: UInt64, low: UInt64, port: UInt16, flow: UInt32, scope: UInt32)
    /// A name in the file system. Empty for a socket without a name.
    case path(String)
    case abstract(String)
  }

  let content: Content

  init(_ content: Content) { self.content = content }

  // MARK: Making

  /// Makes an IPv4 address from its four bytes.
  public init(ipv4 a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, port: UInt16) {
    content = .ipv4(UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d), port: port)
  }

  /// Makes the address of a local socket with a name in the file system. Throws `ENAMETOOLONG` for more than 107 bytes
  /// (103 on macOS), and `EINVAL` if the name is empty or contains a zero byte.
  public init(path: String) throws(UVError) {
    try SocketAddress.check(path, isValid: !path.isEmpty && !path.utf8.contains(0))
    content = .path(path)
  }

  /// Makes the address of a local socket with a name in Linux's abstract namespace. Such a name leaves no file, and
  /// ends with its last socket. Throws `ENAMETOOLONG` for more than 107 bytes, and `EINVAL` if the name is empty.
  public init(abstract name: String) throws(UVError) {
    try SocketAddress.check(name, isValid: !name.isEmpty)
    content = .abstract(name)
  }

  private static func check(_ name: String, isValid: Bool) throws(UVError) {
    if !isValid { throw UVError(code: UV_EINVAL.rawValue, call: "SocketAddress", path: name) }
    if name.utf8.count >= MemoryLayout.size(ofValue: sockaddr_un().sun_path) {
      throw UVError(code: UV_ENAMETOOLONG.rawValue, call: "SocketAddress", path: name)
    }
  }

  /// All IPv4 addresses of this machine, for binding.
  public static func any(port: UInt16) -> SocketAddress { SocketAddress(ipv4: 0, 0, 0, 0, port: port) }
  /// All IPv6 addresses of this machine, for binding. Includes its IPv4 addresses if the system is configured for that.
  public static func anyIPv6(port: UInt16) -> SocketAddress {
    SocketAddress(.ipv6(high: 0, low: 0, port: port, flow: 0, scope: 0))
  }
  /// `127.0.0.1`, which only this machine can reach.
  public static func loopback(port: UInt16) -> SocketAddress { SocketAddress(ipv4: 127, 0, 0, 1, port: port) }
  /// `::1`, which only this machine can reach.
  public static func loopbackIPv6(port: UInt16) -> SocketAddress {
    SocketAddress(.ipv6(high: 0, low: 1, port: port, flow: 0, scope: 0))
  }

  /// Returns the same address with another port. A local address has no port and is returned unchanged.
  public func withPort(_ port: UInt16) -> SocketAddress {
    switch content {
    case .ipv4(let address, port: _): SocketAddress(.ipv4(address, port: port))
    case .ipv6(let high, let low, port: _, let flow, let scope):
      SocketAddress(.ipv6(high: high, low: low, port: port, flow: flow, scope: scope))
    case .path, .abstract: self
    }
  }

  // MARK: Parts

  /// The family of the address.
  public var family: Family {
    switch content {
    case .ipv4: .ipv4
    case .ipv6: .ipv6
    case .path, .abstract: .local
    }
  }

  /// The port. 0 for local addresses, and for a port that the system chooses.
  public var port: UInt16 {
    switch content {
    case .ipv4(_, let port): port
    case .ipv6(_, _, let port, _, _): port
    case .path, .abstract: 0
    }
  }

  /// The index of the interface of a link-local IPv6 address; 0 if none is given.
  public var scope: UInt32 {
    if case .ipv6(_, _, _, _, let scope) = content { return scope }
    return 0
  }

  /// The name of a local socket in the file system. Nil for other addresses, empty for a socket without a name.
  public var path: String? {
    if case .path(let path) = content { return path }
    return nil
  }

  /// The name of a local socket in the abstract namespace. Nil for other addresses.
  public var abstractName: String? {
    if case .abstract(let name) = content { return name }
    return nil
  }

  /// True for `127.0.0.0/8`, `::1`, and local sockets.
  public var isLoopback: Bool {
    switch content {
    case .ipv4(let address, _): address >> 24 == 127
    case .ipv6(let high, let low, _, _, _): high == 0 && low == 1
    case .path, .abstract: true
    }
  }

  /// True for `224.0.0.0/4` and `ff00::/8`.
  public var isMulticast: Bool {
    switch content {
    case .ipv4(let address, _): address >> 28 == 0xe
    case .ipv6(let high, _, _, _, _): high >> 56 == 0xff
    case .path, .abstract: false
    }
  }
}
