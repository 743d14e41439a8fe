import CUV
import Callbacks
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A socket that accepts connections: the base class of `TCPListener` and `PipeListener`.
///
/// It polls the socket and accepts connections itself. libuv's `uv_listen` cannot wait when no descriptor is left: it
/// accepts and drops the waiting connections.
public class ListenerHandle: Handle {
  /// The most connections to accept in one loop iteration, so that other handles get their turn.
  private static let most = 64
  /// How long to wait if the system has no resources for a connection.
  private static let patience = Duration.milliseconds(100)

  private let descriptor: Int32
  private var taker: (any ConnectionTaker)?
  private var isPaused = false
  private var retry: (any Disposable)?
  private var hasReported = false

  /// Takes over `descriptor`, a listening socket.
  init(_ loop: Loop, descriptor: Int32) throws(UVError) {
    self.descriptor = descriptor
    do throws(UVError) {
      try super.init(loop, uv_poll_t.self, "uv_poll_init") { uv_poll_init($0, $1, descriptor) }
    } catch {
      headwater_close(descriptor)
      throw error
    }
  }

  /// The address of the listener, for errors and reports.
  var name: String { "descriptor \(descriptor)" }

  /// Passes the connections to `taker` until `stop()`. Throws `EBUSY` if there is another one.
  func start(_ taker: any ConnectionTaker, isPaused: Bool) throws(UVError) {
    loop.check()
    if isDisposed { throw UVError(code: UV_ECANCELED.rawValue, call: "accept", path: name) }
    if self.taker != nil { throw UVError(code: UV_EBUSY.rawValue, call: "accept", path: name) }
    self.taker = taker
    self.isPaused = isPaused
    if !isPaused { poll() }
  }

  func stop() {
    taker = nil
    pause()
  }

  func pause() {
    isPaused = true
    retry?.dispose()
    retry = nil
    if isDisposed { return }
    loop.check()
    uv_poll_stop(pointer(uv_poll_t.self))
  }

  func resume() {
    isPaused = false
    if !isDisposed, taker != nil { poll() }
  }

  private func poll() {
    let status = uv_poll_start(pointer(uv_poll_t.self), Int32(UV_READABLE.rawValue)) { handle, status, _ in
      let listener = unsafeDowncast(UntilClosed<Handle>.borrow(handle!.pointee.data), to: ListenerHandle.self)
      listener.observing { listener.accept(status) }
    }
    if status < 0 { fail(status, "uv_poll_start") }
  }

  private func accept(_ status: Int32) {
    if status < 0 { return fail(status, "uv_poll") }
    for _ in 0..<ListenerHandle.most {
      guard let taker, !isPaused, !isDisposed else { return }
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let accepted = withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { headwater_accept(descriptor, $0, &length) }
      }
      if accepted >= 0 {
        hasReported = false
        let peer = withUnsafePointer(to: &storage) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress($0, length: length) }
        }
        taker.take(accepted, from: peer)
        continue
      }
      switch errno {
      case EAGAIN: return
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return waitForRoom(errno)
      case EBADF, EINVAL, ENOTSOCK, EOPNOTSUPP, EFAULT: return fail(uv_translate_sys_error(errno), "accept")
      // The connection has been closed or was never established: try the next one.
      default: continue
      }
    }
  }

  /// Stops accepting for a while; pending connections stay with the system. Reported once until a connection is
  /// accepted again.
  private func waitForRoom(_ code: Int32) {
    uv_poll_stop(pointer(uv_poll_t.self))
    if !hasReported {
      hasReported = true
      Diagnostics.report(
        """
        \(UVError(errno: code, call: "accept", path: name)): connections wait until there is room again. Close some, or raise \
        the limit (ulimit -n).
        """)
    }
    retry = loop.scheduler.schedule(after: ListenerHandle.patience) { [weak self] in
      guard let self else { return }
      retry = nil
      if !isPaused { resume() }
    }
  }

  private func fail(_ status: Int32, _ call: String) {
    let old = taker
    taker = nil
    dispose()
    old?.end(.failed(UVError(code: status, call: call, path: name)))
  }

  // Closed at once, so that another socket can listen on the address.
  override func close(_ callback: uv_close_cb) {
    super.close(callback)
    headwater_close(descriptor)
  }

  override func willFree() {
    retry?.dispose()
    retry = nil
    let old = taker
    taker = nil
    old?.end(.failed(UVError(code: UV_ECANCELED.rawValue, call: "accept", path: name)))
  }

  /// Runs `body` with the descriptor of the socket, which the listener still owns.
  func withDescriptor<Result>(_ body: (Int32) throws(UVError) -> Result) throws(UVError) -> Result {
    loop.check()
    if isDisposed { throw UVError(code: UV_EBADF.rawValue, call: "getsockname", path: name) }
    return try body(descriptor)
  }
}

/// The receiver of a listener's connections.
protocol ConnectionTaker: AnyObject {
  /// Takes a connection. The taker owns the descriptor from now on.
  func take(_ descriptor: Int32, from peer: SocketAddress?)
  func end(_ end: Termination<UVError>)
}
