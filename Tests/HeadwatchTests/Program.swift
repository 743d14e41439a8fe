import Foundation
import Testing

/// The built `headwatch` as a child of the test, with its output read without blocking.
///
/// It is killed with everything it has started when the test lets go of it.
final class Program {
  /// What a wait gives up after. It decides nothing but how long a failure takes.
  static let deadline = Duration.seconds(20)

  let pid: pid_t
  private(set) var output: [UInt8] = []
  private(set) var errors: [UInt8] = []
  private var newlines = 0
  /// Kept for as long as the program runs there.
  private let directory: Scratch
  private var outputEnd: Int32
  private var errorEnd: Int32
  private var status: Int32?

  /// The program beside the running tests.
  static var path: String {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: tests ?? CommandLine.arguments[0]).deletingLastPathComponent().path + "/headwatch"
  }

  /// Starts it in what `directory` watches; with `output`, standard output goes to that file instead.
  init(
    _ arguments: [String], in directory: Scratch, environment: [String: String] = [:], output: String? = nil
  ) throws {
    try #require(access(Self.path, X_OK) == 0, "headwatch is not built beside the tests, at \(Self.path)")
    self.directory = directory
    var values = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    values["TMPDIR"] = directory.outside
    // A shell enters the directory: the C library's function for that is hidden from Swift.
    let words =
      ["sh", "-c", "cd \"$0\" && exec \"$@\"\(output.map { " >'\($0)'" } ?? "")", directory.path, Self.path] + arguments
    let child = Spawned(words, environment: values, capturing: true)
    pid = child.pid
    outputEnd = child.outputEnd
    errorEnd = child.errorEnd
    try #require(pid > 0, "cannot start headwatch")
    for end in [outputEnd, errorEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    if status == nil {
      let groups = Self.groups(of: pid)
      kill(pid, SIGKILL)
      for group in groups { kill(-group, SIGKILL) }
      var ignored: Int32 = 0
      waitpid(pid, &ignored, 0)
    }
    closeOutput()
    close(errorEnd)
  }

  /// Standard output so far.
  var text: String {
    read()
    return String(decoding: output, as: UTF8.self)
  }

  /// The lines of standard output so far that are complete.
  var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }

  /// The number of lines of standard output so far.
  var lineCount: Int {
    let before = output.count
    read()
    newlines += output[before...].count { $0 == 0x0A }
    return newlines
  }

  /// Standard error so far.
  var errorText: String {
    read()
    return String(decoding: errors, as: UTF8.self)
  }

  /// Waits until `condition` holds, and records an issue when it does not within the deadline.
  func wait(
    for what: Comment, every interval: Duration = .milliseconds(3), sourceLocation: SourceLocation = #_sourceLocation,
    until condition: () throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + Self.deadline
    while try !condition() {
      guard ContinuousClock.now < end else {
        Issue.record(
          "Waited in vain for \(what). Output: \(text.suffix(2000)) Errors: \(errorText)",
          sourceLocation: sourceLocation)
        throw CancellationError()
      }
      try await Task.sleep(for: interval)
    }
  }

  /// Waits until the watch stands: until a file that is made for this is reported. What was printed before is forgotten.
  func waitUntilWatching(_ directory: Scratch) async throws {
    var attempt = 0
    try await wait(for: "the watch to stand") {
      attempt += 1
      directory.write("probe.\(attempt)", "")
      return text.contains("probe.")
    }
    directory.write("probe.last", "")
    try await wait(for: "the last probe") { text.contains("probe.last") }
    for number in 1...attempt { directory.remove("probe.\(number)") }
    directory.remove("probe.last")
    try await wait(for: "the probes to go") { lines.contains { $0.contains("removed") && $0.contains("probe.last") } }
    output = []
    newlines = 0
  }

  func send(_ signal: Int32) { kill(pid, signal) }

  /// Waits for the end: the exit code, or minus the signal.
  func exitCode(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Int32 {
    var raw: Int32 = 0
    try await wait(for: "the end of headwatch", sourceLocation: sourceLocation) {
      read()
      return waitpid(pid, &raw, WNOHANG) == pid
    }
    status = raw
    read()
    return raw & 0x7F == 0 ? raw >> 8 & 0xFF : -(raw & 0x7F)
  }

  /// Closes the reading end of its standard output.
  func closeOutput() {
    if outputEnd >= 0 { close(outputEnd) }
    outputEnd = -1
  }

  /// The groups, other than its own, that children of a process lead or are in.
  static func groups(of parent: pid_t) -> Set<pid_t> {
    Set(Process.all.filter { $0.parent == parent && $0.group != getpgid(parent) }.map(\.group))
  }

  private func read() {
    Self.drain(outputEnd, into: &output)
    Self.drain(errorEnd, into: &errors)
  }

  private static func drain(_ descriptor: Int32, into buffer: inout [UInt8]) {
    guard descriptor >= 0 else { return }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { chunk in
      while true {
        let count = Foundation.read(descriptor, chunk.baseAddress, chunk.count)
        guard count > 0 else { return }
        buffer.append(contentsOf: chunk[..<count])
      }
    }
  }

  /// A process of the system, from `/proc`.
  struct Process {
    let pid: pid_t
    let parent: pid_t
    let group: pid_t
    let isZombie: Bool

    static var all: [Process] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.compactMap { name in
        guard let pid = pid_t(name), let text = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .isoLatin1),
          let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 2, let parent = pid_t(fields[1]), let group = pid_t(fields[2]) else { return nil }
        return Process(pid: pid, parent: parent, group: group, isZombie: fields[0] == "Z" || fields[0] == "X")
      }
    }

    /// The living members of a group.
    static func living(in group: pid_t) -> [pid_t] { all.filter { $0.group == group && !$0.isZombie }.map(\.pid) }
  }
}

