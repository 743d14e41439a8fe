import Streams

/// How a loop is being run, and what keeps it running besides its handles, requests, and deadlines.
struct LoopService {
  enum Runner {
    case nothing
    /// `run()`, from synchronous code.
    case run
    /// The concurrency runtime: the program's main is async, and the loop is the main thread's executor.
    case asyncMain
    /// The main queue, drained by Foundation's run loop.
    case mainQueue
  }

  var runner = Runner.nothing
  /// Inside `uv_run`.
  var isPolling = false
  /// False until the loop runs for the first time.
  var hasRun = false
  /// How often the loop has begun to wait although something kept it alive.
  var turns = 0
  var isStopping = false
  /// Set with `isStopping` if waiting calls of the asynchronous `run()` do not hold the loop back.
  var isEnding = false
  /// Calls that run the loop until they say so, even if nothing else keeps it alive: a queue's thread, an async main,
  /// `Loop.run { … }`, and `run(until:)`.
  var hosts = 0
  /// The number of waits by what they wait for.
  var waits: [String: Int] = [:]
  var waitCount = 0
  /// Tasks of the main actor run on the global executor at the moment, and will come back.
  var awaitsJobs = false
  /// Whether libuv counts the handle that stands for hosts and waits.
  var isReferenced = true
  /// Tasks that await `run()`.
  var waiters: [RunWaiter] = []
  /// Serves the loop from the main queue if a foreign run loop drains that queue.
  var source: MainQueueSource?

  var isRunning: Bool { runner == .run || runner == .asyncMain || isPolling }

  var isAsyncMain: Bool { runner == .asyncMain }
}

/// Somebody who waits until nothing else keeps a loop alive: a task that awaits `Loop.run()`.
final class RunWaiter {
  private var resumption: (() -> Void)?
  private(set) var isResumed = false

  /// Runs `resumption` when the wait is over, at once if it is.
  func wait(_ resumption: @escaping () -> Void) {
    if isResumed { resumption() } else { self.resumption = resumption }
  }

  func resume() {
    isResumed = true
    resumption.take()?()
  }
}
