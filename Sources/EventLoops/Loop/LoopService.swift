import Streams

/// How a loop is being run, and what keeps it alive besides its handles, requests, and deadlines.
struct LoopService {
  enum Runner {
    case nothing
    /// `run()`, from synchronous code.
    case run
    /// The concurrency runtime. The program's main is async, and the loop is the main thread's executor.
    case asyncMain
    /// The main queue, which Foundation's run loop drains.
    case mainQueue
  }

  var runner = Runner.nothing
  /// True inside `uv_run`.
  var isPolling = false
  /// False until the loop runs for the first time.
  var hasRun = false
  /// How often `uv_run` has been entered while something kept the loop alive.
  var turns = 0
  var isStopping = false
  /// Set with `isStopping` if calls that await the asynchronous `run()` do not hold the loop back.
  var isEnding = false
  /// The number of calls that run the loop until they end it themselves, even if nothing else keeps it alive: a queue's
  /// thread, an async main, `Loop.run { … }`, and `run(until:)`.
  var hosts = 0
  /// The number of waits, by the reason for the wait.
  var waits: [String: Int] = [:]
  var waitCount = 0
  /// True while tasks of the main actor run on the global executor and will return.
  var awaitsJobs = false
  /// True if libuv counts the handle that stands for hosts and waits.
  var isReferenced = true
  /// The tasks that await `run()`.
  var waiters: [RunWaiter] = []
  /// Serves the loop from the main queue if a foreign run loop drains that queue.
  var source: MainQueueSource?

  var isRunning: Bool { runner == .run || runner == .asyncMain || isPolling }

  var isAsyncMain: Bool { runner == .asyncMain }
}

/// A wait until nothing else keeps a loop alive, such as a task that awaits `Loop.run()`.
final class RunWaiter {
  private var resumption: (() -> Void)?
  private(set) var isResumed = false

  /// Runs `resumption` when the wait is over; at once if it is over already.
  func wait(_ resumption: @escaping () -> Void) {
    if isResumed { resumption() } else { self.resumption = resumption }
  }

  func resume() {
    isResumed = true
    resumption.take()?()
  }
}
