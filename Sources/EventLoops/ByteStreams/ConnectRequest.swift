import CUV
import Callbacks

/// A request to connect, until libuv has answered it.
final class ConnectRequest {
  let memory = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
  private let done: (Int32) -> Void

  init(_ done: @escaping (Int32) -> Void) { self.done = done }

  deinit { memory.deallocate() }

  /// Calls `start` to pass the request to libuv, which answers once, in a later loop iteration. Returns an error status
  /// if libuv refuses the request.
  static func start(
    _ start: (UnsafeMutablePointer<uv_connect_t>, uv_connect_cb) -> Int32, _ done: @escaping (Int32) -> Void
  ) -> Int32 {
    let request = ConnectRequest(done)
    let context = UntilClosed<ConnectRequest>.lend(request)
    request.memory.pointee.data = context
    let status = start(request.memory) { request, status in
      UntilClosed<ConnectRequest>.take(request.unsafelyUnwrapped.pointee.data).done(status)
    }
    if status < 0 { _ = UntilClosed<ConnectRequest>.take(context) }
    return status
  }
}

extension ByteStreamHandle {
  /// Calls `start` to pass libuv a request to connect this handle, which libuv answers once. Returns an error status if
  /// libuv refuses the request.
  final func startConnecting(
    _ start: (UnsafeMutablePointer<uv_connect_t>, uv_connect_cb) -> Int32, _ done: @escaping (Int32) -> Void
  ) -> Int32 {
    // libuv answers before it releases the handle.
    let status = ConnectRequest.start(start) { [unowned self] status in
      isConnecting = false
      done(status)
    }
    if status >= 0 { isConnecting = true }
    return status
  }
}
