import CUV
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP socket that accepts connections.
///
/// ```swift
/// let listener = try TCPListener(on: .loopback(port: 0))
/// print("listening on \(listener.address)")
/// listener.connections.observeNext { connection in
///   connection.bytes.pipe(to: connection).observe { _ in }.dispose(in: bag)
/// }.dispose(in: bag)
/// ```
///
/// The system establishes connections, up to the backlog, as soon as the listener is made. They are delivered while
/// `connections` is observed.
public final class TCPListener: ListenerHandle {
  /// The address on which it listens, with the port that the system has chosen for port 0.
  public let address: SocketAddress

  /// Listens on `address`. Throws `EADDRINUSE` if another socket listens there, and `EACCES` for a port below 1024 that
  /// the process may not use.
  ///
  /// - Parameters:
  ///   - address: The address to listen on. Port 0 lets the system choose a port.
  ///   - backlog: The most connections that may wait to be accepted. The system has its own limit too.
  ///   - reusePort: Whether other listeners with this option may use the same address (`SO_REUSEPORT`). The system
  ///     spreads connections over all of them. For several loops on several threads, or several processes.
  ///   - ipv6Only: Whether an IPv6 address refuses IPv4 connections.
  ///   - loop: The loop that accepts connections.
  public init(
    on address: SocketAddress, backlog: Int = 511, reusePort: Bool = false, ipv6Only: Bool = false,
    loop: Loop = .current
  ) throws(UVError) {
    loop.check()
    // Counted here, because a socket that cannot listen fails before there is a handle.
    loop.handlesWanted += 1
    let descriptor = headwater_socket(address.family == .ipv6 ? AF_INET6 : AF_INET)
    let place = address.description
    if descriptor < 0 { throw UVError(errno: errno, call: "socket", path: place) }
    do throws(UVError) {
      try TCPListener.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, true, place)
      if reusePort { try TCPListener.setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, true, place) }
      if address.family == .ipv6 {
        try TCPListener.setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, ipv6Only, place)
      }
      // On Linux, the connections inherit it.
      try TCPListener.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, true, place)
      if address.withSockAddr({ bind(descriptor, $0, $1) }) != 0 {
        throw UVError(errno: errno, call: "bind", path: place)
      }
      if listen(descriptor, Int32(clamping: backlog)) != 0 {
        throw UVError(errno: errno, call: "listen", path: place)
      }
      self.address = try SocketAddress.from("getsockname") { pointer, length in
        var size = socklen_t(length.pointee)
        let status = getsockname(descriptor, pointer, &size)
        length.pointee = Int32(size)
        return status == 0 ? 0 : uv_translate_sys_error(errno)
      }
    } catch {
      headwater_close(descriptor)
      throw error
    }
    try super.init(loop, descriptor: descriptor)
  }

  private static func setOption(
    _ descriptor: Int32, _ level: Int32, _ option: Int32, _ flag: Bool, _ place: String
  ) throws(UVError) {
    var value: Int32 = flag ? 1 : 0
    if setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) != 0 {
      throw UVError(errno: errno, call: "setsockopt", path: place)
    }
  }

  override var name: String { address.description }

  /// Emits the accepted connections as they are made. Cold.
  ///
  /// Pausing stops accepting: connections wait in the system's backlog. If the system has no descriptor left
  /// (`EMFILE`), accepting stops too, which is reported through `Diagnostics`, and continues when there is room. Never
  /// completes. Fails with `ECANCELED` if the listener is closed. One observer at a time: a second one fails with
  /// `EBUSY`.
  ///
  /// The observer owns a connection: put it in a bag, or `close()` it. An accepted connection that you neither retain
  /// nor use is closed when your observer returns.
  public var connections: Operation<TCPHandle, UVError> { .unguarded { TCPListener.feed(self, owned: false, $0) } }

  fileprivate static func feed(
    _ listener: TCPListener, owned: Bool, _ observer: Observer<TCPHandle, UVError>
  ) -> any Disposable {
    ConnectionFeed(listener, owned: owned, observer, open).start(isPaused: observer.isPaused)
  }

  /// Makes the connection of an accepted socket.
  static func open(_ loop: Loop, _ descriptor: Int32, _ peer: SocketAddress?) throws(UVError) -> TCPHandle {
    let handle = try TCPHandle(loop)
    try handle.open(descriptor, peer)
    return handle
  }
}

extension Operation where Element == TCPHandle, Failure == UVError {
  /// Listens on `address` when observed, and emits the accepted connections. Stops when disposed.
  ///
  /// Fails with `EADDRINUSE` if another socket listens there, and with `EACCES` for a port below 1024 that the process
  /// may not use. Pausing stops accepting. An accepted connection that you neither retain nor use is closed when your
  /// observer returns.
  ///
  /// - Parameters:
  ///   - address: The address to listen on. Port 0 lets the system choose a port.
  ///   - backlog: The most connections that may wait to be accepted. The system has its own limit too.
  ///   - reusePort: Whether other listeners with this option may use the same address (`SO_REUSEPORT`). The system
  ///     spreads connections over all of them. For several loops on several threads, or several processes.
  ///   - ipv6Only: Whether an IPv6 address refuses IPv4 connections.
  ///   - keepsLoopAlive: Whether the observed operation keeps `Loop.run()` from returning.
  ///   - bound: Called once with the address, before the first connection. Use it with port 0.
  public static func listen(
    on address: SocketAddress, backlog: Int = 511, reusePort: Bool = false, ipv6Only: Bool = false,
    keepsLoopAlive: Bool = true, bound: ((SocketAddress) -> Void)? = nil
  ) -> Operation {
    .unguarded { observer in
      do throws(UVError) {
        let listener = try TCPListener(on: address, backlog: backlog, reusePort: reusePort, ipv6Only: ipv6Only)
        listener.keepsLoopAlive = keepsLoopAlive
        bound?(listener.address)
        return TCPListener.feed(listener, owned: true, observer)
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}
