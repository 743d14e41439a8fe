import CUV
import Dispatch
import Streams

/// Serves the main loop from `DispatchQueue.main`, for a program whose main thread is in Foundation's run loop.
///
/// libuv's descriptor and its next timeout become two libdispatch sources. Each one runs the loop once, without
/// waiting. Everything here is used on the main thread.
final class MainQueueSource {
  private unowned let loop: Loop
  private let descriptor: any DispatchSourceRead
  private let timer: any DispatchSourceTimer
  private var isTurnRequested = false

  init(_ loop: Loop) {
    self.loop = loop
    descriptor = DispatchSource.makeReadSource(fileDescriptor: uv_backend_fd(loop.uv), queue: .main)
    timer = DispatchSource.makeTimerSource(queue: .main)
    descriptor.setEventHandler { [mailbox = loop.mailbox] in mailbox.loop?.service.source?.turn() }
    timer.setEventHandler { [mailbox = loop.mailbox] in mailbox.loop?.service.source?.turn() }
    descriptor.activate()
    timer.activate()
  }

  func cancel() {
    descriptor.cancel()
    timer.cancel()
  }

  /// Runs the loop soon, because a handle or a deadline has been added outside of it.
  func requestTurn() {
    if isTurnRequested || loop.service.isRunning { return }
    isTurnRequested = true
    DispatchQueue.main.async { [mailbox = loop.mailbox] in mailbox.loop?.service.source?.turn() }
  }

  func turn() {
    isTurnRequested = false
    if loop.isClosed || loop.service.isRunning { return }
    loop.service.isPolling = true
    loop.service.hasRun = true
    loop.mailbox.drain()
    #if Tracing
    loop.iterations?.begin()
    #endif
    uv_run(loop.uv, UV_RUN_NOWAIT)
    loop.service.isPolling = false
    if loop.isClosed { return }
    if uv_loop_alive(loop.uv) == 0, loop.mailbox.isEmpty { loop.resumeWaiters() }
    // The callbacks may have taken long since the time that the loop knows.
    uv_update_time(loop.uv)
    let timeout = uv_backend_timeout(loop.uv)
    if timeout == 0 || !loop.mailbox.isEmpty {
      requestTurn()
    } else {
      let deadline = timeout < 0 ? .distantFuture : DispatchTime.now() + .milliseconds(Int(timeout))
      timer.schedule(deadline: deadline, leeway: .nanoseconds(0))
    }
  }
}

extension Loop {
  /// Serves the loop from the main queue if another run loop, such as `RunLoop.main.run()`, drains that queue.
  func serveFromMainQueueIfNeeded() {
    if service.source != nil { return }
    let mailbox = mailbox
    DispatchQueue.main.async {
      // `dispatchMain()` drains the main queue on other threads. The end of the main thread has trapped by then.
      guard HomeThread.isMain, let loop = mailbox.loop, !loop.isClosed, !loop.service.isRunning,
        loop.service.source == nil
      else { return }
      loop.service.runner = .mainQueue
      let source = MainQueueSource(loop)
      loop.service.source = source
      source.turn()
    }
  }
}
