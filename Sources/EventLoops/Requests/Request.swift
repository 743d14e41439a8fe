import CUV
import Callbacks
import Streams

/// What all requests that run on libuv's thread pool have in common: one life from the start to the one callback.
///
/// Set up: the memory is libuv's from a successful start until the callback, with a reference to this object. Fulfilled: the
/// callback always comes, also for what has been cancelled or disposed of, and its result is delivered or, where nobody
/// wants it any more, undone (`discard`). Cleaned up: what libuv allocated is freed before anything is delivered.
///
/// Disposal has libuv cancel what still waits for a thread; what already runs on one (`EBUSY`) ends by itself and is
/// discarded. Either way nothing is delivered after it.
class Request: LoopResource, Disposable {
  private let memory: UnsafeMutableRawPointer
  private var isAbandoned = false
  /// Nothing will be delivered any more.
  private(set) final var isDisposed = false
  /// Whether disposal and shutdown cancel it. False for what has to be done, such as closing.
  var isCancellable: Bool { true }
  #if DEBUG
  private let token = LiveResources.register("request")
  #endif

  init<Raw>(_ loop: Loop, _ type: Raw.Type) {
    memory = .allocate(byteCount: MemoryLayout<Raw>.size, alignment: MemoryLayout<Raw>.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Raw>.size)
    super.init(loop)
  }

  deinit { memory.deallocate() }

  /// The memory as what it really is.
  final func pointer<Raw>(_ type: Raw.Type) -> UnsafeMutablePointer<Raw> { memory.assumingMemoryBound(to: type) }

  /// Has `body` start the request. What cannot be started, and everything on a loop that shuts down, ends at once.
  final func start(_ body: () -> Int32) {
    if loop.isClosed, isCancellable { return end(UV_ECANCELED.rawValue) }
    pointer(uv_req_t.self).pointee.data = UntilClosed<Request>.lend(self)
    let status = body()
    if status < 0 {
      _ = UntilClosed<Request>.take(pointer(uv_req_t.self).pointee.data)
      end(status)
    } else {
      link()
    }
  }

  /// What each trampoline does.
  static func didFinish(_ context: UnsafeMutableRawPointer?, _ status: Int32) {
    let request = UntilClosed<Request>.take(context)
    request.unlink()
    request.end(status)
  }

  private func end(_ status: Int32) {
    let isWanted = !isDisposed
    isDisposed = true
    if isWanted, !isAbandoned {
      take(status)
    } else {
      if status >= 0 { discard() }
      take(UV_ECANCELED.rawValue)
    }
    cleanUp()
    didEnd()
    if isWanted { deliver() }
  }

  /// What kind of request it is, for a person who asks what the loop waits for.
  var summary: String { "requests (\(String(cString: uv_req_type_name(pointer(uv_req_t.self).pointee.type))))" }

  /// For work: what a thread of the pool does, before the callback.
  func run() {}

  /// Keeps the result for `deliver`. `status` is negative for a failure.
  func take(_ status: Int32) {}

  /// Undoes a result that nobody wants.
  func discard() {}

  /// Frees what libuv has allocated.
  func cleanUp() {}

  /// Called once, when libuv is done with it.
  func didEnd() {}

  /// Tells who wants to know. The last that is called, and not after disposal.
  func deliver() {}

  /// Nothing is delivered after this call.
  final func dispose() {
    if isDisposed { return }
    loop.check()
    isDisposed = true
    cancel()
  }

  override func loopWillClose() {
    if !isCancellable { return }
    isAbandoned = true
    cancel()
  }

  private func cancel() {
    // EBUSY: it runs already, and its callback comes when it has ended. EINVAL: it is over.
    if isCancellable { uv_cancel(pointer(uv_req_t.self)) }
  }
}
