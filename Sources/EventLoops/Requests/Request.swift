import CUV
import Callbacks
import Streams

/// The base class of all requests that run on libuv's thread pool. It covers their life from the start to the one
/// callback.
///
/// Setup: from a successful start until the callback, libuv owns the memory and a reference to this object. Completion:
/// the callback always comes, even for a request that has been canceled or disposed. Its result is delivered, or undone
/// (`discard`) if there is no observer left. Cleanup: libuv's allocations are freed before the delivery.
///
/// Disposal asks libuv to cancel a request that waits for a thread. A request that runs already (`EBUSY`) ends by
/// itself and is discarded. In both cases, nothing is delivered afterwards.
class Request: LoopResource, Disposable {
  private let memory: UnsafeMutableRawPointer
  private var isAbandoned = false
  /// True when nothing will be delivered any more.
  private(set) final var isDisposed = false
  /// Whether disposal and shutdown cancel the request. False for requests that must run, such as closing a file.
  var isCancellable: Bool { true }
  /// What happens if the system has no threads for libuv's pool.
  var withoutThreads: WithoutThreads { .fails }
  #if DEBUG
  private let token = LiveResources.register("request")
  #endif

  init<Raw>(_ loop: Loop, _ type: Raw.Type) {
    memory = .allocate(byteCount: MemoryLayout<Raw>.size, alignment: MemoryLayout<Raw>.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Raw>.size)
    super.init(loop)
  }

  deinit { memory.deallocate() }

  /// The memory as a pointer to its actual type.
  final func pointer<Raw>(_ type: Raw.Type) -> UnsafeMutablePointer<Raw> { memory.assumingMemoryBound(to: type) }

  /// Calls `body` to start the request. If it cannot be started, or the loop is shutting down, the request ends at
  /// once.
  final func start(_ body: () -> Int32) {
    if loop.isClosed, isCancellable { return end(UV_ECANCELED.rawValue) }
    pointer(uv_req_t.self).pointee.data = UntilClosed<Request>.lend(self)
    var status = threads()
    if status == 0 { status = body() }
    if status < 0 {
      _ = UntilClosed<Request>.take(pointer(uv_req_t.self).pointee.data)
      end(status)
    } else {
      link()
    }
  }

  enum WithoutThreads {
    /// The request fails with the error of the system.
    case fails
    /// The request cannot fail, so its thread waits until there are threads.
    case waits
    /// The request does not run on the pool.
    case runs
  }

  private func threads() -> Int32 {
    if loop.hasPool || withoutThreads == .runs { return 0 }
    var status = PoolThreads.tryStart()
    while status != 0, withoutThreads == .waits {
      uv_sleep(10)
      status = PoolThreads.tryStart()
    }
    loop.hasPool = status == 0
    return status
  }

  /// Called by every C callback.
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

  /// The kind of request, for `describeWhatKeepsItAlive()`.
  var summary: String { "requests (\(String(cString: uv_req_type_name(pointer(uv_req_t.self).pointee.type))))" }

  /// The work of a thread of the pool, before the callback. Subclasses override it.
  func run() {}

  /// Stores the result for `deliver`. `status` is negative for a failure.
  func take(_ status: Int32) {}

  /// Undoes a result that will not be delivered.
  func discard() {}

  /// Called when the request is canceled. It may be running.
  func didCancel() {}

  /// Frees libuv's allocations.
  func cleanUp() {}

  /// Called once, when libuv has finished the request.
  func didEnd() {}

  /// Delivers the result. Called last, and never after disposal.
  func deliver() {}

  /// Cancels the request if possible. Nothing is delivered afterwards.
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
    if !isCancellable { return }
    // EBUSY: it runs already, and its callback comes when it has ended. EINVAL: it is over.
    uv_cancel(pointer(uv_req_t.self))
    didCancel()
  }
}
