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
/// `Operation.connect(to:)` makes one, `Operation.listen(on:)` delivers those that others make.
///
/// ```swift
/// Operation.connect(to: .loopback(port: 7)).observeNext { connection in
///   connection.bytes.observe { event in print(event) }.dispose(in: bag)
///   connection.write("hello\n")
///   connection.finish()
/// }.dispose(in: bag)
/// ```
public final class TCPHandle: ByteStreamHandle {
  // The other side: an IPv4 address in place, others in a box. Connections are many, and this is a third of the size.
  private var peerPort: UInt16 = 0
  private var peerAddress: UInt32 = 0
  private var peerBox: PeerBox?

  /// The other side, as it was when the connection was made; an error can name it when the system has forgotten it.
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

  /// Takes over `descriptor`, a connected TCP socket, which the handle closes from now on. Where it fails the descriptor
  /// stays the caller's.
  public convenience init(descriptor: Int32, on loop: Loop = .current) throws(UVError) {
    try self.init(loop)
    try open(descriptor, nil)
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

  /// The address of this side.
  public func localAddress() throws(UVError) -> SocketAddress {
    try check("uv_tcp_getsockname")
    return try SocketAddress.from("uv_tcp_getsockname") { uv_tcp_getsockname(pointer(uv_tcp_t.self), $0, $1) }
  }

  /// The address of the other side. Known also after the connection has been reset.
  public func remoteAddress() throws(UVError) -> SocketAddress {
    if let peer { return peer }
    try check("uv_tcp_getpeername")
    let address = try SocketAddress.from("uv_tcp_getpeername") { uv_tcp_getpeername(pointer(uv_tcp_t.self), $0, $1) }
    peer = address
    return address
  }

  // MARK: Options

  /// Whether small writes go out at once, instead of waiting for the answer to the one before (Nagle's algorithm). True for
  /// connections that this library makes or accepts.
  public func setNoDelay(_ flag: Bool) throws(UVError) {
    try check("uv_tcp_nodelay")
    try succeed(uv_tcp_nodelay(pointer(uv_tcp_t.self), flag ? 1 : 0), "uv_tcp_nodelay")
  }

  /// Has the system probe a silent connection after `delay`, in whole seconds and at least one; nil turns it off. A dead one
  /// fails with `ETIMEDOUT`.
  public func setKeepAlive(_ delay: Duration?) throws(UVError) {
    try check("uv_tcp_keepalive")
    let seconds = delay.map { UInt32(clamping: max(1, $0.clampedComponents.seconds)) }
    try succeed(uv_tcp_keepalive(pointer(uv_tcp_t.self), seconds == nil ? 0 : 1, seconds ?? 0), "uv_tcp_keepalive")
  }

  // MARK: Ending

  /// Closes it at once and has the other side told so (RST): what is queued, here and in the system, is lost. For peers that
  /// have earned it, and to leave no connection in TIME_WAIT.
  public func reset() {
    state.insert(.resets)
    dispose()
  }

  override func close(_ callback: uv_close_cb) {
    if state.contains(.resets), uv_tcp_close_reset(pointer(uv_tcp_t.self), callback) == 0 { return }
    super.close(callback)
  }

  // MARK: Connecting

  /// Connects, and calls `done` with libuv's status on a later turn. For `Operation.connect`.
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
  /// For calls that make no sense on a handle that is closing.
  final func check(_ call: String) throws(UVError) {
    if isDisposed { throw error(UV_EBADF.rawValue, call) }
    loop.check()
  }

  final func succeed(_ status: Int32, _ call: String) throws(UVError) {
    if status < 0 { throw error(status, call) }
  }

  /// The descriptor, which stays the handle's: for options that this library does not have.
  public final func descriptor() throws(UVError) -> Int32 {
    try check("uv_fileno")
    var descriptor: Int32 = -1
    try succeed(uv_fileno(raw, &descriptor), "uv_fileno")
    return descriptor
  }

  /// The system's buffer for what is sent: its size in bytes, which Linux gives as twice what was asked for.
  public final func sendBufferSize() throws(UVError) -> Int {
    try bufferSize(0, "uv_send_buffer_size", uv_send_buffer_size)
  }

  /// Asks for another size of the system's buffer for what is sent.
  public final func setSendBufferSize(_ size: Int) throws(UVError) {
    _ = try bufferSize(size, "uv_send_buffer_size", uv_send_buffer_size)
  }

  /// The system's buffer for what has been received: its size in bytes, which Linux gives as twice what was asked for.
  public final func receiveBufferSize() throws(UVError) -> Int {
    try bufferSize(0, "uv_recv_buffer_size", uv_recv_buffer_size)
  }

  /// Asks for another size of the system's buffer for what has been received.
  public final func setReceiveBufferSize(_ size: Int) throws(UVError) {
    _ = try bufferSize(size, "uv_recv_buffer_size", uv_recv_buffer_size)
  }

  private func bufferSize(
    _ size: Int, _ call: String,
    _ function: (UnsafeMutablePointer<uv_handle_t>?, UnsafeMutablePointer<Int32>?) -> Int32
  ) throws(UVError) -> Int {
    try check(call)
    // 0 asks.
    var value = Int32(clamping: size)
    try succeed(function(raw, &value), call)
    return Int(value)
  }
}

extension Operation where Element == TCPHandle, Failure == UVError {
  /// Connects to `address` when observed: one element, the connection, then completed. Fails with what connecting fails
  /// with, such as `ECONNREFUSED`, and the address.
  ///
  /// The connection is whoever's observes: dispose of it, put it in a bag, or `close()` it. Disposing before it is there
  /// gives up. Small writes go out at once (`setNoDelay`).
  ///
  /// - Parameters:
  ///   - address: The address of the peer.
  ///   - local: The local address. By default the system chooses it.
  public static func connect(to address: SocketAddress, from local: SocketAddress? = nil) -> Operation {
    Operation { observer in
      do throws(UVError) {
        let handle = try TCPHandle(Loop.current)
        let attempt = ConnectAttempt(handle)
        do throws(UVError) {
          try handle.connect(to: address, from: local) { status in
            var handle = attempt.take(as: TCPHandle.self)
            if handle == nil { return }
            if status < 0 {
              handle?.dispose()
              return observer.failed(UVError(code: status, call: "uv_tcp_connect", path: address.description))
            }
            if let handle { observer.next(handle) }
            observer.completed()
            Untaken.dispose(&handle, looksAgain: false)
          }
        } catch {
          attempt.dispose()
          throw error
        }
        return attempt
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}

/// A handle that is disposed of with the attempt to connect it, until it has been delivered.
final class ConnectAttempt: Disposable {
  private var handle: ByteStreamHandle?

  init(_ handle: ByteStreamHandle) { self.handle = handle }

  func take<Connection: ByteStreamHandle>(as type: Connection.Type) -> Connection? { handle.take() as? Connection }

  var isDisposed: Bool { handle == nil }

  func dispose() { handle.take()?.dispose() }
}
