import CUV

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Where a socket is: an IPv4 or IPv6 address and port, or the name of a local (Unix domain) socket.
///
/// ```swift
/// let server = try SocketAddress("192.0.2.7", port: 80)
/// let same = try SocketAddress("192.0.2.7:80")
/// let nearby = try SocketAddress("[fe80::1%eth0]:8080")
/// let local = try SocketAddress(path: "/run/service.sock")
/// ```
///
/// Only numeric text is understood, so making one does not wait for anything; for names there is `Operation.addresses`.
/// A value, equal where all of its parts are. Errors: `UVError`, with the text as its `path`.
public struct SocketAddress: Hashable, Sendable {
  /// The kind of an address.
  public enum Family: Hashable, Sendable {
    /// Four bytes and a port.
    case ipv4
    /// Sixteen bytes, a port and, for link-local addresses, the interface.
    case ipv6
    /// A name in the file system or, on Linux, in the abstract namespace.
    case local
  }

  enum Content: Hashable, Sendable {
    case ipv4(UInt32, port: UInt16)
    case ipv6(high: UInt64, low: UInt64, port: UInt16, flow: UInt32, scope: UInt32)
    /// Empty: a socket without a name.
    case path(String)
    case abstract(String)
  }

  let content: Content

  init(_ content: Content) { self.content = content }

  // MARK: Making

  /// The address with these four bytes.
  public init(ipv4 a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, port: UInt16) {
    content = .ipv4(UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d), port: port)
  }

  /// The local socket with this name in the file system. Fails with `ENAMETOOLONG` past 107 bytes (103 on macOS), and with
  /// `EINVAL` for an empty name or one that contains a zero byte.
  public init(path: String) throws(UVError) {
    try SocketAddress.check(path, isValid: !path.isEmpty && !path.utf8.contains(0))
    content = .path(path)
  }

  /// The local socket with this name in Linux's abstract namespace: it leaves no file, and goes with its last socket. Fails
  /// with `ENAMETOOLONG` past 107 bytes and with `EINVAL` for an empty name.
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

  /// Every IPv4 address of this machine, for binding.
  public static func any(port: UInt16) -> SocketAddress { SocketAddress(ipv4: 0, 0, 0, 0, port: port) }
  /// Every IPv6 address of this machine, for binding; its IPv4 addresses too where the system is set up so.
  public static func anyIPv6(port: UInt16) -> SocketAddress {
    SocketAddress(.ipv6(high: 0, low: 0, port: port, flow: 0, scope: 0))
  }
  /// `127.0.0.1`: this machine, and nobody else.
  public static func loopback(port: UInt16) -> SocketAddress { SocketAddress(ipv4: 127, 0, 0, 1, port: port) }
  /// `::1`: this machine, and nobody else.
  public static func loopbackIPv6(port: UInt16) -> SocketAddress {
    SocketAddress(.ipv6(high: 0, low: 1, port: port, flow: 0, scope: 0))
  }

  /// The same address with another port. A local address has none and stays as it is.
  public func withPort(_ port: UInt16) -> SocketAddress {
    switch content {
    case .ipv4(let address, port: _): SocketAddress(.ipv4(address, port: port))
    case .ipv6(let high, let low, port: _, let flow, let scope):
      SocketAddress(.ipv6(high: high, low: low, port: port, flow: flow, scope: scope))
    case .path, .abstract: self
    }
  }

  // MARK: Parts

  /// The kind of address.
  public var family: Family {
    switch content {
    case .ipv4: .ipv4
    case .ipv6: .ipv6
    case .path, .abstract: .local
    }
  }

  /// The port; 0 for local addresses, and where the system is to choose one.
  public var port: UInt16 {
    switch content {
    case .ipv4(_, let port): port
    case .ipv6(_, _, let port, _, _): port
    case .path, .abstract: 0
    }
  }

  /// The index of the interface that a link-local IPv6 address is on; 0 where none is named.
  public var scope: UInt32 {
    if case .ipv6(_, _, _, _, let scope) = content { return scope }
    return 0
  }

  /// The name of a local socket in the file system. Nil for other addresses, empty for a socket without a name.
  public var path: String? {
    if case .path(let path) = content { return path }
    return nil
  }

  /// The name of a local socket in the abstract namespace, nil for other addresses.
  public var abstractName: String? {
    if case .abstract(let name) = content { return name }
    return nil
  }

  /// True for `127.0.0.0/8`, `::1` and local sockets.
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
