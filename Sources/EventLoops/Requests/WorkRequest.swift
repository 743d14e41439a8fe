import CUV
import Callbacks
public import Streams

extension Operation where Element: Sendable {
  /// What `body` returns, or the failure that it throws, computed on libuv's thread pool: for what blocks or takes long.
  ///
  /// ```swift
  /// let primes = Stream.work { (2..<10_000).filter { n in !(2..<n).contains { n % $0 == 0 } }.count }
  /// primes.observeNext { print($0) }.dispose(in: bag)
  /// ```
  ///
  /// `body` runs when the operation is observed, once for each observer, on a thread of the pool; its result is delivered on
  /// the loop that observes. It captures only what is `Sendable`. Disposing before it begins keeps it from running; one
  /// that runs is not interrupted, and its result is dropped. A loop that is shut down waits for those that run, and
  /// completes all without an element.
  ///
  /// The pool has four threads for all loops of the process, unless `UV_THREADPOOL_SIZE` says otherwise, which the calls of
  /// the file system and of the resolver use as well. Cost: two hops between threads.
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

/// `uv_queue_work`.
private final class WorkRequest<Element: Sendable, Failure: Error>: Request {
  private var body: (@Sendable () throws(Failure) -> Element)?
  private var done: ((Result<Element, Failure>?) -> Void)?
  // Written by the thread of the pool, read on the loop when libuv has handed it back.
  private var result: Result<Element, Failure>?

  init(
    on loop: Loop, _ body: @escaping @Sendable () throws(Failure) -> Element,
    _ done: @escaping (Result<Element, Failure>?) -> Void
  ) {
    self.body = body
    self.done = done
    super.init(loop, uv_work_t.self)
  }

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

  /// A result that arrives after disposal.
  private func drop() {
    var element = try? result.take()?.get()
    Untaken.dispose(&element)
  }

  override func deliver() { done.take()?(result.take()) }
}
