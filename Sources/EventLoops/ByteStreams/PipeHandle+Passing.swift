import CUV
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension PipeHandle {
  /// Sends `handle`, a TCP connection or a pipe, to the process at the other end, with at least one byte. Starts when
  /// observed. Emits one element when the system has accepted it, and completes.
  ///
  /// A copy of the descriptor is sent: the handle stays open here, and you may dispose it at any time. Fails with
  /// `EINVAL` if this pipe does not pass handles or `bytes` is empty, with `EBADF` if the handle is closed, and with
  /// the errors of writing.
  public func sending(_ handle: ByteStreamHandle, with bytes: Bytes = "\0") -> Operation<Void, UVError> {
    Operation { observer in
      do throws(UVError) {
        guard self.passesHandles, !bytes.isEmpty else { throw self.error(UV_EINVAL.rawValue, "uv_write2") }
        let twin = try self.twin(of: handle)
        self.write(bytes, with: twin) { error in
          twin.dispose()
          if let error { return observer.failed(error) }
          observer.next()
          observer.completed()
        }
      } catch {
        observer.failed(error)
      }
      return .none
    }
  }

  /// Makes a handle of this loop with a copy of the descriptor of `handle`. libuv reads this handle until it has been
  /// sent.
  private func twin(of handle: ByteStreamHandle) throws(UVError) -> ByteStreamHandle {
    let descriptor = fcntl(try handle.descriptor(), F_DUPFD_CLOEXEC, 0)
    if descriptor < 0 { throw UVError(errno: errno, call: "fcntl") }
    do throws(UVError) {
      if handle is TCPHandle { return try TCPHandle(descriptor: descriptor, on: loop) }
      return try PipeHandle(descriptor: descriptor, on: loop)
    } catch {
      headwater_close(descriptor)
      throw error
    }
  }

  /// The number of received handles that `receive()` has not taken. Handles arrive with the bytes that they were sent
  /// with: check it when bytes are delivered.
  public var pendingHandles: Int {
    if isDisposed { return 0 }
    loop.check()
    return Int(uv_pipe_pending_count(pointer(uv_pipe_t.self)))
  }

  /// Takes the next received handle, a `TCPHandle` or a `PipeHandle`. Returns nil if there is none. You own the handle: like every
  /// connection, it is closed when it has no reference and is not used.
  public func receive() throws(UVError) -> ByteStreamHandle? {
    if pendingHandles == 0 { return nil }
    let handle: ByteStreamHandle
    switch uv_pipe_pending_type(pointer(uv_pipe_t.self)) {
    case UV_TCP: handle = try TCPHandle(loop)
    case UV_NAMED_PIPE: handle = try PipeHandle(loop)
    default: throw error(UV_EINVAL.rawValue, "uv_pipe_pending_type")
    }
    let status = uv_accept(stream, handle.stream)
    if status < 0 {
      handle.dispose()
      throw error(status, "uv_accept")
    }
    handle.disposeLaterIfUnused()
    return handle
  }
}
