import CUV

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's `sockaddr`, under a name that no argument label hides.
private typealias NativeAddress = sockaddr

extension SocketAddress {
  /// Calls `body` with the address in the system's form: a `sockaddr_in`, `sockaddr_in6`, or `sockaddr_un`. Use it to
  /// call C functions. The bytes are valid during the call.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withSockAddr { address, length throws(Failure) in
      try body(UnsafeRawBufferPointer(start: address, count: Int(length)))
    }
  }

  /// Copies an address in the system's form: a `sockaddr_in`, `sockaddr_in6`, or `sockaddr_un`.
  ///
  /// Returns nil if the bytes are too short, and for families that this type does not have.
  public init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= MemoryLayout<sa_family_t>.size else { return nil }
    self.init(bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), length: socklen_t(bytes.count))
  }

  /// Copies the address that a `sockaddr *` points to, for example in an `addrinfo`, an `ifaddrs`, or a callback.
  ///
  /// Returns nil for a null pointer, for a length that is too short, and for families that this type does not have.
  ///
  /// - Parameters:
  ///   - address: The address. It is read during the call only.
  ///   - length: Its length in bytes. Local addresses need it; IPv4 and IPv6 addresses don't, because their family
  ///     implies it.
  public init?(sockaddr address: UnsafeRawPointer?, length: Int? = nil) {
    self.init(address?.assumingMemoryBound(to: NativeAddress.self), length: length.map { socklen_t(clamping: $0) })
  }

  /// Calls `body` with the address in the types that libuv's functions need.
  func withSockAddr<Result, Failure: Error>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch content {
    case .ipv4(let address, let port):
      var native = sockaddr_in()
      native.sin_family = sa_family_t(AF_INET)
      native.sin_port = port.bigEndian
      native.sin_addr.s_addr = address.bigEndian
      return try SocketAddress.lend(native, MemoryLayout<sockaddr_in>.size, body)
    case .ipv6(let high, let low, let port, let flow, let scope):
      var native = sockaddr_in6()
      native.sin6_family = sa_family_t(AF_INET6)
      native.sin6_port = port.bigEndian
      native.sin6_flowinfo = flow
      native.sin6_scope_id = scope
      withUnsafeMutableBytes(of: &native.sin6_addr) { bytes in
        bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
        bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      }
      return try SocketAddress.lend(native, MemoryLayout<sockaddr_in6>.size, body)
    case .path(let path):
      // A zero byte follows the name, unless the name is empty.
      let (native, count) = SocketAddress.local(path, at: 0)
      return try SocketAddress.lend(native, count + (path.isEmpty ? 0 : 1), body)
    case .abstract(let name):
      let (native, count) = SocketAddress.local(name, at: 1)
      return try SocketAddress.lend(native, count, body)
    }
  }

  private static func lend<Native, Result, Failure: Error>(
    _ native: Native, _ length: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var native = native
    return try withUnsafeMutablePointer(to: &native) { pointer throws(Failure) in
      let address = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      #if canImport(Darwin)
      address.pointee.sa_len = UInt8(length)
      #endif
      return try body(address, socklen_t(length))
    }
  }

  private static func local(_ name: String, at offset: Int) -> (sockaddr_un, Int) {
    var native = sockaddr_un()
    native.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &native.sun_path) { $0[offset...].copyBytes(from: name.utf8) }
    return (native, MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + offset + name.utf8.count)
  }

  /// Copies the address at `address`, which is `length` bytes long. `length` is optional for IPv4 and IPv6 addresses.
  /// Nil if `address` is nil, and for families that this type does not have.
  init?(_ address: UnsafePointer<sockaddr>?, length: socklen_t? = nil) {
    guard let address else { return nil }
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET where length.map { $0 >= MemoryLayout<sockaddr_in>.size } ?? true:
      let native = raw.loadUnaligned(as: sockaddr_in.self)
      content = .ipv4(UInt32(bigEndian: native.sin_addr.s_addr), port: UInt16(bigEndian: native.sin_port))
    case AF_INET6 where length.map { $0 >= MemoryLayout<sockaddr_in6>.size } ?? true:
      let native = raw.loadUnaligned(as: sockaddr_in6.self)
      let (high, low) = Swift.withUnsafeBytes(of: native.sin6_addr) { bytes in
        (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      }
      content = .ipv6(
        high: UInt64(bigEndian: high), low: UInt64(bigEndian: low), port: UInt16(bigEndian: native.sin6_port),
        flow: native.sin6_flowinfo, scope: native.sin6_scope_id)
    case AF_UNIX:
      guard let length else { return nil }
      let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
      let bytes = UnsafeRawBufferPointer(start: raw + start, count: max(0, Int(length) - start))
      if bytes.count > 1, bytes[0] == 0 {
        content = .abstract(String(decoding: bytes.dropFirst(), as: UTF8.self))
      } else {
        content = .path(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
      }
    default: return nil
    }
  }

  /// Returns the address that `call` writes into a buffer: `getsockname`, `uv_tcp_getpeername`, and similar functions.
  /// `call` receives the buffer and its length, sets the length to that of the address, and returns libuv's status.
  static func from(
    _ name: String, _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<Int32>) -> Int32
  ) throws(UVError) -> SocketAddress {
    var storage = sockaddr_storage()
    var length = Int32(MemoryLayout<sockaddr_storage>.size)
    var status: Int32 = 0
    let address = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        status = call(address, &length)
        return status < 0 ? nil : SocketAddress(address, length: socklen_t(length))
      }
    }
    if status < 0 { throw UVError(code: status, call: name) }
    guard let address else { throw UVError(code: UV_EAFNOSUPPORT.rawValue, call: name) }
    return address
  }
}
