import CUV
import Callbacks
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP connection.
///
/// `Operation.connect(to:)` makes a connection, and `Operation.listen(on:)` delivers accepted connections.
///
/// ```swift
/// Operation.connect(to: .loopback(port: 7)).observeNext { connection in
///   connection.bytes.observe { event in print(event) }.dispose(in: bag)
///   connection.write("hello\n")
///   connection.finish()
/// }.dispose(in: bag)
/// ```
public final class TCPHandle: ByteStreamHandle {
  // The peer: an IPv4 address inline, others in a box. Programs have many connections, and this takes a third of the
  // size.
  private var peerPort: UInt16 = 0
  private var peerAddress: UInt32 = 0
  private var peerBox: PeerBox?

  /// The peer's address when the connection was made. An error can name it even if the system no longer knows it.
  private var peer: SocketAddress? {
    get { peerPort == 0 ? peerBox?.address : SocketAddress(.ipv4(peerAddress, port: peerPort)) }
    set {
      if case .ipv4(let address, let port) = newValue?.content, port != 0 {
        (peerAddress, peerPort, peerBox) = (address, port, nil)
      } else {
        (peerPort, peerBox) = (0, newValue.map { PeerBox($0) })
      }
    }
  }

  private final class PeerBox {
    let address: SocketAddress
    init(_ address: SocketAddress) { self.address = address }
  }

  init(_ loop: Loop) throws(UVError) {
    try super.init(loop, uv_tcp_t.self, "uv_tcp_init") { uv_tcp_init($0, $1) }
  }

  /// Takes over `descriptor`, a connected TCP socket. The handle closes it from now on. If this fails, you still own
  /// the descriptor. Throws `ENOTSOCK` if it is not a socket, and `EINVAL` if it is a socket of another kind.
  public convenience init(descriptor: Int32, on loop: Loop = .current) throws(UVError) {
    // libuv would abort the program when it reads from a file.
    var (kind, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    if getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) != 0 {
      throw UVError(errno: errno, call: "uv_tcp_open", path: "descriptor \(descriptor)")
    }
    let address = try? SocketAddress.from("getsockname") { address, length in
      length.withMemoryRebound(to: socklen_t.self, capacity: 1) { getsockname(descriptor, address, $0) }
    }
    switch (kind == SocketKind.stream.native, address?.content) {
    case (true, .ipv4), (true, .ipv6): break
    default: throw UVError(code: UV_EINVAL.rawValue, call: "uv_tcp_open", path: "descriptor \(descriptor)")
    }
    try self.init(loop)
    try open(descriptor, nil)
    disposeLaterIfUnused()
  }

  func open(_ descriptor: Int32, _ peer: SocketAddress?) throws(UVError) {
    self.peer = peer
    let status = uv_tcp_open(pointer(uv_tcp_t.self), descriptor)
    if status < 0 {
      dispose()
      throw UVError(code: status, call: "uv_tcp_open", path: "descriptor \(descriptor)")
    }
  }

  override var name: String? { peer?.description }

  // MARK: Addresses

  /// Returns the local address of the connection.
  public func localAddress() throws(UVError) -> SocketAddress {
    try check("uv_tcp_getsockname")
    return try SocketAddress.from("uv_tcp_getsockname") { uv_tcp_getsockname(pointer(uv_tcp_t.self), $0, $1) }
  }

  /// Returns the address of the peer. Still known after the connection has been reset.
  public func remoteAddress() throws(UVError) -> SocketAddress {
    if let peer { return peer }
    try check("uv_tcp_getpeername")
    let address = try SocketAddress.from("uv_tcp_getpeername") { uv_tcp_getpeername(pointer(uv_tcp_t.self), $0, $1) }
    peer = address
    return address
  }

  // MARK: Options

  /// Sets whether small writes are sent at once, instead of waiting for the peer to acknowledge the previous one
  /// (Nagle's algorithm). True for connections that Headwater makes or accepts.
  public func setNoDelay(_ flag: Bool) throws(UVError) {
    try check("uv_tcp_nodelay")
    try succeed(uv_tcp_nodelay(pointer(uv_tcp_t.self), flag ? 1 : 0), "uv_tcp_nodelay")
  }

  /// Makes the system probe a silent connection after `delay`, in whole seconds and at least one. Nil turns it off. A
  /// dead connection fails with `ETIMEDOUT`.
  public func setKeepAlive(_ delay: Duration?) throws(UVError) {
    try check("uv_tcp_keepalive")
    let seconds = delay.map { UInt32(clamping: max(1, $0.clampedComponents.seconds)) }
    try succeed(uv_tcp_keepalive(pointer(uv_tcp_t.self), seconds == nil ? 0 : 1, seconds ?? 0), "uv_tcp_keepalive")
  }

