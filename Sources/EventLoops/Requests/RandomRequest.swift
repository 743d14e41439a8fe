import CUV
public import Streams

extension Operation where Element == Bytes, Failure == UVError {
  /// Makes `count` random bytes with the system's generator, which is secure enough for keys. Emits one element and
  /// completes.
  ///
  /// Runs on libuv's thread pool when observed, because the system may wait for entropy right after it has started.
  /// Fails with the system's error, and with `E2BIG` for 2 GiB and more. Traps if `count` is negative.
  public static func randomBytes(_ count: Int) -> Operation {
    if count < 0 { fatalError("\(count) random bytes cannot be made: the count is at least 0.") }
    return request(
      Operation { observer in
        let request = RandomRequest(count, on: .current) { observer.finish($0) }
        request.start()
        return request
      })
  }
}

/// A call of `uv_random`.
private final class RandomRequest: Request {
  private let storage: ByteStorage
  private let count: Int
  private var done: ((Result<Bytes, UVError>) -> Void)?
  private var result: Result<Bytes, UVError>?

  init(_ count: Int, on loop: Loop, _ done: @escaping (Result<Bytes, UVError>) -> Void) {
    self.count = count
    // Larger counts are refused before anything is written.
    storage = .make(count > Int32.max ? 0 : count)
    self.done = done
    super.init(loop, uv_random_t.self)
  }

  func start() {
    start {
      uv_random(loop.uv, pointer(uv_random_t.self), storage.memory, count, 0) { request, status, _, _ in
        Request.didFinish(request!.pointee.data, status)
      }
    }
  }

  override func take(_ status: Int32) {
    result =
      status < 0
      ? .failure(UVError(code: status, call: "uv_random"))
      : .success(count == 0 ? Bytes() : Bytes(storage, offset: 0, count: count))
  }

  override func deliver() { if let result = result.take() { done.take()?(result) } }
}
