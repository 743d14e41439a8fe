import CUV
import Callbacks
public import Streams

extension UDPHandle {
  /// Sends `bytes` when observed. Emits one element when the system has accepted them, and completes. Delivery to the
  /// peer is not confirmed.
  ///
  /// Pass nil as `address` if, and only if, the socket is connected. The system is tried at once and usually accepts
  /// the bytes; if it has no room, messages wait in order. Copies nothing. Disposing does not take the bytes back.
  ///
  /// Fails with `EMSGSIZE` if the message is too large, `EDESTADDRREQ` without an address, `ECONNREFUSED` if the peer
  /// is known not to listen, and `ECANCELED` if the handle is closed first. The `path` of the error is the address.
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

  /// Sends `bytes` at once. Returns false if the system has no room or other messages wait. Use it to drop messages
  /// instead of queuing them.
  ///
  /// Throws `EMSGSIZE` if the message is too large, `EDESTADDRREQ` without an address, `ECONNREFUSED` if the peer is
  /// known not to listen, and `ECANCELED` if the handle is closed. The `path` of the error is the address.
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

/// Calls `body` with `bytes` in libuv's form, without a copy. `bytes` owns the memory.
private func withBuffer(of bytes: Bytes, _ body: (UnsafePointer<uv_buf_t>) -> Int32) -> Int32 {
  let start = bytes.withUnsafeBytes { UnsafeMutableRawPointer(mutating: $0.baseAddress) }
  // libuv does not write to the memory.
  var buffer = uv_buf_init(start?.assumingMemoryBound(to: CChar.self), UInt32(clamping: bytes.count))
  return withExtendedLifetime(bytes) { body(&buffer) }
}

/// A call of `uv_udp_send`. It ends when the system has accepted the bytes or the handle is closed.
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
  override var withoutThreads: WithoutThreads { .runs }

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
  /// Emits the messages that are sent to `address`. Binds a socket when observed, and closes it when disposed.
  ///
  /// For programs that only listen; make a `UDPHandle` to answer. Fails if the address cannot be bound or receiving
  /// fails, and never completes. While the observer is paused, the system keeps messages as long as it has room, and
  /// drops the rest.
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
