import CUV
import Callbacks
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A socket on which others connect: what `TCPListener` and `PipeListener` have in common.
///
/// It polls the socket and accepts by itself. libuv's own `uv_listen` cannot wait when no descriptor is left: it accepts
/// and drops those that are waiting.
public class ListenerHandle: Handle {
  /// How many connections are accepted in a turn before others have theirs.
  private static let most = 64
  /// How long it waits when the system has no room for a connection.
  private static let patience = Duration.milliseconds(100)

  private let descriptor: Int32
  private var taker: (any ConnectionTaker)?
  private var isPaused = false
  private var retry: (any Disposable)?
  private var hasReported = false

  /// Takes `descriptor` over: a socket that listens.
  init(_ loop: Loop, descriptor: Int32) throws(UVError) {
    self.descriptor = descriptor
    do throws(UVError) {
      try super.init(loop, uv_poll_t.self, "uv_poll_init") { uv_poll_init($0, $1, descriptor) }
    } catch {
      headwater_close(descriptor)
      throw error
    }
  }

  /// What it listens on, as errors and reports name it.
  var name: String { "descriptor \(descriptor)" }

  /// Has `taker` given the connections, until `stop`. False when another has it.
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
      unsafeDowncast(UntilClosed<Handle>.borrow(handle!.pointee.data), to: ListenerHandle.self).accept(status)
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
      // The connection has gone, or never came to be: the next one.
      default: continue
      }
    }
  }

  /// Nothing is accepted for a while: those who wait stay with the system. Said once, until it has worked again.
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

  // At once, so that somebody else can listen there.
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

  /// Runs `body` with the socket's descriptor, which stays the listener's.
  func withDescriptor<Result>(_ body: (Int32) throws(UVError) -> Result) throws(UVError) -> Result {
    loop.check()
    if isDisposed { throw UVError(code: UV_EBADF.rawValue, call: "getsockname", path: name) }
    return try body(descriptor)
  }
}

/// Who gets the connections of a listener.
protocol ConnectionTaker: AnyObject {
  /// A connection, whose descriptor is the taker's from now on.
  func take(_ descriptor: Int32, from peer: SocketAddress?)
  func end(_ end: Termination<UVError>)
}
