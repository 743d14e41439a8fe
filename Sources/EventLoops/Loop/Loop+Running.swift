import CEventLoops
import CUV
public import Streams

extension Loop {
  /// Runs the loop until `stop()`, or until nothing keeps it alive any more: no handle, request, or deadline, no posted
  /// job, no work on the main queue, and no wait of a stream for another thread.
  ///
  /// On the main thread it also serves the main actor and `DispatchQueue.main`. Call it there from synchronous code only,
  /// never from a task or from a block of the main queue. A task that waits for something that the loop does not know, such
  /// as `Task.sleep` or another actor, does not keep it alive: use `run(until:)`. `describeWhatKeepsItAlive()` says what
  /// the loop waits for.
  ///
  /// Traps if the loop is running already. In async functions, the asynchronous form is chosen instead; at the top level of
  /// `main.swift`, await `Loop.run()`.
  @available(
    *, noasync, message: "at the top level of main.swift, use `await Loop.run()`: it waits for the main loop"
  )
  public func run() {
    check()
    if isClosed { Loop.shutDown() }
    // A task or a block of an async main: the trap says what to await.
    if service.isAsyncMain { MainQueueHandle.insideDrain() }
    if service.runner == .run || service.isPolling {
      fatalError("This loop is running already, and a callback called run() again. Return from the callback instead.")
    }
    let previous = service.runner
    service.runner = .run
    service.isStopping = false
    service.isEnding = false
    // What waits in the main queue runs here already, and may stop the loop.
    let mainQueue = isMain ? MainQueueHandle(entering: self) : nil
    serve(mainQueue)
    service.runner = previous
    mainQueue?.leave()
    if isMain, !isClosed { serveFromMainQueueIfNeeded() }
  }

  /// Waits until nothing but the caller keeps the loop alive, or until `stop()`, or until the task is cancelled.
  ///
  /// For a program whose main is async, which ends when its main returns although handles are open:
  ///
  /// ```swift
  /// @main struct Server {
  ///   static func main() async {
  ///     let bag = DisposeBag()
  ///     Operation.listen(on: .loopback(port: 8007)).observeNext { serve($0) }.dispose(in: bag)
  ///     await Loop.main.run()
  ///   }
  /// }
  /// ```
  ///
  /// The loop is alive under the same rule as in the synchronous form. Call it on the loop's thread: on the main actor for
  /// `Loop.main`, or in an actor whose executor is the loop's queue. At the top level of `main.swift` the compiler chooses
  /// the synchronous form, whatever is awaited: use the static `Loop.run()` there.
  public func run(isolation: isolated (any Actor)? = #isolation) async {
    check()
    if isClosed { Loop.shutDown() }
    let waiter = RunWaiter()
    service.waiters.append(waiter)
    updateReference()
    let (isIdle, turns) = (uv_loop_alive(uv) == 0 && mailbox.isEmpty, service.turns)
    // Read and resumed on the loop's thread alone: cancellation is posted there.
    nonisolated(unsafe) let waiting = waiter
    let mailbox = mailbox
    await withTaskCancellationHandler {
      await withUnsafeContinuation(isolation: isolation) { continuation in
        let waiter = Waiter(continuation, isolation, on: mailbox)
        waiting.wait { waiter.resume() }
      }
    } onCancel: {
      _ = mailbox.post { mailbox.loop?.resume(waiting) }
    }
    if isIdle, turns == service.turns, !isClosed, !Task.isCancelled { reportIdleHandles() }
  }

  /// Waits until nothing but the caller keeps the main loop alive, until `stop()`, or until the task is cancelled.
  ///
  /// The same as `await Loop.main.run()`, for the top level of `main.swift`:
  ///
  /// ```swift
  /// let bag = DisposeBag()
  /// print(try await Stream.just("ready").value)
  /// Stream.interval(.milliseconds(10)).take(3).observeNext { print($0) }.dispose(in: bag)
  /// await Loop.run()
  /// ```
  @MainActor
  public static func run() async { await main.run() }

  /// Runs the loop until `task` has ended, and returns its value.
  ///
  /// Use it in a synchronous main if a task waits for something that the loop does not know, such as `Task.sleep` or
  /// another actor. Throws what the task throws, and `LoopClosed` if `stop()` comes first.
  @available(*, noasync, message: "in async code, await the value of the task")
  public func run<Success: Sendable, Failure: Error>(until task: Task<Success, Failure>) throws -> Success {
    // Written by a job of this loop, read after the loop has returned: both on this thread.
    nonisolated(unsafe) var result: Result<Success, Failure>?
    let mailbox = mailbox
    Task {
      let outcome = await task.result
      _ = mailbox.post {
        result = outcome
        mailbox.loop?.end()
      }
    }
    host { run() }
    guard let result else { throw LoopClosed() }
    return try result.get()
  }

  /// Runs the loop until `stream` sends its first element, and returns it: `Loop.main.run(until: .signal(.interrupt))`.
  ///
  /// Returns nil if the stream completes without an element, and if `stop()` comes first. Throws the failure of an
  /// operation that fails first. The subscription is disposed before this method returns.
  @available(*, noasync, message: "in async code, await firstValue() of the stream")
  public func run<Element, Failure: Error>(until stream: Operation<Element, Failure>) throws(Failure) -> Element? {
    var event: Event<Element, Failure>?
    let subscription = stream.take(1).observe { [unowned self] next in
      if event == nil { event = next }
      end()
    }
    // A stream that answers at once has ended a loop that does not run yet.
    if event == nil { host { run() } }
    subscription.dispose()
    switch event {
    case .next(let element): return element
    case .failed(let error): throw error
    case .completed, nil: return nil
    }
  }

