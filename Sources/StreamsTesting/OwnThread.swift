#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs `body` on a new thread, and returns its result without blocking a thread of the concurrency pool.
///
/// Use it for code that blocks or belongs to one thread, such as a loop:
/// ```swift
/// let ticks = try await onOwnThread {
///   let loop = Loop()
///   var ticks: [Int] = []
///   let subscription = Stream.interval(.milliseconds(1)).take(3).observeNext { ticks.append($0) }
///   loop.run()
///   subscription.dispose()
///   loop.shutdown()
///   return ticks
/// }
/// #expect(ticks == [0, 1, 2])
/// ```
/// `body` runs in a task that inherits the task-local values of the caller. So its issues belong to the test, and its resources are counted
/// with those of the test. The thread ends with the task.
public func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await Task(executorPreference: ThreadExecutor()) { try body() }.value
}

/// An executor that runs each job on a new thread. A task that never suspends is one job.
private final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    startThread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

private func startThread(_ body: @escaping @Sendable () -> Void) {
  let box = Unmanaged.passRetained(ThreadBody(body))
  #if canImport(Darwin)
  var thread: pthread_t?
  #else
  var thread = pthread_t()
  #endif
  let status = pthread_create(
    &thread, nil,
    { pointer in
      Unmanaged<ThreadBody>.fromOpaque(pointer!).takeRetainedValue().run()
      return nil
    }, box.toOpaque())
  precondition(status == 0, "The system has no room for another thread (pthread_create: \(status)).")
  #if canImport(Darwin)
  if let thread { pthread_detach(thread) }
  #else
  pthread_detach(thread)
  #endif
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
