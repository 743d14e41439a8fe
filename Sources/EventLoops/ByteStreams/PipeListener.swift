import CUV
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A local socket on which others connect.
///
/// ```swift
/// let listener = try PipeListener(on: SocketAddress(path: "/tmp/service.sock"), permissions: 0o600)
/// listener.connections.observeNext { connection in
///   connection.write("welcome\n")
///   connection.close()
/// }.dispose(in: bag)
/// ```
///
/// The name of a path goes with the listener. One that a dead process has left behind is taken over, one on which somebody
/// listens is not (`EADDRINUSE`). An abstract name (Linux) leaves no file.
public final class PipeListener: ListenerHandle {
  /// Where it listens.
  public let address: SocketAddress
  private let passesHandles: Bool
  /// Which file the name is: another listener may have taken the name over since.
  private let file: ino_t

  /// Listens on `address`, a local one. Fails with `EADDRINUSE` where somebody else does.
  ///
  /// - Parameters:
  ///   - address: The address, a local one.
  ///   - backlog: The number of connections that may wait.
  ///   - permissions: The processes that may connect, as the mode of a file: Linux checks the permission to write. By default
  ///     the umask of the process decides.
  ///   - passesHandles: Whether the connections can carry handles.
  ///   - loop: The loop that accepts.
  public init(
    on address: SocketAddress, backlog: Int = 511, permissions: UInt32? = nil, passesHandles: Bool = false,
    loop: Loop = .current
  ) throws(UVError) {
    loop.check()
    // A socket that cannot listen ends before there is a handle.
    loop.handlesWanted += 1
    let place = address.description
    if address.family != .local { throw UVError(code: UV_EINVAL.rawValue, call: "bind", path: place) }
    let descriptor = headwater_socket(AF_UNIX)
    if descriptor < 0 { throw UVError(errno: errno, call: "socket", path: place) }
    do throws(UVError) {
      if address.withSockAddr({ bind(descriptor, $0, $1) }) != 0 {
        let code = errno
        guard code == EADDRINUSE, PipeListener.removeAbandoned(address),
          address.withSockAddr({ bind(descriptor, $0, $1) }) == 0
        else { throw UVError(errno: code, call: "bind", path: place) }
      }
      if let permissions, let path = address.path, chmod(path, permissions) != 0 {
        throw UVError(errno: errno, call: "chmod", path: place)
      }
      if listen(descriptor, Int32(clamping: backlog)) != 0 {
        throw UVError(errno: errno, call: "listen", path: place)
      }
    } catch {
      headwater_close(descriptor)
      throw error
    }
    self.address = address
    self.passesHandles = passesHandles
    file = PipeListener.file(address)
    try super.init(loop, descriptor: descriptor)
  }

  /// Removes the name of a socket on which nobody listens any more. False where somebody does, or where it is something else.
  private static func removeAbandoned(_ address: SocketAddress) -> Bool {
    var info = stat()
    guard let path = address.path, lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK else { return false }
    let descriptor = headwater_socket(AF_UNIX)
    if descriptor < 0 { return false }
    defer { headwater_close(descriptor) }
    let isRefused = address.withSockAddr { connect(descriptor, $0, $1) } != 0 && errno == ECONNREFUSED
    return isRefused && unlink(path) == 0
  }

  override var name: String { address.description }

  override func close(_ callback: uv_close_cb) {
    super.close(callback)
    if let path = address.path, file == PipeListener.file(address) { unlink(path) }
  }

  /// The number of the file that has the name; 0 where there is none.
  private static func file(_ address: SocketAddress) -> ino_t {
    var info = stat()
    guard let path = address.path, lstat(path, &info) == 0 else { return 0 }
    return info.st_ino
  }

  /// The connections that others make, as they come. Cold. The same rules as those of `TCPListener.connections`.
  public var connections: Operation<PipeHandle, UVError> { .unguarded { PipeListener.feed(self, owned: false, $0) } }

  fileprivate static func feed(
    _ listener: PipeListener, owned: Bool, _ observer: Observer<PipeHandle, UVError>
  ) -> any Disposable {
    let passesHandles = listener.passesHandles
    let place = listener.name
    let feed = ConnectionFeed<PipeHandle>(listener, owned: owned, observer) { loop, descriptor, _ throws(UVError) in
      let handle = try PipeHandle(loop, passesHandles: passesHandles, place: place)
      try handle.open(descriptor)
      return handle
    }
    return feed.start(isPaused: observer.isPaused)
  }
}

extension Operation where Element == PipeHandle, Failure == UVError {
  /// Listens on the local socket `address` when observed, and delivers the connections that others make; stops when disposed
  /// of. See `PipeListener`, whose parameters it has.
  ///
  /// - Parameters:
  ///   - address: The address, a local one.
  ///   - backlog: The number of connections that may wait.
  ///   - permissions: The processes that may connect, as the mode of a file: Linux checks the permission to write. By default
  ///     the umask of the process decides.
  ///   - passesHandles: Whether the connections can carry handles.
  ///   - keepsLoopAlive: Whether it keeps `Loop.run()` from returning while it is observed.
  ///   - bound: Called once with the address, before the first connection: from then on others can connect.
  public static func listen(
    onPipe address: SocketAddress, backlog: Int = 511, permissions: UInt32? = nil, passesHandles: Bool = false,
    keepsLoopAlive: Bool = true, bound: ((SocketAddress) -> Void)? = nil
  ) -> Operation {
    .unguarded { observer in
      do throws(UVError) {
        let listener = try PipeListener(
          on: address, backlog: backlog, permissions: permissions, passesHandles: passesHandles)
        listener.keepsLoopAlive = keepsLoopAlive
        bound?(listener.address)
        return PipeListener.feed(listener, owned: true, observer)
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}
