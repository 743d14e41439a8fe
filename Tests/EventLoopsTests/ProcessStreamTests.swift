import CUV
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Standard streams of processes", .noLiveResources)
struct ProcessStreamTests {
  @Test func `input, output and error output as streams of bytes`() async throws {
    let (output, errors) = try await withLoop { loop, bag in
      var command = ProcessCommand("sh", ["-c", "while read line; do echo \"<$line>\"; echo \"!$line\" >&2; done"])
      (command.input, command.output, command.errorOutput) = (.pipe, .pipe, .pipe)
      let process = try ProcessHandle(command)
      var output: [String] = []
      var errors: [String] = []
      process.output?.bytes.lines().observeNext { output.append($0) }.dispose(in: bag)
      process.errorOutput?.bytes.lines().observeNext { errors.append($0) }.dispose(in: bag)
      process.input?.write("one\ntwo\n")
      process.input?.write("three\n")
      process.input?.finish()
      // All handles close by themselves.
      loop.run()
      #expect(process.status == .exited(0))
      #expect(process.input?.isDisposed == true && process.output?.isDisposed == true)
      return (output, errors)
    }
    #expect(output == ["<one>", "<two>", "<three>"] && errors == ["!one", "!two", "!three"])
  }

  @Test func `a stream that is only read has nothing to finish, and is read on`() async throws {
    let output = try await withLoop { loop, bag in
      var command = ProcessCommand("sh", ["-c", "read line; echo $line"])
      (command.input, command.output) = (.pipe, .pipe)
      let process = try ProcessHandle(command)
      var output: [String] = []
      process.output?.bytes.lines().observeNext { output.append($0) }.dispose(in: bag)
      process.output?.finish()
      process.output?.finishing().observe { output.append("\($0)") }.dispose(in: bag)
      process.input?.write("text\n")
      loop.run()
      #expect(process.status == .exited(0) && process.output?.isDisposed == true)
      return output
    }
    #expect(output == ["next(())", "completed", "text"])
  }

  private static func output(
    of command: ProcessCommand, input: Bytes? = nil, limit: Int = 1_000_000
  ) async throws -> [Event<ProcessOutput, UVError>] {
    try await withLoop { loop, bag in
      var events: [Event<ProcessOutput, UVError>] = []
      Operation.output(of: command, input: input, limit: limit).observe { events.append($0) }.dispose(in: bag)
      loop.run()
      return events
    }
  }

  @Test func `output collected, with the exit status; input given as a whole`() async throws {
    var command = ProcessCommand("sh", ["-c", "cat; echo oops >&2; exit 3"])
    command.errorOutput = .pipe
    let text = Bytes(String(repeating: "0123456789", count: 50_000))
    let result = ProcessOutput(exit: .exited(3), output: text, errorOutput: "oops\n")
    #expect(try await Self.output(of: command, input: text) == [.next(result), .completed])
    let silent = ProcessOutput(exit: .exited(0), output: "", errorOutput: "")
    // The input is larger than the buffer of a pipe, and the command reads none of it.
    let unread = Bytes(repeating: 65, count: 1_000_000)
    #expect(try await Self.output(of: ProcessCommand("true"), input: unread) == [.next(silent), .completed])
  }

  @Test func `arguments may be bytes that are not UTF-8`() async throws {
    var command = ProcessCommand("printf", ["not used"])
    command.argumentBytes = [Array("%s".utf8), [0x61, 0xFF]]
    let result = ProcessOutput(exit: .exited(0), output: Bytes([0x61, 0xFF]), errorOutput: "")
    #expect(try await Self.output(of: command) == [.next(result), .completed])
    command.argumentBytes = [[0x61, 0]]
    guard case .failed? = try await Self.output(of: command).last else {
      Issue.record("an argument with a zero byte is accepted")
      return
    }
  }

  @Test func `more output than the limit fails, and ends the process; a program that is not there fails`() async throws
  {
    let events = try await Self.output(of: ProcessCommand("yes"), limit: 100_000)
    #expect(events == [.failed(UVError(code: -105, call: "read", path: "the output of yes"))])
    let missing = try await Self.output(of: ProcessCommand("no-such-program"))
    #expect(missing.first?.error?.name == "ENOENT")
  }

