import CUV
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The threads of libuv's pool. libuv starts all of them for the first request, and aborts the program if it gets fewer.
enum PoolThreads {
  private enum State { case unused, missing, there }

  private static let state = Lock(State.unused)

  /// Returns 0 if libuv has its threads, or can start them now, and otherwise the error of the system.
  static func tryStart() -> Int32 {
    let (status, isNews) = state.withLock { state -> (Int32, Bool) in
      if state == .there { return (0, false) }
      let (status, before) = (tryThreads(), state)
      state = status == 0 ? .there : .missing
      return (status, before != state)
    }
    if status != 0, isNews {
      Diagnostics.report(
        """
        The system has no threads for libuv's pool, so that requests fail and jobs wait: \
        \(UVError(code: status, call: "uv_thread_create")). End some threads, or raise the limit (ulimit -u, ulimit -v, \
        or the limit of the container).
        """)
    }
    return status
  }

  /// Starts as many threads at the same time as libuv will, and ends them.
  private static func tryThreads() -> Int32 {
    let gate = Lock(())
    var threads: [uv_thread_t] = []
    let status = gate.withLock { _ in
      for _ in 0..<count {
        var thread = uv_thread_t(bitPattern: 0)
        let context = Unmanaged.passRetained(gate)
        let status = uv_thread_create(
          &thread, { Unmanaged<Lock<Void>>.fromOpaque($0!).takeRetainedValue().withLock { _ in } }, context.toOpaque())
        if status != 0 {
          context.release()
          return status
        }
        threads.append(thread)
      }
      return 0
    }
    for var thread in threads { uv_thread_join(&thread) }
    return status
  }

  /// How many threads libuv starts.
  private static var count: Int {
    guard let size = getenv("UV_THREADPOOL_SIZE") else { return 4 }
    return min(max(Int(atoi(size)), 1), 1024)
  }
}
