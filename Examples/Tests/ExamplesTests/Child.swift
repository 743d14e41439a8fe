import Foundation
import Testing

/// A running program with its standard streams in pipes. It is killed on deallocation.
///
/// Its methods block, so use it on its own thread.
final class Child {
  /// The time limit of a wait. It affects only failing tests.
  static let patience = Duration.seconds(100)

  let pid: pid_t
  /// The standard output so far.
  private(set) var output = ""
  /// The standard error so far.
  private(set) var errors = ""
  /// The bytes of standard output, for output that is not text.
  private(set) var bytes: [UInt8] = []
  private var input: Int32
  /// The descriptors of standard output and standard error. -1 after the end.
  private var ends: [Int32]
  private let name: String
  private var status: Int32?

  /// Starts the example beside the running tests.
  convenience init(_ example: String, _ arguments: [String] = []) throws {
    try self.init(path: Self.path(of: example), arguments)
  }

  /// Starts the example with `/dev/full` as its standard output, where each write fails.
  convenience init(onFullDisk example: String, _ arguments: [String]) throws {
    try self.init(path: "/bin/sh", ["-c", #"exec "$0" "$@" >/dev/full"#, Self.path(of: example)] + arguments)
  }

  private static func path(of example: String) throws -> String {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(example).path
  }

  /// Starts the program at `path`.
  init(path: String, _ arguments: [String]) throws {
    name = URL(fileURLWithPath: path).lastPathComponent
    let started = Self.spawn([path] + arguments)
    pid = started.pid
    (input, ends) = (started.input, [started.output, started.errors])
    try #require(pid > 0, "cannot start \(path)")
  }

  deinit {
    if status == nil {
      kill(pid, SIGKILL)
      var ignored: Int32 = 0
      waitpid(pid, &ignored, 0)
    }
    for descriptor in ends + [input] where descriptor >= 0 { close(descriptor) }
  }

  /// Reads until `condition` holds. Throws when both outputs have ended, or after `patience`.
  func wait(
    for what: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation,
    until condition: (Child) throws -> Bool
  ) throws {
    let end = ContinuousClock.now + Self.patience
    while try !condition(self) {
      guard ContinuousClock.now < end, ends != [-1, -1] else { throw failure(what(), sourceLocation) }
      read(.milliseconds(500))
    }
  }

  private func failure(_ what: String, _ sourceLocation: SourceLocation) -> any Error {
    Issue.record(
      "\(name) did not get to: \(what). Output: \(output.suffix(2000)) Errors: \(errors.suffix(2000))",
      sourceLocation: sourceLocation)
    return CancellationError()
  }

  /// Reads until the output contains `text`.
  func wait(forOutput text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try wait(for: text, sourceLocation: sourceLocation) { $0.output.contains(text) }
  }

  /// Reads until standard error contains `text`.
  func wait(forErrors text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try wait(for: text, sourceLocation: sourceLocation) { $0.errors.contains(text) }
  }

  /// The complete lines of the output so far.
  var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }

  /// Writes to its standard input.
  func write(_ text: String) { write(Array(text.utf8)) }

  /// Writes to its standard input. Blocks until the program has read enough.
  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Closes its standard input.
  func closeInput() {
    close(input)
    input = -1
  }

  /// Returns the resident memory of the program in bytes.
  func memory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(line.split(separator: " ").compactMap { Int($0) }.first) << 10
  }

  /// Whether the programs are built with a sanitizer.
  static let isSanitized = ProcessInfo.processInfo.environment["HEADWATER_SANITIZER"] != nil

  func signal(_ signal: Int32) { kill(pid, signal) }

  /// Waits for the end, and reads the rest of the output. Returns the exit code, or the negative number of the signal.
  func end(by signal: Int32? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws -> Int32 {
    if let signal { kill(pid, signal) }
    let end = ContinuousClock.now + Self.patience
    var raw: Int32 = 0
    while waitpid(pid, &raw, WNOHANG) != pid {
      guard ContinuousClock.now < end else { throw failure("its end", sourceLocation) }
      // If both outputs have ended, the program is about to end.
      if ends == [-1, -1] { usleep(1000) } else { read(.milliseconds(20)) }
    }
    status = raw
    // Reads what is left, and does not wait for the end: a descendant may still have the pipes.
    while read(.zero) {}
    return raw & 0x7F == 0 ? raw >> 8 & 0xFF : -(raw & 0x7F)
  }

  /// Reads the output that is available within `patience`. Returns false if there is none.
  @discardableResult
  private func read(_ patience: Duration) -> Bool {
    let open = ends.indices.filter { ends[$0] >= 0 }
    var polled = open.map { pollfd(fd: ends[$0], events: Int16(POLLIN), revents: 0) }
    let milliseconds = Int32(patience / .milliseconds(1))
    guard !polled.isEmpty, poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return false }
    var chunk = [UInt8](repeating: 0, count: 65_536)
    for (index, entry) in zip(open, polled) where entry.revents != 0 {
      let count = Foundation.read(entry.fd, &chunk, chunk.count)
      guard count > 0 else {
        close(entry.fd)
        ends[index] = -1
        continue
      }
      if index == 1 {
        errors += String(decoding: chunk[..<count], as: UTF8.self)
      } else {
        bytes += chunk[..<count]
        output += String(decoding: chunk[..<count], as: UTF8.self)
      }
    }
    return true
  }
}

extension Child {
  /// Serializes spawning, so that no child inherits a pipe of another child.
  private static let lock = NSLock()

  private static func spawn(_ arguments: [String]) -> (pid: pid_t, input: Int32, output: Int32, errors: Int32) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    // The threads that run tests block signals, and children inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    // Globals live until the program ends, and the leak checker cannot follow the packed pointers of weakly held objects.
    let environment = ProcessInfo.processInfo.environment.merging(["ASAN_OPTIONS": "detect_leaks=0"]) { $1 }
    let argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    let envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
      for pointer in argv + envp { free(pointer) }
    }
    return lock.withLock {
      var pipes: [Int32] = [-1, -1, -1, -1, -1, -1]
      _ = pipes.withUnsafeMutableBufferPointer {
        (pipe($0.baseAddress!), pipe($0.baseAddress! + 2), pipe($0.baseAddress! + 4))
      }
      for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      posix_spawn_file_actions_adddup2(&actions, pipes[0], 0)
      posix_spawn_file_actions_adddup2(&actions, pipes[3], 1)
      posix_spawn_file_actions_adddup2(&actions, pipes[5], 2)
      var child: pid_t = -1
      if posix_spawn(&child, arguments[0], &actions, &attributes, argv, envp) != 0 { child = -1 }
      for end in [pipes[0], pipes[3], pipes[5]] { close(end) }
      return (child, pipes[1], pipes[2], pipes[4])
    }
  }
}