  @Test func `with await, and disposal ends the process`() async throws {
    let queue = Queue(label: "process")
    defer { queue.shutdown() }
    actor Runner {
      nonisolated let queue: Queue
      nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
      init(_ queue: Queue) { self.queue = queue }
      func run() async throws -> String {
        try await String(Operation.output(of: ProcessCommand("echo", ["from", "await"])).value.output)
      }
    }
    #expect(try await Runner(queue).run() == "from await\n")
    try await withLoop { loop, bag in
      Operation.output(of: ProcessCommand("sleep", ["1000"])).observe { _ in Issue.record("told something") }
        .dispose(in: bag)
      bag.dispose()
      // Returns when the process has ended.
      loop.run()
    }
  }

  @Test(arguments: [false, true])
  func `shutting the loop down ends the process, or its group`(ownGroup: Bool) async throws {
    let hasEnded = try await onOwnThread {
      let loop = Loop()
      var ends: [Int32] = [0, 0]
      #expect(uv_pipe(&ends, 0, 0) == 0)
      // The processes inherit the writing end, which closes when the last of them has ended.
      var command = ownGroup ? ProcessCommand("sh", ["-c", "sleep 1000 & wait"]) : ProcessCommand("sleep", ["1000"])
      command.ownGroup = ownGroup
      command.errorOutput = .descriptor(ends[1])
      var end: Event<ProcessOutput, UVError>?
      _ = Operation.output(of: command).observe { end = $0 }
      close(ends[1])
      _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(1)))
      loop.shutdown()
      #expect(end?.error?.name == "ECANCELED")
      var watched = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
      var status = poll(&watched, 1, 60_000)
      // The end of a child interrupts `poll`.
      while status < 0, errno == EINTR { status = poll(&watched, 1, 60_000) }
      let hasEnded = status == 1
      close(ends[0])
      return hasEnded
    }
    #expect(hasEnded)
  }

  @Test func `disposing ends the group of a process that has ended, while a descendant keeps the output open`()
    async throws
  {
    let isAlive = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var ends: [Int32] = [0, 0]
      #expect(uv_pipe(&ends, Int32(UV_NONBLOCK_PIPE.rawValue), 0) == 0)
      // The descendant inherits both pipes. The second one ends when the descendant ends.
      var command = ProcessCommand("sh", ["-c", "sleep 1000 & echo $$ >&2"])
      command.ownGroup = true
      command.errorOutput = .descriptor(ends[1])
      let output = Operation.output(of: command).observe { _ in Issue.record("told something") }
      close(ends[1])
      var isAlive = true
      var leader: Int32 = 0
      let bag = DisposeBag()
      Stream.interval(.milliseconds(1)).observeNext { _ in
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(ends[0], &buffer, buffer.count)
        if count == 0 {
          isAlive = false
          bag.dispose()
        } else if count > 0 {
          leader = Int32(String(decoding: buffer[..<(count - 1)], as: UTF8.self)) ?? 0
        } else if leader > 0, kill(leader, 0) != 0 {
          output.dispose()
        }
      }.dispose(in: bag)
      loop.run()
      guardian.dispose()
      close(ends[0])
      return isAlive
    }
    #expect(!isAlive)
  }

  @Test func `a user and a group of its own, where we may change them; otherwise EPERM`() async throws {
    var command = ProcessCommand("sh", ["-c", "id -u; id -g"])
    (command.user, command.group) = (65534, 65534)
    let events = try await Self.output(of: command)
    if geteuid() == 0 {
      #expect(events.first?.element?.output == "65534\n65534\n")
    } else {
      #expect(events.first?.error?.name == "EPERM")
    }
  }

  @Test func `cat between two sockets: everything arrives, in order, with pipe(to:) both ways`() async throws {
    let counts = try await withLoop { loop, bag in
      var command = ProcessCommand("cat")
      (command.input, command.output) = (.pipe, .pipe)
      let process = try ProcessHandle(command)
      let (near, far) = try connectedPair(loop)
      let text = Bytes((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
      var counts: [Int] = []
      var parts: [Bytes] = []
      near.bytes.pipe(to: process.input!).observeNext { counts.append($0) }.dispose(in: bag)
      process.output!.bytes.pipe(to: near).observeNext { counts.append($0) }.dispose(in: bag)
      far.bytes.observeNext { parts.append($0) }.dispose(in: bag)
      far.write(text)
      far.finish()
      loop.run()
      #expect(Bytes(joining: parts) == text)
      return counts
    }
    #expect(counts == [3_000_000, 3_000_000])
  }
}
