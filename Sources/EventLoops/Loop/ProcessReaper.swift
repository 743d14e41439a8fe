import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reaps the children whose handles were closed before the children ended.
///
/// Otherwise each of them would stay in the system's process table as a zombie for the life of this process, and would
/// disturb code that waits for any child. Lives on the package's own loop, and watches for `SIGCHLD` while there is a
/// child to wait for.
final class ProcessReaper {
  // Used on the thread of `Queue.shared` only.
  nonisolated(unsafe) private static let shared = ProcessReaper()
  private var pids: Set<Int32> = []
  private var signal: SignalHandle?

  private init() {}

  /// Adopts the child `pid`, from any thread. No other code may wait for `pid`.
  static func adopt(_ pid: Int32) { Queue.shared.async { shared.add(pid) } }

  private func add(_ pid: Int32) {
    pids.insert(pid)
    if signal == nil {
      // If the handle fails, ended children are found when the next one is adopted.
      signal = LiveResources.$current.withValue(nil) { try? SignalHandle() }
      try? signal?.start(.child) { [unowned self] _ in reap() }
    }
    reap()
  }

  private func reap() {
    // Zero means that the child still runs.
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
  /// The package's own queue, for work that belongs to no loop of the program. Its loop never shuts down, and the leak
  /// checks of tests do not count it.
  static let shared = {
    let queue = LiveResources.$current.withValue(nil) { Queue(label: "headwater") }
    queue.async { HomeThread.settleNothing() }
    return queue
  }()
}