  /// Runs an async program on the main loop: starts `body` on the main actor, runs the loop until `body` has returned, and
  /// returns its result. Call it from synchronous code on the main thread; a program whose main is async needs no such call.
  ///
  /// Throws what `body` throws, and `LoopClosed` if the main loop is stopped before `body` has returned.
  @available(*, noasync, message: "in async code, await the work itself")
  public static func run<Result>(_ body: @escaping @MainActor () async throws -> Result) throws -> Result {
    let loop = Loop.main
    // Written by a task of the main actor, read after the loop: both on the main thread.
    nonisolated(unsafe) var result: Swift.Result<Result, any Error>?
    Task { @MainActor in
      do {
        result = .success(try await body())
      } catch {
        result = .failure(error)
      }
      Loop.main.end()
    }
    loop.host { loop.run() }
    guard let result else { throw LoopClosed() }
    return try result.get()
  }

  /// Makes `run()` return after the current loop iteration; a task that awaits `run()` resumes. From other threads, use
  /// `Queue.main.stop()`.
  ///
  /// Does nothing if the loop is not running. Traps in a program whose main is async if no task awaits `run()`: the main
  /// actor needs the loop until the program ends.
  public func stop() {
    check()
    if !service.waiters.isEmpty { return resumeWaiters() }
    if service.runner == .nothing, !service.isPolling { return }
    if service.isAsyncMain {
      fatalError(
        """
        Loop.main.stop() was called in a program whose main is async, and no task awaits Loop.main.run(). Return from main \
        to end the program, or await Loop.main.run() there, which stop() ends.
        """)
    }
    service.isStopping = true
    // Outside of uv_run the flag would end the next one.
    if service.isPolling { uv_stop(uv) }
  }

  /// Makes the innermost synchronous `run()` return, whatever else waits.
  func end() {
    service.isEnding = true
    service.isStopping = true
    if service.isPolling { uv_stop(uv) }
  }

  /// For a queue's thread: waits for what is posted, even if nothing else is left.
  func runForever() { host { run() } }

  /// Serves the main thread of a program whose main is async, until the program exits.
  static func serveAsyncMain() -> Never {
    // Before the first suspension nothing tells that main is async.
    if let loop = Loop.mainLoop, loop.isClosed { loop.shutDownInAsyncMain() }
    let loop = Loop.main
    loop.service.source.take()?.cancel()
    // Before the main queue is drained: what waits there is part of the async main already.
    loop.service.runner = .asyncMain
    let mainQueue = MainQueueHandle(entering: loop)
    loop.host { while true { loop.serve(mainQueue) } }
    fatalError("unreachable")
  }

  /// Runs loop iterations until the loop is to stop or nothing keeps it alive.
  private func serve(_ mainQueue: MainQueueHandle?) {
    var hasWorked = false
    service.hasRun = true
    while true {
      mailbox.drain()
      if !service.isStopping {
        if !hasWorked { hasWorked = uv_loop_alive(uv) != 0 || !mailbox.isEmpty }
        if uv_loop_alive(uv) != 0 { service.turns &+= 1 }
        service.isPolling = true
        uv_run(uv, UV_RUN_DEFAULT)
        service.isPolling = false
      }
      if service.isStopping { break }
      // Asked first: what the last job leaves in the main queue is found afterwards.
      let hasJobs = isMain && headwater_await_jobs() != 0
      if !mailbox.isEmpty || mainQueue?.drain() == true {
        hasWorked = true
        continue
      }
      if hasJobs {
        service.awaitsJobs = true
        updateReference()
        continue
      }
      if service.waiters.isEmpty { break }
      resumeWaiters()
    }
    if service.isEnding { resumeWaiters() }
    if !hasWorked, !service.isStopping { reportIdleHandles() }
  }

  /// Runs `body`, during which the loop waits for what is posted even if nothing else is left.
  private func host<Result>(_ body: () -> Result) -> Result {
    service.hosts += 1
    updateReference()
    defer {
      service.hosts -= 1
      if !isClosed { updateReference() }
    }
    return body()
  }

  /// Has libuv count the handle that stands for hosts and waits if there is one. Hosts step back for tasks that await
  /// `run()`.
  func updateReference() {
    let isNeeded =
      service.waitCount > 0 || service.awaitsJobs || (service.hosts > 0 && service.waiters.isEmpty)
    if isNeeded == service.isReferenced || isClosed { return }
    service.isReferenced = isNeeded
    let handle = UnsafeMutableRawPointer(async).assumingMemoryBound(to: uv_handle_t.self)
    if isNeeded { uv_ref(handle) } else { uv_unref(handle) }
  }

  func resumeWaiters() {
    let waiters = service.waiters
    service.waiters = []
    updateReference()
    for waiter in waiters { waiter.resume() }
  }

  /// Runs `body` when nothing keeps the loop alive but who hosts it; at once if the loop closes or has closed.
  func whenIdle(_ body: @escaping () -> Void) {
    if isClosed { return body() }
    let waiter = RunWaiter()
    waiter.wait(body)
    service.waiters.append(waiter)
    updateReference()
  }

  private func resume(_ waiter: RunWaiter) {
    service.waiters.removeAll { $0 === waiter }
    updateReference()
    waiter.resume()
  }

  static func mainThreadEnded() -> Never {
    fatalError(
      """
      The main thread has ended while Loop.main is open, and no other thread can serve that loop. Call Loop.main.run() \
      where the program calls dispatchMain(): it serves DispatchQueue.main as well.
      """)
  }
}
