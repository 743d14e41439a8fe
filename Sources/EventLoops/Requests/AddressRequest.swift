import CUV
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The kind of socket for which a name is resolved.
public enum SocketKind: Hashable, Sendable {
  /// A connection: TCP.
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

/// The options for resolving a name: the flags of `getaddrinfo`.
public struct ResolverOptions: OptionSet, Hashable, Sendable {
  /// The flags, as the system defines them.
  public let rawValue: Int32

  /// Makes options from the system's flags.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Returns only families of which this machine has an address other than the loopback address.
  public static let configuredFamilies = ResolverOptions(rawValue: Int32(AI_ADDRCONFIG))
  /// Accepts numeric addresses only. Sends no request, and names fail.
  public static let numericHost = ResolverOptions(rawValue: Int32(AI_NUMERICHOST))
  /// Without a host: returns the addresses for binding instead of those of the loopback interface.
  public static let passive = ResolverOptions(rawValue: Int32(AI_PASSIVE))
  /// With `family: .ipv6`: returns IPv4 addresses in their IPv6 form if there is no IPv6 address.
  public static let mapped = ResolverOptions(rawValue: Int32(AI_V4MAPPED))
}

extension Operation where Element == [SocketAddress], Failure == UVError {
  /// Resolves `host` when observed. Emits its addresses with `port`, in the order in which to try them, and completes.
  /// There is at least one address.
  ///
  /// ```swift
  /// let addresses = try await Operation.addresses(of: "localhost", port: 80).value
  /// ```
  ///
  /// Uses the system's resolver on libuv's thread pool. Fails with `ENOTFOUND` (`EAI_NONAME`) if the name does not
  /// exist, and with `EAI_AGAIN` if no name server has answered; the `path` of the error is the host. Disposing cancels
  /// a request that waits for a thread. One that runs already ends without a delivery.
  ///
  /// - Parameters:
  ///   - host: A name or a numeric address.
  ///   - port: The port of the addresses.
  ///   - family: The only address family to return. Nil returns both.
  ///   - kind: The kind of socket that the addresses are for.
  ///   - options: The options of the resolver.
  public static func addresses(
    of host: String, port: UInt16, family: SocketAddress.Family? = nil, kind: SocketKind = .stream,
    options: ResolverOptions = []
  ) -> Operation {
    resolving(host, service: nil, family, kind, options) { addresses in addresses.map { $0.withPort(port) } }
  }

  /// Resolves `host` and `service` when observed. Emits the addresses, in the order in which to try them, and
  /// completes.
  ///
  /// Fails with `ENOTFOUND` (`EAI_NONAME`) if the name does not exist, and with `EAI_AGAIN` if no name server has
  /// answered.
  ///
  /// - Parameters:
  ///   - host: A name or a numeric address. Nil resolves to the addresses of this machine.
  ///   - service: The name of a service, such as `https`, or a port as text.
  ///   - family: The only address family to return. Nil returns both.
  ///   - kind: The kind of socket that the addresses are for.
  ///   - options: The options of the resolver.
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

/// A call of `uv_getaddrinfo`.
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
      result = .failure(UVError(code: resolverStatus(status), call: "uv_getaddrinfo", path: host ?? service))
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

/// The system's resolver reports that a name is unknown if it has no descriptor for its files and sockets. Another name would
/// not help then.
func resolverStatus(_ status: Int32) -> Int32 {
  if status != UV_EAI_NONAME.rawValue { return status }
  let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
  if descriptor < 0 { return errno == EMFILE || errno == ENFILE ? UVError.Code(errno: errno).rawValue : status }
  closeDescriptor(descriptor)
  return status
}

private func withOptionalCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
  if let text { return text.withCString { body($0) } }
  return body(nil)
}
