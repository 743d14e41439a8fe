import CUV
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A local socket that accepts connections.
///
/// ```swift
/// let listener = try PipeListener(on: SocketAddress(path: "/tmp/service.sock"), permissions: 0o600)
/// listener.connections.observeNext { connection in
///   connection.write("welcome\n")
///   connection.close()
/// }.dispose(in: bag)
/// ```
///
/// Closing the listener removes its path. The path of a process that has died is taken over; the path of a socket that
/// still listens is not (`EADDRINUSE`). An abstract name (Linux) leaves no file.
public final class PipeListener: ListenerHandle {
  /// The address on which it listens.
  public let address: SocketAddress
  private let passesHandles: Bool
  /// The file number behind the path, because another listener may have taken over the path since.
  private let file: ino_t

  /// Listens on `address`. Throws `EADDRINUSE` if another socket listens there, and `EINVAL` if the address is not
  /// local.
  ///
  /// - Parameters:
  ///   - address: The local address to listen on.
  ///   - backlog: The most connections that may wait to be accepted.
  ///   - permissions: The processes that may connect, as a file mode: Linux checks the permission to write. By default,
  ///     the umask of the process decides.
  ///   - passesHandles: Whether the connections can carry handles.
  ///   - loop: The loop that accepts connections.
  public init(
    on address: SocketAddress, backlog: Int = 511, permissions: UInt32? = nil, passesHandles: Bool = false,
    loop: Loop = .current
  ) throws(UVError) {
    loop.check()
    // Counted here, because a socket that cannot listen fails before there is a handle.
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

  /// Removes the path of a socket on which no process listens any more. Returns false if one does, or if the path is
  /// not a socket.
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

  /// Returns the number of the file at the path; 0 if there is none.
  private static func file(_ address: SocketAddress) -> ino_t {
    var info = stat()
    guard let path = address.path, lstat(path, &info) == 0 else { return 0 }
    return info.st_ino
  }

  /// Emits the accepted connections as they are made. Cold.
  ///
  /// Pausing stops accepting: connections wait in the system's backlog. If the system has no descriptor left
  /// (`EMFILE`), accepting stops too, which is reported through `Diagnostics`, and continues when there is room. Never
  /// completes. Fails with `ECANCELED` if the listener is closed. One observer at a time: a second one fails with
  /// `EBUSY`.
  ///
  /// The observer owns a connection: put it in a bag, or `close()` it. An accepted connection that you neither retain
  /// nor use is closed when your observer returns.
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
  /// Listens on the local socket `address` when observed, and emits the accepted connections. Stops when disposed.
  ///
  /// Fails with `EADDRINUSE` if another socket listens there. Pausing stops accepting. An accepted connection that you
  /// neither retain nor use is closed when your observer returns. Disposing removes the path.
  ///
  /// - Parameters:
  ///   - address: The local address to listen on.
  ///   - backlog: The most connections that may wait to be accepted.
  ///   - permissions: The processes that may connect, as a file mode: Linux checks the permission to write. By default,
  ///     the umask of the process decides.
  ///   - passesHandles: Whether the connections can carry handles.
  ///   - keepsLoopAlive: Whether the observed operation keeps `Loop.run()` from returning.
  ///   - bound: Called once with the address, before the first connection. From then on, peers can connect.
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
