import CCares
import Cares
public import EventLoops
public import Streams

/// A resolver that looks up names on the loop, without a thread.
///
/// ```swift
/// let resolver = try Resolver()
/// resolver.addresses(of: "swift.org").observe(next: { print($0) }, termination: { print($0) }).dispose(in: bag)
/// ```
///
/// Each observer of a stream starts one query, and any number of queries can be in progress. When the last observer is
/// disposed, c-ares cancels its queries and closes its sockets, so nothing keeps the loop running. Closing or releasing the
/// resolver fails the queries in progress.
///
/// Confined to the loop on which it is created.
public final class Resolver {
  /// The options of a resolver.
  public struct Options: Sendable, Hashable {
    /// The name servers, as `ADDRESS` or `ADDRESS:PORT`, without scopes. If it is empty, those of the system.
    public var servers: [String] = []
    /// The time limit of the first attempt, rounded down to milliseconds. Later attempts wait longer.
    public var timeout: Duration = .seconds(2)
    /// The number of times that each server is queried.
    public var attempts: Int = 3
    /// Whether to look in /etc/hosts before querying a server.
    public var usesHostsFile = true

    /// Creates the default options.
    public init() {}
  }

  private let core: ResolverCore
  // Closes at home if the last reference is released in another domain.
  private let bag = DisposeBag()

  /// Creates a resolver on the current loop. Throws if a server in the options is not an address.
  public init(_ options: Options = Options()) throws(ResolverError) {
    let core = try ResolverCore(options)
    self.core = core
    BlockDisposable { core.close() }.dispose(in: bag)
  }

  /// Returns a cold stream that emits the addresses of a host as one element and completes.
  ///
  /// The addresses are in the order in which to try them, and have the port 0. Fails with `notFound` or `noData` if there are
  /// none.
  ///
  /// - Parameter family: The family of the addresses; nil for IPv4 and IPv6.
  public func addresses(of name: String, family: SocketAddress.Family? = nil) -> Operation<
    [SocketAddress], ResolverError
  > {
    // c-ares would use only what is before the zero byte.
    if name.utf8.contains(0) { return .failed(.invalidName) }
    // c-ares 1.18 asks the servers for an IPv4 address, too, and no version reads a scope.
    if let address = try? SocketAddress(name, port: 0) {
      return core.question { _, answer in
        answer(family == nil || family == address.family ? ARES_SUCCESS : ARES_ENODATA) { [address] }
      }
    }
    return core.question { channel, answer in
      var hints = ares_addrinfo_hints()
      hints.ai_family =
        switch family {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        default: AF_UNSPEC
        }
      // The callback ends when c-ares has called it, so the disposable isn't needed. The result must be freed even if the
      // observer has been disposed.
      _ = channel.addressInfo(name, nil, &hints) { status, _, result in
        defer { ares_freeaddrinfo(result) }
        answer(status, { socketAddresses(result?.pointee.nodes) })
      }
    }
  }

  /// Returns a cold stream that emits the name of the host with `address` and completes. Fails with `invalidName` for the
  /// address of a local socket. c-ares 1.18 also says `notFound` if no server answers.
  public func name(of address: SocketAddress) -> Operation<String, ResolverError> {
    var bytes = in6_addr()
    let family = address.family == .ipv6 ? AF_INET6 : AF_INET
    let size = family == AF_INET6 ? 16 : 4
    // c-ares reads no scope, and a local socket has no address.
    let host = String(address.host.prefix { $0 != "%" })
    if ares_inet_pton(family, host, &bytes) <= 0 { return .failed(.invalidName) }
    return core.question { [bytes] channel, answer in
      var bytes = bytes
      _ = channel.hostByAddress(&bytes, Int32(size), family) { status, _, host in
        answer(status, { host?.pointee.h_name.map { String(cString: $0) } ?? "" })
      }
    }
  }

  /// The number of queries in progress.
  public var questionCount: Int { core.questionCount }

  /// Closes the sockets. Queries in progress and later queries fail with `closed`. A second call does nothing.
  public func close() { core.close() }
}

@available(*, unavailable)
extension Resolver: Sendable {}

/// Returns the addresses of a list, without duplicates.
private func socketAddresses(_ first: UnsafeMutablePointer<ares_addrinfo_node>?) -> [SocketAddress] {
  var addresses: [SocketAddress] = []
  var next = first
  while let node = next?.pointee {
    let bytes = UnsafeRawBufferPointer(start: node.ai_addr, count: Int(node.ai_addrlen))
    if let address = SocketAddress(bytes: bytes), !addresses.contains(address) { addresses.append(address) }
    next = node.ai_next
  }
  return addresses
}
