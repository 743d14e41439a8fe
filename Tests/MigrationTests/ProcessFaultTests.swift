import Glibc
import Headwater
import StreamsTesting
import Testing

/// Situations in which libraries that start child processes have hung, lost output, leaked, or ended the program.
@Suite(.noLiveResources) struct ProcessFaultTests {
  /// The events of `operation` on a loop that runs until nothing keeps it alive.
  private static func events<Element: Sendable, Failure>(
    of operation: @escaping @Sendable () -> Operation<Element, Failure>
  ) async throws -> [Event<Element, Failure>] {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var events: [Event<Element, Failure>] = []
      let subscription = operation().observe { events.append($0) }
      loop.run()
      subscription.dispose()
      return events
    }
  }

  private static func output(
    _ program: String, _ arguments: [String], input: Bytes? = nil
  ) async throws -> ProcessOutput? {
    let events = try await events {
      var command = ProcessCommand(program, arguments)
      command.errorOutput = .pipe
      return Operation.output(of: command, input: input)
    }
    return events.first?.element
  }

  @Test func `a child that fills both of its output pipes is read to the end`() async throws {
    let script = "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero"
    let output = try await Self.output("sh", ["-c", script])
    #expect(output?.exit == .exited(0))
    #expect(output?.output.count == 2_000_000 && output?.errorOutput.count == 1_000_000)
  }

  @Test func `a child that answers while it reads gets its whole input`() async throws {
    let input = Bytes(repeating: 65, count: 2_000_000)
    #expect(try await Self.output("cat", [], input: input)?.output == input)
  }

  @Test func `many children at the same time each deliver their whole output`() async throws {
    let text = String(repeating: "X", count: 100_000)
    let outputs = try await Self.events {
      Operation.merge(
        (0..<20).map { _ in
          var command = ProcessCommand("sh", ["-c", "echo \"$1\"; echo \"$1\" >&2", "sh", text])
          (command.input, command.errorOutput) = (.null, .pipe)
          return Operation.output(of: command)
        })
    }.compactMap(\.element)
    #expect(outputs.count == 20)
    #expect(outputs.allSatisfy { $0.output.count == 100_001 && $0.errorOutput.count == 100_001 })
  }

  @Test func `a child that ends without reading its input is no failure`() async throws {
    let input = Bytes(repeating: 65, count: 4_000_000)
    #expect(try await Self.output("true", [], input: input)?.exit == .exited(0))
    #expect(try await Self.output("head", ["-c", "3"], input: input)?.output == "AAA")
    let names = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let bag = DisposeBag()
      var names: [String] = []
      var command = ProcessCommand("true")
      command.input = .pipe
      let process = try ProcessHandle(command)
      process.exit.observeNext { _ in
        process.input?.write("dropped")
        process.input?.writing("refused").observe { event in
          if event.isTermination { names.append(event.error?.name ?? "written") }
        }.dispose(in: bag)
      }.dispose(in: bag)
      loop.run()
      bag.dispose()
      return names
    }
    // A child that another test has just forked has the other end of the pipe too, until it runs its program.
    #expect(names == ["EPIPE"] || names == ["written"])
  }

  @Test func `the exit comes after the last line`() async throws {
    let events = try await Self.events { Operation.lines(of: ProcessCommand("sh", ["-c", "seq 1 20000; exit 3"])) }
    #expect(events.count == 20_002)
    if case .next(.line(let line)) = events[19_999] { #expect(line == "20000") }
    if case .next(.exit(let exit)) = events[20_000] { #expect(exit == .exited(3)) } else { Issue.record("no exit") }
  }

  @Test func `a descendant that keeps the output open is ended at the time limit`() async throws {
    let start = Machine.monotonicTime
    // The descendant alone has the other end of this pipe, so its end is seen here.
    let path = "/tmp/headwater-\(getpid())-descendant"
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    var pipe = pollfd(fd: open(path, O_RDONLY | O_NONBLOCK), events: Int16(POLLIN), revents: 0)
    defer { close(pipe.fd) }
    let events = try await Self.events {
      Operation.lines(of: ProcessCommand("sh", ["-c", "sleep 800 3>\(path) & echo $!"]), timeLimit: .milliseconds(200))
    }
    #expect(Machine.monotonicTime - start < .seconds(400), "the descendant is not waited for")
    guard case .next(.line(let line)) = events.first, let pid = Int32(line) else {
      Issue.record("no line")
      return
    }
    #expect(events.last?.isFailure == true)
    // It has received SIGKILL with its group, closes what it has, and ends.
    #expect(poll(&pipe, 1, 400_000) == 1 && pipe.revents & Int16(POLLHUP) != 0)
    while kill(pid, 0) == 0, !Self.isZombie(pid) { sched_yield() }
    #expect(kill(pid, 0) != 0 || Self.isZombie(pid))
  }

  /// Whether a process has ended, and its parent has not waited for it yet. A descendant is not a child of this program.
  private static func isZombie(_ pid: Int32) -> Bool {
    guard let file = fopen("/proc/\(pid)/stat", "r") else { return false }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    fgets(&line, 512, file)
    return String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self).contains(") Z ")
  }

  @Test func `a collection of output that is disposed does not wait for descendants`() async throws {
    let start = Machine.monotonicTime
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var command = ProcessCommand("sh", ["-c", "sleep 800 & wait"])
      command.ownGroup = true
      let subscription = Operation.output(of: command).observe { _ in }
      let timer = Stream.timer((), after: .milliseconds(20)).observeNext { subscription.dispose() }
      loop.run()
      timer.dispose()
    }
    #expect(Machine.monotonicTime - start < .seconds(400))
  }

  @Test func `a killed child can be waited for, again and again`() async throws {
    let exits = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let process = try ProcessHandle(ProcessCommand("sleep", ["800"]))
      try process.kill(.kill)
      let exits = [loop.run(until: process.exit), loop.run(until: process.exit), process.status]
      // The number may belong to another process by now, so this sends nothing.
      try process.kill()
      return exits
    }
    #expect(exits == [.signalled(.kill), .signalled(.kill), .signalled(.kill)])
  }

  @Test func `an observer of the exit finds the status set`() async throws {
    let isSet = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let process = try ProcessHandle(ProcessCommand("sh", ["-c", "exit 5"]))
      var isSet = false
      let subscription = process.exit.observeNext { isSet = process.status == $0 && $0 == .exited(5) }
      loop.run()
      subscription.dispose()
      return isSet
    }
    #expect(isSet)
  }

  @Test func `a child sees its standard streams in blocking mode, and no blocked or ignored signal`() async throws {
    let script = """
      import fcntl, os, signal, sys
      flags = [fcntl.fcntl(number, fcntl.F_GETFL) & os.O_NONBLOCK for number in (0, 1, 2)]
      print(flags, signal.pthread_sigmask(signal.SIG_BLOCK, []) == set())
      """
    // A shell has no way to ask, so this test needs Python.
    guard let output = try? await Self.output("python3", ["-c", script], input: "") else { return }
    #expect(output.output == "[0, 0, 0] True\n")
  }

  @Test func `two loops that start children each learn of the end of their own`() async throws {
    async let one = Self.events {
      Operation.merge((0..<30).map { _ in Operation.process(ProcessCommand("true")) })
    }
    async let other = Self.events {
      Operation.merge((0..<30).map { _ in Operation.process(ProcessCommand("false")) })
    }
    #expect(try await one.compactMap(\.element) == Array(repeating: .exited(0), count: 30))
    #expect(try await other.compactMap(\.element) == Array(repeating: .exited(1), count: 30))
  }

  @Test func `a program is looked up in the path of its own environment`() async throws {
    for (path, isFound) in [("/usr/bin:/bin", true), ("/nonexistent", false), ("", false)] {
      let events = try await Self.events { Operation.process(ProcessCommand("true", environment: ["PATH": path])) }
      #expect((events.first?.element == .exited(0)) == isFound)
      if !isFound { #expect(events.first?.error?.code == .noEntry) }
    }
  }

  @Test func `programs that cannot be started leave neither descriptors nor children`() async {
    await #expect(processExitsWith: .success) {
      try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        func start(_ program: String) -> Bool {
          var command = ProcessCommand(program)
          (command.input, command.output, command.errorOutput) = (.pipe, .pipe, .pipe)
          return (try? ProcessHandle(command)) != nil
        }
        // What the first start opens stays open.
        #expect(!start("no-such-program"))
        loop.run()
        let open = { (0..<256).filter { fcntl($0, F_GETFD) >= 0 } }
        let before = open()
        for index in 0..<60 { #expect(!start(["/no/such/program", "no-such-program", "/etc/passwd"][index % 3])) }
        loop.run()
        #expect(open() == before)
        #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD, "each failed child has been waited for")
      }
    }
  }
}
