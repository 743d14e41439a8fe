import Dispatch
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Resolver", .noLiveResources, .timeLimit(.minutes(15)))
struct ResolverTests {
  /// The addresses that the blocking resolver of the system returns.
  static func system(_ host: String, _ family: Int32) -> [String] {
    var hints = addrinfo()
    hints.ai_family = family
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next {
      let bytes = UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
      if let text = SocketAddress(bytes: bytes)?.host, !addresses.contains(text) { addresses.append(text) }
      next = entry.pointee.ai_next
    }
    return addresses
  }

  @Test(arguments: [(nil, AF_UNSPEC), (.ipv4, AF_INET), (.ipv6, AF_INET6)] as [(SocketAddress.Family?, Int32)])
  func `localhost is resolved as the system does it, in either family and in both`(
    _ family: SocketAddress.Family?, _ native: Int32
  ) async throws {
    let expected = try await onOwnThread { Self.system("localhost", native) }
    try await onLoop { _ in
      do {
        let addresses = try await Operation.addresses(of: "localhost", port: 80, family: family).value
        #expect(addresses.map(\.host) == expected)
        #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 80 && (family == nil || $0.family == family) })
      } catch let error as UVError {
        #expect(expected == [], "\(error)")
        #expect(error.call == "uv_getaddrinfo" && error.path == "localhost" && error.name.hasPrefix("EAI_"), "\(error)")
      }
      if family == .ipv4 { #expect(expected == ["127.0.0.1"]) }
    }
  }

  @Test func `numbers need no resolver, and services may have names`() async throws {
    try await onLoop { _ in
      let options: ResolverOptions = .numericHost
      let first = try await Operation.addresses(of: "192.0.2.7", port: 9, options: options).value
      #expect(first.map(\.description) == ["192.0.2.7:9"])
      let second = try await Operation.addresses(
        of: "2001:db8::1", service: "443", kind: .datagram, options: options
      ).value
      #expect(second.map(\.description) == ["[2001:db8::1]:443"])
      let any = try await Operation.addresses(of: nil, service: "80", family: .ipv4, options: .passive).value
      #expect(any == [.any(port: 80)])
      #expect(
        await failure { _ = try await Operation.addresses(of: "localhost", port: 1, options: options).value } != nil)
    }
  }

  @Test func `a name that does not exist fails once, typed, with the name`() async throws {
    try await onLoop { _ in
      let error = await failure { _ = try await Operation.addresses(of: "headwater.invalid", port: 80).value }
      #expect(error?.call == "uv_getaddrinfo" && error?.path == "headwater.invalid")
      #expect(
        ["EAI_NONAME", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA"].contains(error?.name), "\(String(describing: error))")
      #expect(error?.description.hasPrefix("uv_getaddrinfo headwater.invalid: ") == true)
      #expect(await failure { _ = try await Operation.addresses(of: "a\0b", port: 80).value }?.name == "EINVAL")
      let long = String(repeating: "x", count: 100_000)
      #expect(await failure { _ = try await Operation.addresses(of: long, port: 80).value }?.path == long)
      #expect(
        await failure { _ = try await Operation.addresses(of: "localhost", port: 80, family: .local).value } != nil)
    }
  }

  @Test func `cancelled in flight, nothing comes, and run returns`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      for round in 0..<20 {
        let subscriptions = (0..<8).map { index in
          Operation.addresses(of: "name\(round)-\(index).invalid", port: 80).observe { _ in
            Issue.record("a disposed request has delivered")
          }
        }
        for subscription in subscriptions { subscription.dispose() }
      }
      loop.run()
      #expect(loop.firstResource == nil)
    }
  }

  @Test func `a task that is cancelled stops waiting for a name`() async throws {
    try await onLoop { actor in
      let task = Task { [actor] in
        await actor.run { _ in
          await failure { _ = try await Operation.addresses(of: "another.invalid", port: 80).value }
        }
      }
      task.cancel()
      // The task throws a `CancellationError`, unless the resolver was faster.
      let error = await task.value
      #expect(error == nil || error?.call == "uv_getaddrinfo")
    }
  }

  @Test func `the names of an address; its number where it has none`() async throws {
    try await onLoop { _ in
      let names = try await Operation.names(of: .loopback(port: 80), options: .numericService).value
      #expect(names == AddressNames(host: "localhost", service: "80"))
      let numbers = try await Operation.names(
        of: try SocketAddress("[2001:db8::9]:7"), options: [.numericHost, .numericService]
      ).value
      #expect(numbers == AddressNames(host: "2001:db8::9", service: "7"))
      let local = try SocketAddress(path: "/tmp/x")
      #expect(
        await failure { _ = try await Operation.names(of: local).value }
          == UVError(code: -EINVAL, call: "uv_getnameinfo", path: "/tmp/x"))
    }
  }
}