/// A directory for one test, and one beside it that is not watched.
final class Scratch {
  /// What is watched.
  let path: String
  /// Beside it.
  let outside: String
  private let parent: String

  init() {
    var template = Array("/tmp/headwatch-tests-XXXXXX".utf8CString)
    parent = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    path = parent + "/watched"
    outside = parent + "/outside"
    mkdir(path, 0o755)
    mkdir(outside, 0o755)
  }

  deinit { Self.shell("rm -rf '\(parent)'") }

  /// Writes a file below what is watched, in one go.
  func write(_ name: String, _ content: String) {
    let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    _ = content.utf8CString.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress!, $0.count - 1) }
    close(descriptor)
  }

  func remove(_ name: String) { unlink("\(path)/\(name)") }

  /// The content of a file beside what is watched, empty where there is none.
  func readOutside(_ name: String) -> String {
    (try? String(contentsOfFile: "\(outside)/\(name)", encoding: .utf8)) ?? ""
  }

  /// The number of directories and files that a process watches.
  func watches(of pid: pid_t) -> Int {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fdinfo")) ?? []
    let texts = descriptors.map { (try? String(contentsOfFile: "/proc/\(pid)/fdinfo/\($0)", encoding: .utf8)) ?? "" }
    return texts.reduce(0) { $0 + $1.components(separatedBy: "inotify wd:").count - 1 }
  }

  /// The most memory that a process has had, in bytes.
  func peakMemory(of pid: pid_t) -> Int {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    return (line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
  }

  /// How often a process has gone to sleep.
  func switches(of pid: pid_t) -> Int {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
    return line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
  }

  /// Runs a shell script in what is watched.
  func run(_ script: String) { Self.shell("cd '\(path)' && { \(script)\n}") }

  private static func shell(_ script: String) {
    let child = Spawned(["sh", "-c", script], environment: ProcessInfo.processInfo.environment, capturing: false)
    var status: Int32 = 0
    waitpid(child.pid, &status, 0)
  }
}

/// A started child and the reading ends of its pipes.
private struct Spawned {
  var pid: pid_t = -1
  var outputEnd: Int32 = -1
  var errorEnd: Int32 = -1

  /// One at a time: no child may inherit a pipe that is meant for another.
  private static let lock = NSLock()

  init(_ arguments: [String], environment: [String: String], capturing: Bool) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    // The threads that run tests block signals, and children inherit that.
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

/// A pseudo-terminal whose output is read.
final class Terminal {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  /// The file that stands for the terminal.
  let path: String

  init() throws {
    descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN: the functions of the C library for these are hidden from Swift.
    var lock: Int32 = 0
    var number: UInt32 = 0
    try #require(ioctl(descriptor, 0x4004_5431, &lock) == 0 && ioctl(descriptor, 0x8004_5430, &number) == 0)
    path = "/dev/pts/\(number)"
  }

  deinit { close(descriptor) }

  /// What has been written to it so far.
  var text: String {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
