import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Process", .noLiveResources)
struct ProcessTests {
  /// Runs a command on a loop of its own until its operation has ended.
  private static func run(_ command: ProcessCommand) async throws -> [Event<ProcessExit, UVError>] {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var events: [Event<ProcessExit, UVError>] = []
      let guardian = deadline(loop)
      let subscription = Operation.process(command).observe { events.append($0) }
      loop.run()
      guardian.dispose()
      subscription.dispose()
      return events
    }
  }

  @Test func `it tells how the process ended, then completes`() async throws {
    #expect(try await Self.run(ProcessCommand("true")) == [.next(.exited(0)), .completed])
    #expect(try await Self.run(ProcessCommand("sh", ["-c", "exit 7"])) == [.next(.exited(7)), .completed])
    #expect(
      try await Self.run(ProcessCommand("sh", ["-c", "kill -9 $$"])) == [.next(.signalled(.kill)), .completed])
    #expect(ProcessExit.signalled(.terminate).shellCode == 143)
  }

  @Test func `the end of a process cannot wait: it is delivered although the observer pauses`() async throws {
    let events = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var events: [Event<ProcessExit, UVError>] = []
      let guardian = deadline(loop)
      let subscription = Operation.process(ProcessCommand("true")).observe { events.append($0) }
      subscription.pause()
      loop.run()
      guardian.dispose()
      return events
    }
    #expect(events == [.next(.exited(0)), .completed])
  }

  @Test func `a directory that does not exist is named, and not the program`() async throws {
    let error = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      return #expect(throws: UVError.self) { try ProcessHandle(ProcessCommand("true", directory: "/no/such/place")) }
    }
    #expect(error == UVError(code: -ENOENT, call: "chdir", path: "/no/such/place"))
  }

  @Test func `a start for which there are not enough descriptors leaves none open`() async {
    await #expect(processExitsWith: .success) {
      try await onOwnThread {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var normal = rlimit()
        #expect(getrlimit(resource, &normal) == 0)
        /// Starts a process with only `count` free descriptors, or with enough, and returns whether that was possible.
        func starts(with count: Int? = nil) -> Bool {
          let loop = Loop()
          defer { loop.shutdown() }
          var command = ProcessCommand("true")
          (command.input, command.output, command.errorOutput) = (.pipe, .pipe, .pipe)
          if let count {
            let free = dup(0)
            close(free)
            var limit = rlimit(rlim_cur: rlim_t(Int(free) + count), rlim_max: normal.rlim_max)
            #expect(setrlimit(resource, &limit) == 0)
          }
          defer { #expect(setrlimit(resource, &normal) == 0) }
          return (try? ProcessHandle(command))?.dispose() != nil
        }
        // What the process opens once stays open. A disposed process is waited for on another loop.
        #expect(starts())
        try Queue.shared.sync { try SignalHandle().dispose() }
        let open = { (0..<256).filter { fcntl($0, F_GETFD) >= 0 } }
        let before = open()
        // More than a start needs, because there may be open ones between those that are free.
        let results = (0..<64).map { starts(with: $0) }
        #expect(results.firstIndex(of: true).map { $0 >= 6 } == true)
        #expect(open() == before)
      }
    }
  }

  @Test func `a process starts although standard streams are closed`() async throws {
    // In a program of its own, because other threads of the tests could open descriptors with these numbers.
    #expect(try await probe("closed-streams").status == .exited(0))
  }

  @Test func `a process that leads no group cannot be killed with its group`() async throws {
    let error = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let process = try ProcessHandle(ProcessCommand("sleep", ["100"]))
      defer { try? process.kill(.kill) }
      return #expect(throws: UVError.self) { try process.killGroup() }
    }
    #expect(error?.errno == ESRCH)
  }

  @Test func `a program that does not exist fails, once, and names it`() async throws {
    let events = try await Self.run(ProcessCommand("no-such-program"))
    #expect(events == [.failed(UVError(code: -ENOENT, call: "uv_spawn", path: "no-such-program"))])
    let text = events.first?.error?.description
    #expect(text == "uv_spawn no-such-program: no such file or directory (ENOENT)")
    let directory = try await Self.run(ProcessCommand("true", directory: "/no/such/directory"))
    #expect(directory.first?.isFailure == true)
  }

  @Test func `a text with a zero byte is refused, wherever it is: the system would cut it off`() async throws {
    for command in [
      ProcessCommand("echo\0x"), ProcessCommand("echo", ["a\0b"]), ProcessCommand("echo", directory: "/tmp\0/none"),
      ProcessCommand("echo", environment: ["A": "1\0B=2"]), ProcessCommand("echo", environment: ["A\0B": "1"]),
      ProcessCommand("echo", environment: ["A=B": "1"]), ProcessCommand("echo", environment: ["": "1"]),
    ] {
      #expect(try await Self.run(command).map { $0.error?.errno } == [EINVAL])
    }
  }

  @Test func `arguments, environment, directory and standard streams reach the child`() async throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    var command = ProcessCommand(
      "sh", ["-c", "pwd; echo \"$1|$GREETING|$(cat)\"; echo oops >&2", "sh", "two words"],
      environment: ["GREETING": "hello", "PATH": "/usr/bin:/bin"], directory: "/")
    command.input = .null
    command.output = .descriptor(ends[1])
    command.errorOutput = .descriptor(ends[1])
    let events = try await Self.run(command)
    #expect(events == [.next(.exited(0)), .completed])
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 1000)
    let count = read(ends[0], &bytes, 1000)
    close(ends[0])
    #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "/\ntwo words|hello|\noops\n")
  }

  @Test func `a child can open its pipes again by their paths`() async throws {
    try await onLoop { _ in
      for (program, arguments) in [
        ("cat", ["/dev/stdin"]), ("tee", ["/dev/stderr"]),
        ("sh", ["-c", "cat > /dev/stdout; echo hello > /dev/stderr"]),
      ] {
        var command = ProcessCommand(program, arguments)
        command.errorOutput = .pipe
        let result = try await Operation.output(of: command, input: "hello\n").value
        #expect(result.exit == .exited(0))
        #expect(String(result.output) == "hello\n")
        #expect(String(result.errorOutput) == (program == "cat" ? "" : "hello\n"))
      }
    }
  }

  @Test func `disposal ends the process, and it leaves no zombie`() async throws {
    let pid = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let handle = try ProcessHandle(ProcessCommand("sleep", ["1000"]))
      let pid = handle.pid
      let guardian = deadline(loop)
      guardian.keepsLoopAlive = false
      try handle.kill()
      // Returns when the handle has closed itself.
      loop.run()
      guardian.dispose()
      #expect(handle.status == .signalled(.terminate))
      #expect(handle.isDisposed)
      try handle.kill()
      return pid
    }
    #expect(Glibc.kill(pid, 0) == -1 && errno == ESRCH)
  }

  @Test func `a disposed operation stops its process in the background`() async throws {
    let events = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var events: [Event<ProcessExit, UVError>] = []
      let subscription = Operation.process(ProcessCommand("sleep", ["1000"])).observe { events.append($0) }
      subscription.dispose()
      let guardian = deadline(loop)
      // Returns when the process has ended.
      loop.run()
      guardian.dispose()
      return events
    }
    #expect(events == [])
  }

  @Test func `a group is signalled as a whole, also after its leader has ended`() async throws {
    let alive = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      // The grandchild inherits the pipe, so the pipe ends when the grandchild ends.
      var command = ProcessCommand("sh", ["-c", "sleep 1000 & exit 0"])
      command.ownGroup = true
      command.output = .descriptor(ends[1])
      let handle = try ProcessHandle(command)
      close(ends[1])
      var isAlive = true
      let bag = DisposeBag()
      handle.exit.observeNext { status in
        #expect(status == .exited(0))
        Operation.poll(ends[0], for: [.readable, .disconnect]).observeNext { _ in
          isAlive = false
          bag.dispose()
        }.dispose(in: bag)
        try? handle.killGroup()
      }.dispose(in: bag)
      loop.run()
      guardian.dispose()
      close(ends[0])
      return isAlive
    }
    #expect(!alive)
  }

  @Test func `pipes that nobody used are closed after the process has ended`() async throws {
    try await onLoop { _ in
      weak var input: PipeHandle?
      weak var output: PipeHandle?
      func run() async throws -> ProcessExit {
        var command = ProcessCommand("true")
        (command.input, command.output) = (.pipe, .pipe)
        let process = try ProcessHandle(command)
        (input, output) = (process.input, process.output)
        return try await process.exit.value
      }
      let exit = try await run()
      #expect(exit == .exited(0))
      await untilTrue { input == nil && output == nil }
      #expect(input == nil && output == nil)
    }
  }

  @Test func `the exit stream tells late observers, too`() async throws {
    let events = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let handle = try ProcessHandle(ProcessCommand("true"))
      loop.run()
      var events: [Event<ProcessExit, Never>] = []
      _ = handle.exit.observe { events.append($0) }
      return events
    }
    #expect(events == [.next(.exited(0)), .completed])
  }
}
