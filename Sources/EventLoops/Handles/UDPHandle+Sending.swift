import CUV
import Callbacks
public import Streams

extension UDPHandle {
  /// Sends `bytes` when observed: an element when the system has taken them, then completed. Whether they arrive nobody
  /// knows.
  ///
  /// `address` may be left out, and must be, where the socket is connected. The system is tried at once, and mostly takes
  /// them; where it has no room they wait in order. Copies nothing. Fails with `EMSGSIZE` for what is too large,
  /// `EDESTADDRREQ` without an address, `ECONNREFUSED` where the peer is known not to listen, `ECANCELED` where the handle
  /// is closed before; the error's `path` is the address. Disposing does not take them back.
  public func send(_ bytes: Bytes, to address: SocketAddress? = nil) -> Operation<Void, UVError> {
    Operation { observer in
      do throws(UVError) {
        if try self.trySend(bytes, to: address) {
          observer.next()
          observer.completed()
          return .none
        }
      } catch {
        observer.failed(error)
        return .none
      }
      let request = SendRequest(bytes, address, on: self.loop) { observer.finish($0) }
      request.start(self.udp)
      return request
    }
  }

  /// Sends `bytes` at once, or tells that it cannot: false where the system has no room or others wait. Fails as `send`
  /// does. For those who would rather drop than wait.
  public func trySend(_ bytes: Bytes, to address: SocketAddress? = nil) throws(UVError) -> Bool {
    if isDisposed { throw UVError(code: UV_ECANCELED.rawValue, call: "uv_udp_try_send", path: address?.description) }
    loop.check()
    let status = withBuffer(of: bytes) { buffer in
      if let address { return address.withSockAddr { native, _ in uv_udp_try_send(udp, buffer, 1, native) } }
      return uv_udp_try_send(udp, buffer, 1, nil)
    }
    if status >= 0 { return true }
    if status == UV_EAGAIN.rawValue { return false }
    throw UVError(code: status, call: "uv_udp_try_send", path: address?.description)
  }

  /// The number of bytes that wait to be sent.
  public var queuedBytes: Int { isDisposed ? 0 : Int(uv_udp_get_send_queue_size(udp)) }

  /// The number of messages that wait to be sent.
  public var queuedCount: Int { isDisposed ? 0 : Int(uv_udp_get_send_queue_count(udp)) }
}

/// `bytes` as libuv wants them. The memory is theirs.
private func withBuffer(of bytes: Bytes, _ body: (UnsafePointer<uv_buf_t>) -> Int32) -> Int32 {
  let start = bytes.withUnsafeBytes { UnsafeMutableRawPointer(mutating: $0.baseAddress) }
  // libuv does not write to it.
  var buffer = uv_buf_init(start?.assumingMemoryBound(to: CChar.self), UInt32(clamping: bytes.count))
  return withExtendedLifetime(bytes) { body(&buffer) }
}

/// `uv_udp_send`: ends when the system has taken it, or the handle is closed.
private final class SendRequest: Request {
  private let bytes: Bytes
  private let address: SocketAddress?
  private var done: ((Result<Void, UVError>) -> Void)?
  private var result: Result<Void, UVError>?

  init(
    _ bytes: Bytes, _ address: SocketAddress?, on loop: Loop, _ done: @escaping (Result<Void, UVError>) -> Void
  ) {
    self.bytes = bytes
    self.address = address
    self.done = done
    super.init(loop, uv_udp_send_t.self)
  }

  override var isCancellable: Bool { false }

  func start(_ udp: UnsafeMutablePointer<uv_udp_t>) {
    start {
      withBuffer(of: bytes) { buffer in
        let request = pointer(uv_udp_send_t.self)
        let sent: uv_udp_send_cb = { Request.didFinish($0!.pointee.data, $1) }
        if let address {
          return address.withSockAddr { native, _ in uv_udp_send(request, udp, buffer, 1, native, sent) }
        }
        return uv_udp_send(request, udp, buffer, 1, nil, sent)
      }
    }
  }

  override func take(_ status: Int32) {
    result =
      status < 0 ? .failure(UVError(code: status, call: "uv_udp_send", path: address?.description)) : .success(())
  }

  override func deliver() { if let result = result.take() { done.take()?(result) } }
}

extension Operation where Element == Datagram, Failure == UVError {
  /// The messages that are sent to `address`: binds a socket when observed, and closes it when disposed of.
  ///
  /// For those who only listen; who answers makes a `UDPHandle`. Fails where the address cannot be had. See
  /// `UDPHandle.datagrams`.
  public static func datagrams(
    to address: SocketAddress, options: UDPHandle.BindOptions = [], batches: Bool = false
  ) -> Operation {
    Operation { observer in
      do throws(UVError) {
        let handle = try UDPHandle(batches: batches)
        do throws(UVError) {
          try handle.bind(to: address, options: options)
        } catch {
          handle.dispose()
          throw error
        }
        let receiving = handle.datagrams.subscribe(observer)
        return BlockDisposable(
          {
            receiving.dispose()
            handle.dispose()
          }, pause: { receiving.pause() }, resume: { receiving.resume() })
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}
