import CUV
import Callbacks
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A local connection (a Unix domain socket), or one end of a pipe.
///
/// `Operation.connect(toPipe:)` makes a connection, `Operation.listen(onPipe:)` delivers accepted connections, and
/// `init(descriptor:)` takes over an open descriptor. A pipe with `passesHandles` can also send connections to another
/// process.
public final class PipeHandle: ByteStreamHandle {
  /// Whether the pipe can carry connections and pipes in addition to bytes.
  public let passesHandles: Bool
  private var place: String?

  init(_ loop: Loop, passesHandles: Bool = false, place: String? = nil) throws(UVError) {
    self.passesHandles = passesHandles
    self.place = place
    try super.init(loop, uv_pipe_t.self, "uv_pipe_init") { uv_pipe_init($0, $1, passesHandles ? 1 : 0) }
  }

  /// Takes over `descriptor`: an end of a pipe, a FIFO, or a connected local socket.
  ///
  /// The handle closes the descriptor from now on, and switches it to non-blocking mode. If this fails, you still own
  /// the descriptor. A regular file can be written through the handle, but not read (`EPERM`): use `Operation.reading`
  /// for it. Use `Operation.standardInput` to read standard input of any kind.
  public convenience init(
    descriptor: Int32, passesHandles: Bool = false, on loop: Loop = .current
  ) throws(UVError) {
    try self.init(loop, passesHandles: passesHandles)
    try open(descriptor)
    if headwater_is_watchable(loop.uv, descriptor) == 0 {
      cannotBeWatched = true
      place = "descriptor \(descriptor)"
    }
    disposeLaterIfUnused()
  }

  func open(_ descriptor: Int32) throws(UVError) {
    let status = uv_pipe_open(pointer(uv_pipe_t.self), descriptor)
    if status < 0 {
      dispose()
      throw UVError(code: status, call: "uv_pipe_open", path: "descriptor \(descriptor)")
    }
  }

  override var name: String? { place }

  /// Returns the name to which this side is bound. Nil if it has none.
  public func localAddress() throws(UVError) -> SocketAddress? {
    try address("uv_pipe_getsockname") { uv_pipe_getsockname(pointer(uv_pipe_t.self), $0, $1) }
  }

  /// Returns the name to which the peer is bound. Nil if it has none.
  public func remoteAddress() throws(UVError) -> SocketAddress? {
    try address("uv_pipe_getpeername") { uv_pipe_getpeername(pointer(uv_pipe_t.self), $0, $1) }
  }

  private func address(
    _ call: String, _ function: (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32
  ) throws(UVError) -> SocketAddress? {
    try check(call)
    // Longer than any name that the system allows.
    var (text, status): (String, Int32) = ("", 0)
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      var length = buffer.count
      status = function(buffer.baseAddress!, &length)
      if status >= 0 { text = String(Bytes(copying: UnsafeRawBufferPointer(start: buffer.baseAddress, count: length))) }
    }
    try succeed(status, call)
    if text.isEmpty { return nil }
    return text.utf8.first == 0 ? try SocketAddress(abstract: String(text.dropFirst())) : try SocketAddress(path: text)
  }

  // MARK: Connecting

  /// Connects, and calls `done` with libuv's status. For `Operation.connect`.
  func connect(to address: SocketAddress, _ done: @escaping (Int32) -> Void) throws(UVError) {
    if let path = address.path {
      _ = startConnecting(
        {
          uv_pipe_connect($0, pointer(uv_pipe_t.self), path, $1)
          return 0
        }, done)
      return
    }
    // libuv 1.44 does not support abstract names.
    let descriptor = headwater_socket(AF_UNIX)
    if descriptor < 0 { throw UVError(errno: errno, call: "socket", path: place) }
    do throws(UVError) {
      if connectSocket(descriptor, to: address) != 0 {
        throw UVError(errno: errno, call: "connect", path: place)
      }
      try open(descriptor)
    } catch {
      headwater_close(descriptor)
      throw error
    }
    done(0)
  }
}

extension Operation where Element == PipeHandle, Failure == UVError {
  /// Connects to the local socket at `address` when observed. Emits the connection and completes.
  ///
  /// The observer owns the connection. Disposing first abandons the attempt. Fails with the error of connecting, such
  /// as `ENOENT` or `ECONNREFUSED`, whose `path` is the name, and with `EINVAL` if the address is not local.
  public static func connect(toPipe address: SocketAddress, passesHandles: Bool = false) -> Operation {
    connecting(to: address, "uv_pipe_connect") { () throws(UVError) in
      if address.family != .local {
        throw UVError(code: UV_EINVAL.rawValue, call: "uv_pipe_connect", path: address.description)
      }
      return try PipeHandle(Loop.current, passesHandles: passesHandles, place: address.description)
    } start: { (handle, done) throws(UVError) in
      try handle.connect(to: address, done)
    }
  }
}

/// The system's `connect`, which a method of the same name hides inside the class.
private func connectSocket(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
  address.withSockAddr { connect(descriptor, $0, $1) }
}
