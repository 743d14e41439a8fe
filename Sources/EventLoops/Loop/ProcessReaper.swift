import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits for the children whose handles were closed before their end, so that none stays in the system's table: a zombie
/// would be there for as long as this process, and in the way of whoever waits for any child.
///
/// Lives on the package's own loop, and watches for `SIGCHLD` while there is somebody to wait for.
final class ProcessReaper {
  // Touched on the keeper's thread alone.
  nonisolated(unsafe) private static let shared = ProcessReaper()
  private var pids: Set<Int32> = []
  private var signal: SignalHandle?

  private init() {}

  /// From any thread: nobody else may wait for `pid`.
  static func adopt(_ pid: Int32) { Queue.shared.async { shared.add(pid) } }

  private func add(_ pid: Int32) {
    pids.insert(pid)
    if signal == nil {
      // Without it those are found that have ended when the next one is adopted.
      signal = LiveResources.$current.withValue(nil) { try? SignalHandle() }
      try? signal?.start(.child) { [unowned self] _ in reap() }
    }
    reap()
  }

  private func reap() {
    // Zero: it runs on.
    for pid in pids where waitpid(pid, nil, WNOHANG) != 0 { pids.remove(pid) }
    if pids.isEmpty {
      signal?.dispose()
      signal = nil
    }
  }
}

@available(*, unavailable)
extension ProcessReaper: Sendable {}

extension Queue {
  /// The package's own queue: for what belongs to no loop of the program's. Its loop never shuts down, and no test counts it
  /// as its own.
  static let shared = {
    let queue = LiveResources.$current.withValue(nil) { Queue(label: "headwater") }
    queue.async { HomeThread.settleNothing() }
    return queue
  }()
}
