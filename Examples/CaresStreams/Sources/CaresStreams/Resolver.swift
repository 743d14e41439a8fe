import CCares
import Cares
public import EventLoops
public import Streams

/// Looks names up on the loop, without a thread.
///
/// ```swift
/// let resolver = try Resolver()
/// resolver.addresses(of: "swift.org").observe(next: { print($0) }, termination: { print($0) }).dispose(in: bag)
/// ```
///
/// Each observer of a stream asks once, and any number of questions are under way at a time.
/// An observer that is disposed gets nothing; when the last one is, the sockets are closed, and the loop may end.
/// Closing the resolver, or releasing it, fails what is under way.
///
/// Confined: it belongs to its loop's thread.
public final class Resolver {
  /// How names are looked up.
  public struct Options: Sendable, Hashable {
    /// Servers as `ADDRESS` or `ADDRESS:PORT`; those of the system if it is empty.
    public var servers: [String] = []
    /// How long the first attempt waits for an answer. Later ones wait longer.
    public var timeout: Duration = .seconds(2)
    /// How often each server is asked.
    public var attempts: Int = 3
    /// Whether /etc/hosts is read first.
    public var usesHostsFile = true

    /// Makes the defaults.
    public init() {}
  }

  private let core: ResolverCore
  // Closes at home if the last reference is released elsewhere.
  private let bag = DisposeBag()

  /// Makes a resolver on the current loop. Fails if a server of the options is no address.
  public init(_ options: Options = Options()) throws(ResolverError) {
    let core = try ResolverCore(options)
    self.core = core
    BlockDisposable { core.close() }.dispose(in: bag)
  }

  /// The addresses of a host, in the order in which they should be tried, and with the port zero. One element.
  public func addresses(of name: String, family: SocketAddress.Family? = nil) -> Operation<
    [SocketAddress], ResolverError
  > {
    core.question { channel, answer in
      var hints = ares_addrinfo_hints()
      hints.ai_family =
        switch family {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        default: AF_UNSPEC
        }
      // The callback owns itself until c-ares has called it; the answer is ours to free, even if nobody wants it.
      _ = channel.addressInfo(name, nil, &hints) { status, _, result in
        defer { ares_freeaddrinfo(result) }
        answer(status, { socketAddresses(result?.pointee.nodes) })
      }
    }
  }

  /// The name of a host with an address. One element.
  public func name(of address: SocketAddress) -> Operation<String, ResolverError> {
    core.question { channel, answer in
      var bytes = in6_addr()
      let family = address.family == .ipv6 ? AF_INET6 : AF_INET
      let size = family == AF_INET6 ? 16 : 4
      ares_inet_pton(family, address.host, &bytes)
      _ = channel.hostByAddress(&bytes, Int32(size), family) { status, _, host in
        answer(status, { host?.pointee.h_name.map { String(cString: $0) } ?? "" })
      }
    }
  }

  /// How many questions wait for an answer.
  public var questionCount: Int { core.questionCount }

  /// Closes the sockets. What is under way fails with `closed`, and so does what is asked later. A second call does nothing.
  public func close() { core.close() }
}

@available(*, unavailable)
extension Resolver: Sendable {}

/// The addresses of a list.
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
