import CUV
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What a name is resolved for.
public enum SocketKind: Hashable, Sendable {
  /// Connections: TCP.
  case stream
  /// Datagrams: UDP.
  case datagram

  var native: Int32 {
    #if canImport(Glibc)
    Int32(self == .stream ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue)
    #else
    self == .stream ? SOCK_STREAM : SOCK_DGRAM
    #endif
  }
}

/// How a name is resolved: the flags of `getaddrinfo`.
public struct ResolverOptions: OptionSet, Hashable, Sendable {
  /// The flags as the system has them.
  public let rawValue: Int32

  /// Makes options from the system's flags.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Only families of which this machine has an address besides the loopback's.
  public static let configuredFamilies = ResolverOptions(rawValue: Int32(AI_ADDRCONFIG))
  /// Only numbers: nobody is asked, and names fail.
  public static let numericHost = ResolverOptions(rawValue: Int32(AI_NUMERICHOST))
  /// Without a host: the addresses to bind to, not those of the loopback.
  public static let passive = ResolverOptions(rawValue: Int32(AI_PASSIVE))
  /// With `family: .ipv6`, where there is no IPv6 address: IPv4 addresses in their IPv6 form.
  public static let mapped = ResolverOptions(rawValue: Int32(AI_V4MAPPED))
}

extension Operation where Element == [SocketAddress], Failure == UVError {
  /// The addresses of `host`, with `port`, in the order in which they should be tried: one element, with at least one
  /// address, then completed.
  ///
  /// ```swift
  /// let addresses = try await Operation.addresses(of: "localhost", port: 80).value
  /// ```
  ///
  /// Resolved when observed, by the system's resolver on libuv's thread pool. Fails with `ENOTFOUND` (`EAI_NONAME`) for a
  /// name that does not exist, `EAI_AGAIN` where nobody could be asked; the error's `path` is the host. Disposing cancels it
  /// where it still waits for a thread; otherwise it ends unheard.
  ///
  /// - Parameters:
  ///   - host: A name or a numeric address.
  ///   - port: The port of the addresses.
  ///   - family: Only addresses of this family; nil is both.
  ///   - kind: What they are for.
  ///   - options: How they are found.
  public static func addresses(
    of host: String, port: UInt16, family: SocketAddress.Family? = nil, kind: SocketKind = .stream,
    options: ResolverOptions = []
  ) -> Operation {
    resolving(host, service: nil, family, kind, options) { addresses in addresses.map { $0.withPort(port) } }
  }

  /// The same with the name of a service, such as `https`, or a port as text. Without a host: the addresses of this
  /// machine.
  public static func addresses(
    of host: String?, service: String, family: SocketAddress.Family? = nil, kind: SocketKind = .stream,
    options: ResolverOptions = []
  ) -> Operation {
    resolving(host, service: service, family, kind, options) { $0 }
  }

  private static func resolving(
    _ host: String?, service: String?, _ family: SocketAddress.Family?, _ kind: SocketKind,
    _ options: ResolverOptions, _ finish: @escaping ([SocketAddress]) -> [SocketAddress]
  ) -> Operation {
    request(
      Operation { observer in
        let request = AddressRequest(host, service, on: .current) { observer.finish($0.map(finish)) }
        var hints = addrinfo()
        hints.ai_flags = options.rawValue
        hints.ai_socktype = kind.native
        hints.ai_family =
          switch family {
          case nil: AF_UNSPEC
          case .ipv4: AF_INET
          case .ipv6: AF_INET6
          case .local: AF_UNIX
          }
        request.start(hints)
        return request
      })
  }
}

/// `uv_getaddrinfo`.
private final class AddressRequest: Request {
  private let host: String?
  private let service: String?
  private var done: ((Result<[SocketAddress], UVError>) -> Void)?
  private var result: Result<[SocketAddress], UVError>?

  init(
    _ host: String?, _ service: String?, on loop: Loop, _ done: @escaping (Result<[SocketAddress], UVError>) -> Void
  ) {
    self.host = host
    self.service = service
    self.done = done
    super.init(loop, uv_getaddrinfo_t.self)
  }

  func start(_ hints: addrinfo) {
    var hints = hints
    start {
      // C would take a zero byte for the end.
      if host?.utf8.contains(0) == true || service?.utf8.contains(0) == true { return UV_EINVAL.rawValue }
      return withOptionalCString(host) { host in
        withOptionalCString(service) { service in
          uv_getaddrinfo(
            loop.uv, pointer(uv_getaddrinfo_t.self),
            { request, status, _ in
              Request.didFinish(request!.pointee.data, status)
            }, host, service, &hints)
        }
      }
    }
  }

  override func take(_ status: Int32) {
    if status < 0 {
      result = .failure(UVError(code: status, call: "uv_getaddrinfo", path: host ?? service))
      return
    }
    var addresses: [SocketAddress] = []
    var next = pointer(uv_getaddrinfo_t.self).pointee.addrinfo
    while let entry = next {
      let address = SocketAddress(entry.pointee.ai_addr, length: entry.pointee.ai_addrlen)
      if let address, !addresses.contains(address) { addresses.append(address) }
      next = entry.pointee.ai_next
    }
    result =
      addresses.isEmpty
      ? .failure(UVError(code: UV_EAI_NODATA.rawValue, call: "uv_getaddrinfo", path: host)) : .success(addresses)
  }

  override func cleanUp() {
    let request = pointer(uv_getaddrinfo_t.self)
    if let list = request.pointee.addrinfo { uv_freeaddrinfo(list) }
    request.pointee.addrinfo = nil
  }

  override func deliver() { if let result = result.take() { done.take()?(result) } }
}

private func withOptionalCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
  if let text { return text.withCString { body($0) } }
  return body(nil)
}
