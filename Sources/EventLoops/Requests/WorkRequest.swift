import CUV
import Callbacks
public import Streams

extension Operation where Element: Sendable {
  /// Runs `body` on libuv's thread pool and emits its result, or fails with its error. Use it for work that blocks or
  /// takes long.
  ///
  /// ```swift
  /// let primes = Stream.work { (2..<10_000).filter { n in !(2..<n).contains { n % $0 == 0 } }.count }
  /// primes.observeNext { print($0) }.dispose(in: bag)
  /// ```
  ///
  /// `body` runs on a thread of the pool when the operation is observed, once for each observer. Its result is
  /// delivered on the observing loop. Its captures must be `Sendable`. Disposing before it begins keeps it from
  /// running. Once it runs, it is not interrupted, and its result is dropped. A loop that shuts down waits for the ones
  /// that run, and completes all operations without an element.
  ///
  /// All loops of the process share the pool with the file-system calls and the resolver. It has four threads, unless
  /// `UV_THREADPOOL_SIZE` sets another number. Costs two hops between threads.
  public static func work(_ body: @escaping @Sendable () throws(Failure) -> Element) -> Operation {
    request(
      Operation { observer in
        let request = WorkRequest(on: .current, body) { result in
          if let result { observer.finish(result) } else { observer.completed() }
        }
        request.start()
        return request
      })
  }
}

/// A call of `uv_queue_work`.
final class WorkRequest<Element: Sendable, Failure: Error>: Request {
  private var body: (@Sendable () throws(Failure) -> Element)?
  private let stop: (@Sendable () -> Void)?
  private var done: ((Result<Element, Failure>?) -> Void)?
  // Written by the pool's thread, read on the loop when libuv has handed the request back.
  private var result: Result<Element, Failure>?

  /// `stop` is called when a request that may be running is canceled. `done` receives nil if the loop shuts down.
  init(
    on loop: Loop, _ body: @escaping @Sendable () throws(Failure) -> Element, stop: (@Sendable () -> Void)? = nil,
    _ done: @escaping (Result<Element, Failure>?) -> Void
  ) {
    self.body = body
    self.stop = stop
    self.done = done
    super.init(loop, uv_work_t.self)
  }

  override var withoutThreads: WithoutThreads { .waits }

  func start() {
    start {
      uv_queue_work(
        loop.uv, pointer(uv_work_t.self),
        { request in UntilClosed<Request>.borrow(request!.pointee.data).run() },
        { request, status in Request.didFinish(request!.pointee.data, status) })
    }
  }

  override func run() {
    guard let body = body.take() else { return }
    do throws(Failure) {
      result = .success(try body())
    } catch {
      result = .failure(error)
    }
  }

  override func take(_ status: Int32) { if status < 0 { drop() } }

  override func discard() { drop() }

  override func didCancel() { stop?() }

  /// Drops a result that arrives after disposal.
  private func drop() {
    var element = try? result.take()?.get()
    Untaken.dispose(&element)
  }

  override func deliver() { done.take()?(result.take()) }
}
