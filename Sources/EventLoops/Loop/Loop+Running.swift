import CEventLoops
import CUV
public import Streams

extension Loop {
  /// Runs the loop until `stop()`, or until nothing keeps it alive: no handle, request, or deadline, no posted job, no
  /// work on the main queue, and no stream that waits for another thread.
  ///
  /// On the main thread it also serves the main actor and `DispatchQueue.main`. Call it there from synchronous code
  /// only, never from a task or from a block of the main queue.
  ///
  /// A task that awaits something unknown to the loop, such as `Task.sleep`, `Task.yield`, or another actor, does not keep the loop
  /// alive: use `run(until:)` for it. `describeWhatKeepsItAlive()` lists what the loop waits for.
  ///
  /// Traps if the loop is running already. In async functions, the compiler chooses the asynchronous form instead. At
  /// the top level of `main.swift`, await `Loop.run()`.
  @available(
    *, noasync, message: "at the top level of main.swift, use `await Loop.run()`: it waits for the main loop"
  )
  public func run() {
    check()
    if isClosed { Loop.shutDown() }
    // In a task or a block of an async main, the trap says what to await.
    if service.isAsyncMain { MainQueueHandle.insideDrain() }
    if service.runner == .run || service.isPolling {
      fatalError("This loop is running already, and a callback called run() again. Return from the callback instead.")
    }
    let previous = service.runner
    service.runner = .run
    service.isStopping = false
    service.isEnding = false
    // Jobs that wait in the main queue run here already, and may stop the loop.
    let mainQueue = isMain ? MainQueueHandle(entering: self) : nil
    serve(mainQueue)
    service.runner = previous
    mainQueue?.leave()
    if isMain, !isClosed { serveFromMainQueueIfNeeded() }
  }

  /// Waits until only the caller keeps the loop alive, `stop()` is called, or the task is canceled.
  ///
  /// Use it in a program whose main is async. Such a program ends when its main returns, even if handles are open:
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
  /// The same work keeps the loop alive as in the synchronous form. Call it on the loop's thread: on the main actor for
  /// `Loop.main`, or in an actor whose executor is the loop's queue. At the top level of `main.swift`, the compiler
  /// chooses the synchronous form even after `await`: use the static `Loop.run()` there.
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

  /// Waits until only the caller keeps the main loop alive, `stop()` is called, or the task is canceled.
  ///
  /// Use it at the top level of `main.swift`, where `await Loop.main.run()` would choose the synchronous form:
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
  /// Use it in a synchronous main if a task awaits something unknown to the loop, such as `Task.sleep` or another
  /// actor. Throws the error of the task, or `LoopClosed` if `stop()` is called first.
  @available(*, noasync, message: "in async code, await the value of the task")
  public func run<Success: Sendable, Failure: Error>(until task: Task<Success, Failure>) throws -> Success {
    // Used by a job of this loop and after the loop has returned: both on this thread.
    nonisolated(unsafe) var result: Result<Success, Failure>?
    // Likewise: read by that job, disposed after the loop has returned.
    nonisolated(unsafe) let wait = SimpleDisposable()
    let mailbox = mailbox
    Task {
      let outcome = await task.result
      _ = mailbox.post {
        // A task that nobody waits for any longer must not end a later run.
        if wait.isDisposed { return }
        result = outcome
        mailbox.loop?.end()
      }
    }
    host { run() }
    wait.dispose()
    guard let result else { throw LoopClosed() }
    return try result.get()
  }

  /// Runs the loop until `stream` emits its first element, and returns that element:
  /// `Loop.main.run(until: .signal(.interrupt))`.
  ///
  /// Returns nil if the stream completes without an element or `stop()` is called first. Throws the failure if the
  /// operation fails first. The subscription is disposed before this method returns. The compiler passes `file` and
  /// `line`, which name it in recordings and in reports of leaks.
  @available(*, noasync, message: "in async code, await firstValue() of the stream")
  public func run<Element, Failure: Error>(
    until stream: Operation<Element, Failure>, file: StaticString = #fileID, line: UInt = #line
  ) throws(Failure) -> Element? {
    var event: Event<Element, Failure>?
    let subscription = stream.take(1).observe(file: file, line: line) { [unowned self] next in
      if event == nil { event = next }
      end()
    }
    // A stream that emits at once has already ended a loop that does not run yet.
    if event == nil { host { run() } }
    subscription.dispose()
    switch event {
    case .next(let element): return element
    case .failed(let error): throw error
    case .completed, nil: return nil
    }
  }

