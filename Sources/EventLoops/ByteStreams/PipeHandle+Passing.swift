import CUV
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension PipeHandle {
  /// Sends `handle`, a TCP connection or a pipe, to the process at the other end, along with at least one byte. An element when
  /// it has been given to the system, then completed; sent when observed.
  ///
  /// What travels is a copy of its descriptor: the handle stays open here, and may be disposed of at any time. Fails with
  /// `EINVAL` where this pipe does not pass handles, with `EBADF` where the handle is closed, and with what writing fails with.
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

  /// A handle of this loop with a copy of the descriptor of `handle`. libuv looks into what travels until it has been sent.
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

  /// How many handles have arrived that `receive()` has not taken. They arrive with the bytes that they were sent with: ask
  /// when bytes have come.
  public var pendingHandles: Int {
    if isDisposed { return 0 }
    loop.check()
    return Int(uv_pipe_pending_count(pointer(uv_pipe_t.self)))
  }

  /// The next handle that has arrived, a `TCPHandle` or a `PipeHandle`; nil where none has. It is the caller's to dispose of.
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
    return handle
  }
}
