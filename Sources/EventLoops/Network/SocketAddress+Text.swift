import CUV

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension SocketAddress {
  /// Parses a numeric address: `192.0.2.7`, `::1`, `fe80::1%eth0`, or `fe80::1%2`, with or without brackets.
  ///
  /// Throws `EINVAL` for other text, such as a name, and `ENODEV` if there is no such interface.
  public init(_ host: String, port: UInt16) throws(UVError) {
    var text = Substring(host)
    if text.first == "[", text.last == "]" { text = text.dropFirst().dropLast() }
    if let address: in_addr = SocketAddress.parse(AF_INET, text) {
      content = .ipv4(UInt32(bigEndian: address.s_addr), port: port)
      return
    }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address: (UInt64, UInt64) = SocketAddress.parse(AF_INET6, parts.first ?? ""),
      parts.count == 1 || parts[1] != ""
    else { throw UVError(code: UV_EINVAL.rawValue, call: "uv_inet_pton", path: host) }
    let scope = parts.count == 2 ? UInt32(parts[1]) ?? if_nametoindex(String(parts[1])) : 0
    if parts.count == 2, scope == 0 { throw UVError(code: UV_ENODEV.rawValue, call: "if_nametoindex", path: host) }
    content = .ipv6(
      high: UInt64(bigEndian: address.0), low: UInt64(bigEndian: address.1), port: port, flow: 0, scope: scope)
  }

  /// Parses the text of `description`: `192.0.2.7:80`, `[::1]:80`, `/run/service.sock`, or `@abstract`.
  ///
  /// Throws `EINVAL` for other text, such as a name or an address without a port.
  public init(_ text: String) throws(UVError) {
    if text.hasPrefix("/") {
      try self.init(path: text)
    } else if text.hasPrefix("@") {
      try self.init(abstract: String(text.dropFirst()))
    } else {
      // UInt16 would accept a sign.
      guard let colon = text.lastIndex(of: ":"), case let digits = text[text.index(after: colon)...],
        digits.first != "+", let port = UInt16(digits)
      else {
        throw UVError(code: UV_EINVAL.rawValue, call: "SocketAddress", path: text)
      }
      let host = text[..<colon]
      // Without brackets, the end of an IPv6 address and the start of the port are ambiguous.
      if host.contains(":"), !(host.hasPrefix("[") && host.hasSuffix("]")) {
        throw UVError(code: UV_EINVAL.rawValue, call: "SocketAddress", path: text)
      }
      try self.init(String(host), port: port)
    }
  }

  private static func parse<Address>(_ family: Int32, _ text: Substring) -> Address? {
    // C would stop at a zero byte.
    if text.utf8.contains(0) { return nil }
    return withUnsafeTemporaryAllocation(of: Address.self, capacity: 1) { address in
      uv_inet_pton(family, String(text), address.baseAddress) == 0 ? address[0] : nil
    }
  }

  /// The numeric address without the port: `192.0.2.7`, `fe80::1%2`. For a local socket, its name; an abstract name
  /// begins with `@`.
  public var host: String {
    switch content {
    case .ipv4(let address, port: _): SocketAddress.text(AF_INET, in_addr(s_addr: address.bigEndian))
    case .ipv6(let high, let low, port: _, flow: _, let scope):
      SocketAddress.text(AF_INET6, (high.bigEndian, low.bigEndian)) + (scope == 0 ? "" : "%\(scope)")
    case .path(let path): path
    case .abstract(let name): "@\(name)"
    }
  }

  private static func text<Address>(_ family: Int32, _ address: Address) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      _ = Swift.withUnsafeBytes(of: address) { uv_inet_ntop(family, $0.baseAddress, buffer.baseAddress, buffer.count) }
      return String(cString: buffer.baseAddress!)
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  /// The address as text: `192.0.2.7:80`, `[::1]:80`, `[fe80::1%2]:80`, `/run/service.sock`, `@abstract`.
  public var description: String {
    switch content {
    case .ipv4(_, let port): "\(host):\(port)"
    case .ipv6(_, _, let port, _, _): "[\(host)]:\(port)"
    case .path, .abstract: host
    }
  }
}