  /// Runs an async program on the main loop. Starts `body` on the main actor, runs the loop until `body` has returned,
  /// and returns its result.
  ///
  /// Call it from synchronous code on the main thread. A program whose main is async does not need it.
  /// Throws the error of `body`, or `LoopClosed` if the main loop is stopped before `body` has returned.
  @available(*, noasync, message: "in async code, await the work itself")
  public static func run<Result>(_ body: @escaping @MainActor () async throws -> Result) throws -> Result {
    let loop = Loop.main
    // Used by a task of the main actor and after the loop has returned: both on the main thread.
    nonisolated(unsafe) var result: Swift.Result<Result, any Error>?
    // Likewise: read by that task, disposed after the loop has returned.
    nonisolated(unsafe) let wait = SimpleDisposable()
    Task { @MainActor in
      do {
        result = .success(try await body())
      } catch {
        result = .failure(error)
      }
      if !wait.isDisposed { Loop.main.end() }
    }
    loop.host { loop.run() }
    wait.dispose()
    guard let result else { throw LoopClosed() }
    return try result.get()
  }

  /// Makes `run()` return after the current loop iteration, or after the first one if that has not begun. A task that awaits
  /// `run()` resumes.
  ///
  /// Does nothing if the loop is not running. From other threads, use `Queue.main.stop()`. Traps in a program whose
  /// main is async if no task awaits `run()`, because the main actor needs the loop until the program ends.
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

  /// Makes the innermost synchronous `run()` return, whatever else is pending.
  func end() {
    service.isEnding = true
    service.isStopping = true
    if service.isPolling { uv_stop(uv) }
  }

  /// Runs the loop of a queue's thread: it waits for posted jobs even if nothing else is left.
  func runForever() { host { run() } }

  /// Serves the main thread of a program whose main is async, until the program exits.
  static func serveAsyncMain() -> Never {
    // Before the first suspension, nothing shows that main is async.
    if let loop = Loop.mainLoop, loop.isClosed { loop.shutDownInAsyncMain() }
    let loop = Loop.main
    loop.service.source.take()?.cancel()
    // Before the main queue is drained: jobs that wait there are part of the async main already.
    loop.service.runner = .asyncMain
    let mainQueue = MainQueueHandle(entering: loop)
    loop.host { while true { loop.serve(mainQueue) } }
    fatalError("unreachable")
  }

  /// Runs loop iterations until the loop is to stop or nothing keeps it alive.
  private func serve(_ mainQueue: MainQueueHandle?) {
    var hasWorked = false
    var hasIterated = false
    service.hasRun = true
    #if Tracing
    iterations?.begin()
    #endif
    while true {
      mailbox.drain()
      // A job that waited before the first iteration can call stop(), which lets that iteration take place.
      if !service.isStopping || (!hasIterated && !service.isEnding) {
        if !hasWorked { hasWorked = uv_loop_alive(uv) != 0 || !mailbox.isEmpty }
        if uv_loop_alive(uv) != 0 { service.turns &+= 1 }
        hasIterated = true
        service.isPolling = true
        uv_run(uv, service.isStopping ? UV_RUN_NOWAIT : UV_RUN_DEFAULT)
        service.isPolling = false
      }
      if service.isStopping { break }
      // Checked first, so that a job that the last one leaves in the main queue is found afterwards.
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

  /// Runs `body`. Meanwhile, the loop waits for posted jobs even if nothing else is left.
  private func host<Result>(_ body: () -> Result) -> Result {
    service.hosts += 1
    updateReference()
    defer {
      service.hosts -= 1
      if !isClosed { updateReference() }
    }
    return body()
  }

  /// Makes libuv count the handle that stands for hosts and waits, if there are any. Hosts do not count while tasks
  /// await `run()`.
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

  /// Runs `body` when only the hosts keep the loop alive; at once if the loop is closing or closed.
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
