import Foundation
import Testing

/// The built `headwatch` as a child process of the test. Its output is read without blocking.
///
/// When this object is deallocated, the program and all processes that it has started are killed.
final class Program {
  /// The time after which a wait fails. It only determines how long a failure takes.
  static let deadline = Duration.seconds(60)

  let pid: pid_t
  private(set) var output: [UInt8] = []
  private(set) var errors: [UInt8] = []
  private var newlines = 0
  /// Retained so that the directory exists while the program runs in it.
  private let directory: Scratch
  private var outputEnd: Int32
  private var errorEnd: Int32
  private var status: Int32?

  /// The path of the program, which is beside the test executable.
  static var path: String {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: tests ?? CommandLine.arguments[0]).deletingLastPathComponent().path + "/headwatch"
  }

  /// Starts the program in the watched directory. `output` and `input` are files that replace standard output and
  /// standard input. `running` is another program that is started instead, and that later executes headwatch.
  init(
    _ arguments: [String], in directory: Scratch, environment: [String: String] = [:], output: String? = nil,
    input: String? = nil, running: String? = nil
  ) throws {
    try #require(access(Self.path, X_OK) == 0, "headwatch is not built beside the tests, at \(Self.path)")
    self.directory = directory
    var values = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    values["TMPDIR"] = environment["TMPDIR"] ?? directory.outside
    // A shell changes the directory, because Swift does not import the C library's function for that.
    let words =
      [
        "sh", "-c", "cd \"$0\" && exec \"$@\"\(output.map { " >'\($0)'" } ?? "")\(input.map { " <'\($0)'" } ?? "")",
        directory.path, running ?? Self.path,
      ] + arguments
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

  /// Whether the program is built with a sanitizer.
  static let isSanitized = ProcessInfo.processInfo.environment["HEADWATER_SANITIZER"] != nil

  /// Standard output so far.
  var text: String {
    read()
    return String(decoding: output, as: UTF8.self)
  }

  /// The complete lines of standard output so far.
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

  /// Waits until `condition` holds. Records an issue and throws if it does not hold by the deadline.
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

  /// Waits until the program reports files that are created for this purpose. Discards the output so far.
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

  /// Waits until the program has at least `watches` watches and sleeps. Changes nothing in the directory.
  func waitUntilAsleep(watches: Int, in directory: Scratch) async throws {
    try await wait(for: "the watch") { directory.watches(of: pid) >= watches && directory.isAsleep(pid) }
  }

  func send(_ signal: Int32) { kill(pid, signal) }

  /// Waits for the end of the program. Returns the exit code, or the negative number of the signal.
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

  /// Closes the read end of the program's standard output.
  func closeOutput() {
    if outputEnd >= 0 { close(outputEnd) }
    outputEnd = -1
  }

  /// Returns the process groups of the children of a process, without its own group.
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

    /// Returns the living members of a group.
    static func living(in group: pid_t) -> [pid_t] { all.filter { $0.group == group && !$0.isZombie }.map(\.pid) }
  }
}
