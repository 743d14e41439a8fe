import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Lines of a process", .noLiveResources)
struct ProcessLinesTests {
  private static func withLoop<Result: Sendable>(
    _ body: @escaping @Sendable (Loop) throws -> Result
  ) async throws -> Result {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      defer { guardian.dispose() }
      return try body(loop)
    }
  }

  private static func shell(_ script: String, errors: Bool = false) -> ProcessCommand {
    var command = ProcessCommand("/bin/sh", ["-c", script])
    if errors { command.errorOutput = .pipe }
    return command
  }

  private static func all(_ operation: Operation<ProcessEvent, FramingError<UVError>>) async throws -> [String] {
    try await withLoop { [operation = Unchecked(operation)] loop in
      var log: [String] = []
      let subscription = operation.value.observe(next: { log.append("\($0)") }, termination: { log.append("\($0)") })
      loop.run()
      #expect(subscription.isDisposed)
      return log
    }
  }

  /// Moves a value to the thread that uses it.
  private struct Unchecked<Value>: @unchecked Sendable {
    // Sendable, because an operation that has not been observed has no home.
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  @Test func `lines in their order, then the exit, then completed`() async throws {
    let log = try await Self.all(.lines(of: Self.shell("echo one; echo two; printf three; exit 3")))
    #expect(
      log == [
        #"line("one")"#, #"line("two")"#, #"line("three")"#, "exit(EventLoops.ProcessExit.exited(3))", "completed",
      ])
  }

  @Test func `standard error where the command asks for it; input ends after what is given`() async throws {
    let log = try await Self.all(.lines(of: Self.shell("cat; echo bad >&2", errors: true), input: "a\nb\n"))
    #expect(Set(log.prefix(3)) == [#"line("a")"#, #"line("b")"#, #"errorLine("bad")"#])
    #expect(log.suffix(2) == ["exit(EventLoops.ProcessExit.exited(0))", "completed"])
  }

  @Test func `a program that cannot be started fails; so does a line that is too long`() async throws {
    let missing = try await Self.all(.lines(of: ProcessCommand("/nonexistent/program")))
    #expect(missing.count == 1 && missing[0].contains("ENOENT"))
    let long = try await Self.all(.lines(of: Self.shell("echo short; yes | tr -d '\\n'"), lineLimit: 1000))
    #expect(long.count == 2 && long[1].contains("1000"))
  }

  /// Runs a shell with a child, both of which print their process IDs. Waits until both have done so, or until the time limit.
  private static func run(
    _ loop: Loop, _ trap: String, timeLimit: Duration? = nil, grace: Duration = .seconds(600),
    then body: (Subscription) -> Void
  ) throws -> (started: Int, errors: [UVError]) {
    var pids: [Int32] = []
    var errors: [UVError] = []
    let script = "\(trap) sh -c '\(trap) echo $$; while :; do sleep 0.01; done' & echo $$; wait"
    var subscription: Subscription?
    subscription = Operation.lines(of: shell(script), timeLimit: timeLimit, grace: grace).observe(
      next: { event in
        if case .line(let line) = event, let pid = Int32(line) { pids.append(pid) }
        if pids.count == 2, timeLimit == nil { loop.stop() }
      },
      termination: { if case .failed(.source(let error)) = $0 { errors.append(error) } })
    loop.run()
    if let subscription { body(subscription) }
    subscription = nil
    // Ending the processes keeps the loop alive.
    loop.run()
    for pid in pids {
      // An orphan is a zombie until init has waited for it.
      while kill(pid, 0) == 0, !isZombie(pid) { sched_yield() }
    }
    return (pids.count, errors)
  }

  private static func isZombie(_ pid: Int32) -> Bool {
    guard let file = fopen("/proc/\(pid)/stat", "r") else { return true }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 500)
    let count = fread(&bytes, 1, bytes.count, file)
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    return text.isEmpty || text.contains(") Z ") || text.contains(") X ")
  }

  @Test(arguments: [false, true])
  func `disposing ends the process and its descendants, also those that ignore SIGTERM`(_ ignores: Bool) async throws {
    let (started, errors) = try await Self.withLoop { loop in
      try Self.run(loop, ignores ? "trap \"\" TERM;" : "", grace: ignores ? .milliseconds(10) : .seconds(600)) {
        $0.dispose()
      }
    }
    #expect(started == 2)
    #expect(errors == [])
  }

  @Test
  func `a descendant that ignores SIGTERM is killed when the process has ended, without waiting for the grace period`()
    async throws
  {
    try await Self.withLoop { loop in
      var pid: Int32?
      let script = "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.01; done' & wait"
      let subscription = Operation.lines(of: Self.shell(script), grace: .seconds(600)).observe(
        next: { event in
          if case .line(let line) = event { pid = Int32(line) }
          loop.stop()
        }, termination: { _ in })
      loop.run()
      subscription.dispose()
      loop.run()
      while kill(pid ?? 0, 0) == 0, !Self.isZombie(pid ?? 0) { sched_yield() }
    }
  }

  @Test func `when time is up it fails, and the whole group ends`() async throws {
    let (started, errors) = try await Self.withLoop { loop in
      // On a machine under load, the processes may take longer to start, so the limit grows until it is long enough.
      var limit = Duration.milliseconds(300)
      while true {
        let run = try Self.run(loop, "", timeLimit: limit) { #expect($0.isDisposed) }
        if run.started == 2 || limit > .seconds(60) { return run }
        limit *= 4
      }
    }
    #expect(started == 2)
    #expect(errors.map(\.name) == ["ETIMEDOUT"])
    #expect(errors.first?.path == "/bin/sh")
  }

  @Test func `a loop that shuts down kills the group`() async throws {
    var pid: Int32 = 0
    pid = try await onOwnThread {
      let loop = Loop()
      var pid: Int32 = 0
      let script = "trap '' TERM; echo $$; while :; do sleep 0.01; done"
      let subscription = Operation.lines(of: Self.shell(script)).observe(
        next: { event in
          if case .line(let line) = event { pid = Int32(line) ?? 0 }
          loop.stop()
        }, termination: { _ in })
      loop.run()
      loop.shutdown()
      withExtendedLifetime(subscription) {}
      return pid
    }
    #expect(pid > 0)
    while kill(pid, 0) == 0, !Self.isZombie(pid) { await Task.yield() }
  }

  @Test func `a paused observer makes the process wait; nothing is lost, and the exit waits, too`() async throws {
    let (before, log) = try await Self.withLoop { loop in
      var log: [String] = []
      var subscription: Subscription?
      let timer = try TimerHandle()
      subscription = Operation.lines(of: Self.shell("seq 1 50000; exit 1")).observe(
        next: { event in
          switch event {
          case .line(let line):
            log.append(line)
            if log.count == 10 {
              subscription?.pause()
              timer.start(after: .milliseconds(50)) { loop.stop() }
            }
          default: log.append("\(event)")
          }
        }, termination: { log.append("\($0)") })
      loop.run()
      let before = log.count
      subscription?.resume()
      loop.run()
      subscription = nil
      return (before, log)
    }
    #expect(before == 10)
    #expect(log.dropLast(2) == (1...50000).map(String.init)[...])
    #expect(log.suffix(2) == ["exit(EventLoops.ProcessExit.exited(1))", "completed"])
  }
}
