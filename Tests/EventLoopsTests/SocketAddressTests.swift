import Glibc
import Testing

@testable import EventLoops

@Suite("SocketAddress")
struct SocketAddressTests {
  @Test(arguments: [
    "127.0.0.1:80", "0.0.0.0:0", "255.255.255.255:65535", "[::1]:80", "[::]:0", "[2001:db8::7]:443", "[fe80::1%1]:9",
    "/run/a b.sock", "@hidden",
  ])
  func `text and address are each other's inverse`(_ text: String) throws {
    let address = try SocketAddress(text)
    #expect(address.description == text)
    let copy = try #require(address.withSockAddr { SocketAddress($0, length: $1) })
    #expect(copy == address)
    #expect(copy.hashValue == address.hashValue)
    #expect(address.withUnsafeBytes { SocketAddress(bytes: $0) } == address)
    address.withUnsafeBytes { bytes in
      #expect(SocketAddress(sockaddr: bytes.baseAddress, length: bytes.count) == address)
      #expect(
        SocketAddress(sockaddr: bytes.baseAddress)
          == (address.path == nil && address.abstractName == nil ? address : nil))
    }
    #expect(address.withUnsafeBytes { SocketAddress(bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(1))) } == nil)
  }

  @Test(arguments: [
    "localhost:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "1.2.3:4", "::1:80",
    "[::1]", "",
    "[::1%]:80", ":80", "@", "256.0.0.1:1", "127.0.0.1\0:80",
  ])
  func `what is no numeric address fails with a typed error that has the text`(_ text: String) {
    #expect {
      try SocketAddress(text)
    } throws: { error in
      let error = error as! UVError
      return error.name == "EINVAL" && error.path.map { text.contains($0) } == true
    }
  }

  @Test func `an interface is a number or a name; one that does not exist fails`() throws {
    #expect(try SocketAddress("fe80::1%lo", port: 5).scope == if_nametoindex("lo"))
    #expect(try SocketAddress("[fe80::1%7]:5").scope == 7)
    #expect(throws: UVError(code: -ENODEV, call: "if_nametoindex", path: "fe80::1%nosuch0")) {
      try SocketAddress("fe80::1%nosuch0", port: 5)
    }
  }

  @Test func `a local name fits or fails`() throws {
    let longest = String(repeating: "x", count: 107)
    for address in [try SocketAddress(path: longest), try SocketAddress(abstract: longest)] {
      #expect(address.withSockAddr { SocketAddress($0, length: $1) } == address)
    }
    #expect(throws: UVError(code: -ENAMETOOLONG, call: "SocketAddress", path: longest + "x")) {
      try SocketAddress(path: longest + "x")
    }
    #expect(throws: UVError.self) { try SocketAddress(path: "a\0b") }
    #expect(try SocketAddress(abstract: "a\0b").withSockAddr { SocketAddress($0, length: $1)?.abstractName } == "a\0b")
    // An address that is only a family, as the system reports it for a socket without a name.
    #expect(withUnsafeBytes(of: sa_family_t(AF_UNIX)) { SocketAddress(bytes: $0)?.path } == "")
  }

  @Test func `parts, and the addresses that everybody needs`() throws {
    #expect(SocketAddress.loopback(port: 1).description == "127.0.0.1:1")
    #expect(SocketAddress.loopbackIPv6(port: 1).description == "[::1]:1")
    #expect(SocketAddress.any(port: 2).description == "0.0.0.0:2")
    #expect(SocketAddress.anyIPv6(port: 2).description == "[::]:2")
    let address = try SocketAddress("239.1.2.3", port: 9)
    #expect(address.isMulticast && !address.isLoopback)
    #expect(address.family == .ipv4 && address.host == "239.1.2.3" && address.port == 9)
    #expect(address.withPort(10).description == "239.1.2.3:10")
    #expect(try SocketAddress("[ff02::1]:1").isMulticast)
    #expect(try SocketAddress(path: "/x").withPort(10).path == "/x")
    #expect(SocketAddress(nil) == nil)
  }

  @Test func `what the system writes is read, what it refuses fails`() throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    func name() throws(UVError) -> SocketAddress {
      try SocketAddress.from("getsockname") { address, length in
        var count = socklen_t(length.pointee)
        let status = getsockname(descriptor, address, &count)
        length.pointee = Int32(count)
        return status
      }
    }
    #expect(try name().path == "")
    let address = try SocketAddress(abstract: "headwater-\(getpid())")
    #expect(address.withSockAddr { bind(descriptor, $0, $1) } == 0)
    #expect(try name() == address)
    #expect(throws: UVError(code: -EBADF, call: "getsockname")) {
      try SocketAddress.from("getsockname") { _, _ in -EBADF }
    }
  }
}
