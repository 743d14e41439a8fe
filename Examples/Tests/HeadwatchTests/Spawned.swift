import Foundation

/// A child process, and the read ends of its pipes.
struct Spawned {
  var pid: pid_t = -1
  var outputEnd: Int32 = -1
  var errorEnd: Int32 = -1

  /// Serializes the starts, so that no child inherits a pipe of another one.
  private static let lock = NSLock()

  init(_ arguments: [String], environment: [String: String], capturing: Bool) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    // The threads that run tests block signals, and child processes would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    let envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
      for pointer in argv + envp { free(pointer) }
    }
    Self.lock.withLock {
      var ends: [Int32] = [-1, -1, -1, -1]
      if capturing {
        _ = ends.withUnsafeMutableBufferPointer { (pipe($0.baseAddress!), pipe($0.baseAddress! + 2)) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[3], 2)
      }
      var child: pid_t = -1
      if posix_spawn(&child, "/bin/sh", &actions, &attributes, argv, envp) == 0 { pid = child }
      if capturing {
        close(ends[1])
        close(ends[3])
        (outputEnd, errorEnd) = (ends[0], ends[2])
      }
    }
  }
}
