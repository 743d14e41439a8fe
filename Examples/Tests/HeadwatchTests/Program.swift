import Foundation
import Testing

/// The built `headwatch` as a child of the test, with its output read without blocking.
///
/// It is killed with everything it has started when the test lets go of it.
final class Program {
  /// What a wait gives up after. It decides nothing but how long a failure takes.
  static let deadline = Duration.seconds(60)

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

  /// Starts it in what `directory` watches; with `output`, standard output goes to that file instead, and with `input`,
  /// standard input comes from that one. `running` runs something else, which becomes headwatch.
  init(
    _ arguments: [String], in directory: Scratch, environment: [String: String] = [:], output: String? = nil,
    input: String? = nil, running: String? = nil
  ) throws {
    try #require(access(Self.path, X_OK) == 0, "headwatch is not built beside the tests, at \(Self.path)")
    self.directory = directory
    var values = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    values["TMPDIR"] = directory.outside
    // A shell enters the directory: the C library's function for that is hidden from Swift.
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

  /// Waits until the program has a number of watches and sleeps, without changing anything in the directory.
  func waitUntilAsleep(watches: Int, in directory: Scratch) async throws {
    try await wait(for: "the watch") { directory.watches(of: pid) >= watches && directory.isAsleep(pid) }
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