  // MARK: Ending

  /// Closes the connection at once and notifies the peer (RST). Bytes that are queued here or in the system are lost.
  ///
  /// Use it for misbehaving peers, and to leave no connection in TIME_WAIT.
  public func reset() {
    ending = .resetting
    dispose()
  }

  override func close(_ callback: uv_close_cb) {
    if ending == .resetting, uv_tcp_close_reset(pointer(uv_tcp_t.self), callback) == 0 { return }
    super.close(callback)
  }

  // MARK: Connecting

  /// Connects, and calls `done` with libuv's status in a later loop iteration. For `Operation.connect`.
  func connect(
    to address: SocketAddress, from local: SocketAddress?, _ done: @escaping (Int32) -> Void
  ) throws(UVError) {
    peer = address
    if let local {
      let status = local.withSockAddr { pointer, _ in uv_tcp_bind(self.pointer(uv_tcp_t.self), pointer, 0) }
      if status < 0 { throw UVError(code: status, call: "uv_tcp_bind", path: local.description) }
    }
    let status = address.withSockAddr { pointer, _ in
      startConnecting({ uv_tcp_connect($0, self.pointer(uv_tcp_t.self), pointer, $1) }, done)
    }
    if status < 0 { throw error(status, "uv_tcp_connect") }
    uv_tcp_nodelay(pointer(uv_tcp_t.self), 1)
  }
}

extension ByteStreamHandle {
  /// Throws `EBADF` if the handle is closing. For calls that make no sense then.
  final func check(_ call: String) throws(UVError) {
    if isDisposed { throw error(UV_EBADF.rawValue, call) }
    loop.check()
  }

  final func succeed(_ status: Int32, _ call: String) throws(UVError) {
    if status < 0 { throw error(status, call) }
  }

  /// Returns the descriptor, which the handle still owns. Use it to set options that Headwater does not offer.
  public final func descriptor() throws(UVError) -> Int32 {
    try check("uv_fileno")
    var descriptor: Int32 = -1
    try succeed(uv_fileno(raw, &descriptor), "uv_fileno")
    return descriptor
  }

  /// Returns the size of the system's send buffer in bytes. On Linux it is twice the size that was set.
  public final func sendBufferSize() throws(UVError) -> Int {
    try bufferSize(0, "uv_send_buffer_size", uv_send_buffer_size)
  }

  /// Sets the size of the system's send buffer in bytes.
  public final func setSendBufferSize(_ size: Int) throws(UVError) {
    _ = try bufferSize(size, "uv_send_buffer_size", uv_send_buffer_size)
  }

  /// Returns the size of the system's receive buffer in bytes. On Linux it is twice the size that was set.
  public final func receiveBufferSize() throws(UVError) -> Int {
    try bufferSize(0, "uv_recv_buffer_size", uv_recv_buffer_size)
  }

  /// Sets the size of the system's receive buffer in bytes.
  public final func setReceiveBufferSize(_ size: Int) throws(UVError) {
    _ = try bufferSize(size, "uv_recv_buffer_size", uv_recv_buffer_size)
  }

  private func bufferSize(
    _ size: Int, _ call: String,
    _ function: (UnsafeMutablePointer<uv_handle_t>?, UnsafeMutablePointer<Int32>?) -> Int32
  ) throws(UVError) -> Int {
    try check(call)
    // 0 reads the size.
    var value = Int32(clamping: size)
    try succeed(function(raw, &value), call)
    return Int(value)
  }
}

extension Operation where Element == TCPHandle, Failure == UVError {
  /// Connects to `address` when observed. Emits the connection and completes.
  ///
  /// The observer owns the connection: dispose it, put it in a bag, or `close()` it. Disposing the operation first
  /// abandons the attempt. Fails with the error of connecting, such as `ECONNREFUSED`, whose `path` is the address.
  /// Small writes are sent at once (`setNoDelay`).
  ///
  /// - Parameters:
  ///   - address: The address of the peer.
  ///   - local: The local address. By default, the system chooses it.
  public static func connect(to address: SocketAddress, from local: SocketAddress? = nil) -> Operation {
    connecting(to: address, "uv_tcp_connect") { () throws(UVError) in
      try TCPHandle(Loop.current)
    } start: { (handle, done) throws(UVError) in
      try handle.connect(to: address, from: local, done)
    }
  }
}
