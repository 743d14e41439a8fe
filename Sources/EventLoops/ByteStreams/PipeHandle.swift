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
/// `Operation.connect(toPipe:)` makes one, `Operation.listen(onPipe:)` delivers those that others make, `init(descriptor:)` takes
/// over what is open already. A pipe for messages between processes (`passesHandles`) carries connections, too.
public final class PipeHandle: ByteStreamHandle {
  /// Whether it can carry connections and pipes besides bytes.
  public let passesHandles: Bool
  private var place: String?

  init(_ loop: Loop, passesHandles: Bool = false, place: String? = nil) throws(UVError) {
    self.passesHandles = passesHandles
    self.place = place
    try super.init(loop, uv_pipe_t.self, "uv_pipe_init") { uv_pipe_init($0, $1, passesHandles ? 1 : 0) }
  }

  /// Takes over `descriptor`, an end of a pipe, a FIFO or a connected local socket, which the handle closes from now on and
  /// which is switched to non-blocking mode. Where it fails the descriptor stays the caller's.
  ///
  /// A regular file can be written through it, but not read (`EPERM`): that is for `Operation.reading`. For standard input,
  /// whatever that is, there is `Operation.standardInput`.
  public convenience init(
    descriptor: Int32, passesHandles: Bool = false, on loop: Loop = .current
  ) throws(UVError) {
    try self.init(loop, passesHandles: passesHandles)
    try open(descriptor)
    if headwater_is_watchable(loop.uv, descriptor) == 0 {
      state.insert(.cannotBeWatched)
      place = "descriptor \(descriptor)"
    }
  }

  func open(_ descriptor: Int32) throws(UVError) {
    let status = uv_pipe_open(pointer(uv_pipe_t.self), descriptor)
    if status < 0 {
      dispose()
      throw UVError(code: status, call: "uv_pipe_open", path: "descriptor \(descriptor)")
    }
  }

  override var name: String? { place }

  /// The name this side is bound to; nil where it has none.
  public func localAddress() throws(UVError) -> SocketAddress? {
    try address("uv_pipe_getsockname") { uv_pipe_getsockname(pointer(uv_pipe_t.self), $0, $1) }
  }

  /// The name the other side is bound to; nil where it has none.
  public func remoteAddress() throws(UVError) -> SocketAddress? {
    try address("uv_pipe_getpeername") { uv_pipe_getpeername(pointer(uv_pipe_t.self), $0, $1) }
  }

  private func address(
    _ call: String, _ function: (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32
  ) throws(UVError) -> SocketAddress? {
    try check(call)
    // Longer than any name that the system has.
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
    // libuv 1.44 does not know abstract names.
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
  /// Connects to the local socket at `address` when observed: one element, the connection, then completed. Fails with what
  /// connecting fails with, such as `ENOENT` and `ECONNREFUSED`, and the name.
  ///
  /// The connection is whoever's observes. Disposing before it is there gives up.
  public static func connect(toPipe address: SocketAddress, passesHandles: Bool = false) -> Operation {
    Operation { observer in
      do throws(UVError) {
        if address.family != .local {
          throw UVError(code: UV_EINVAL.rawValue, call: "uv_pipe_connect", path: address.description)
        }
        let handle = try PipeHandle(Loop.current, passesHandles: passesHandles, place: address.description)
        let attempt = ConnectAttempt(handle)
        do throws(UVError) {
          try handle.connect(to: address) { status in
            var handle = attempt.take(as: PipeHandle.self)
            if handle == nil { return }
            if status < 0 {
              handle?.dispose()
              return observer.failed(UVError(code: status, call: "uv_pipe_connect", path: address.description))
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

/// The system's `connect`, which a method of the same name hides inside of the class.
private func connectSocket(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
  address.withSockAddr { connect(descriptor, $0, $1) }
}
