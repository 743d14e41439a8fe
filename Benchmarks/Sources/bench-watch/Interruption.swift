import Glibc
import Synchronization

/// Kills the watchers and removes the trees if the measurement is interrupted. The watchers have their own process
/// groups, so the signal of the terminal does not reach them.
nonisolated enum Interruption {
  private static let groups = Mutex<Set<pid_t>>([])
  /// The directory to remove.
  static let root = Mutex<String>("")

  static func add(_ group: pid_t) { groups.withLock { _ = $0.insert(group) } }

  static func remove(_ group: pid_t) { groups.withLock { _ = $0.remove(group) } }

  /// The signals that interrupt the measurement.
  static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    return signals
  }

  /// Handles the signals from now on. Call this before anything is started, because threads and child processes inherit the
  /// set of blocked signals.
  static func await() {
    var signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { @Sendable _ in
        var signals = Interruption.signals
        var signal: Int32 = 0
        sigwait(&signals, &signal)
        for group in Interruption.groups.withLock({ $0 }) { kill(-group, SIGKILL) }
        let root = Interruption.root.withLock { $0 }
        if !root.isEmpty { shell("rm -rf '\(root)'") }
        exit(128 + signal)
      }, nil)
  }
}
