import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

// Resetting the modes affects all terminals of the process, so these tests do not overlap.
@Suite("TTY", .serialized, .noLiveResources, .timeLimit(.minutes(15)))
struct TTYTests {
  /// Opens a pseudoterminal: `typist` is the side of the user, and `terminal` is the side of the program.
  private static func withTerminal<Result>(_ body: (_ typist: Int32, _ terminal: Int32) throws -> Result) throws
    -> Result
  {
    let typist = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var lock: Int32 = 0
    var number: Int32 = 0
    // TIOCSPTLCK and TIOCGPTN.
    #expect(typist >= 0 && ioctl(typist, 0x4004_5431, &lock) == 0 && ioctl(typist, 0x8004_5430, &number) == 0)
    let name = "/dev/pts/\(number)"
    let terminal = open(name, O_RDWR | O_NOCTTY)
    #expect(terminal >= 0)
    defer {
      close(typist)
      close(terminal)
    }
    return try body(typist, terminal)
  }

  private static func flags(_ descriptor: Int32) -> tcflag_t {
    withUnsafeTemporaryAllocation(of: termios.self, capacity: 1) { settings in
      tcgetattr(descriptor, settings.baseAddress!)
      // The local modes are the fourth word of the structure.
      return UnsafeRawPointer(settings.baseAddress!).load(fromByteOffset: 12, as: tcflag_t.self)
    }
  }

  private static func resize(_ descriptor: Int32, _ columns: UInt16, _ rows: UInt16) {
    // Rows, columns, and the width and height in pixels.
    var size: (UInt16, UInt16, UInt16, UInt16) = (rows, columns, 0, 0)
    #expect(ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0)
  }

  @Test func `lines in normal mode, keys in raw mode; closing puts the mode back and leaves the descriptor open`()
    async throws
  {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      try Self.withTerminal { typist, terminal in
        let before = Self.flags(terminal)
        #expect(before & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO))
        let handle = try TTYHandle(descriptor: terminal)
        var typed = ""
        let reading = handle.bytes.observeNext { bytes in
          typed += String(bytes)
          switch typed {
          case "line\n":
            try? handle.setMode(.raw)
            #expect(handle.mode == .raw && Self.flags(terminal) & tcflag_t(ICANON | ECHO | ISIG) == 0)
            write(typist, "k\u{3}", 2)
          case "line\nk\u{3}": handle.dispose()
          default: break
          }
        }
        write(typist, "line\n", 5)
        loop.run()
        #expect(typed == "line\nk\u{3}")
        #expect(Self.flags(terminal) == before)
        #expect(fcntl(terminal, F_GETFD) >= 0)
        #expect(reading.isDisposed)
        #expect(throws: UVError.self) { try handle.setMode(.normal) }
      }
      guardian.dispose()
    }
  }

  @Test func `what is written is shown`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      try Self.withTerminal { typist, terminal in
        let handle = try TTYHandle(descriptor: terminal)
        try handle.setMode(.binary)
        handle.write("hello\n")
        var shown = ""
        let watching = Operation.poll(typist, for: .readable).observeNext { _ in
          var buffer = [UInt8](repeating: 0, count: 100)
          let count = read(typist, &buffer, 100)
          shown += String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
          if shown == "hello\n" { loop.stop() }
        }
        loop.run()
        #expect(shown == "hello\n")
        watching.dispose()
        handle.dispose()
        loop.run()
      }
      guardian.dispose()
    }
  }

  @Test func `nothing is read while its observer pauses; a loop that is shut down fails the reading`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      try Self.withTerminal { typist, terminal in
        let handle = try TTYHandle(descriptor: terminal)
        var log: [String] = []
        let subscription = handle.bytes.observe(
          next: { bytes in
            log.append(String(bytes))
            loop.stop()
          }, termination: { log.append($0.failure?.name ?? "completed") })
        subscription.pause()
        write(typist, "a\n", 2)
        let timer = try TimerHandle()
        timer.start(after: .milliseconds(5)) {
          timer.dispose()
          log.append("resumed")
          subscription.resume()
        }
        loop.run()
        guardian.dispose()
        loop.shutdown()
        #expect(log == ["resumed", "a\n", "ECANCELED"])
      }
    }
  }

  @Test func `its size, now and when it changes; a pause tells the last one; closing completes it`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      try Self.withTerminal { typist, terminal in
        Self.resize(typist, 80, 24)
        let handle = try TTYHandle(descriptor: terminal)
        handle.keepsLoopAlive = false
        #expect(try handle.windowSize() == WindowSize(columns: 80, rows: 24))
        var sizes: [Int] = []
        var isCompleted = false
        // Other tests may send the signal, too. It causes no element if the size has not changed.
        let sender = try TimerHandle()
        sender.start(after: .milliseconds(1), every: .milliseconds(1)) { kill(getpid(), SIGWINCH) }
        var subscription: Subscription?
        subscription = handle.sizes.observe(
          next: { size in
            sizes.append(size.columns)
            switch size.columns {
            case 80: Self.resize(typist, 100, 24)
            case 100:
              subscription?.pause()
              Self.resize(typist, 101, 24)
              Self.resize(typist, 120, 24)
              let timer = try! TimerHandle()
              timer.start(after: .milliseconds(5)) {
                timer.dispose()
                subscription?.resume()
              }
            default: handle.dispose()
            }
          },
          termination: { end in
            isCompleted = end == .completed
            sender.dispose()
          })
        loop.run()
        #expect(sizes == [80, 100, 120] && isCompleted)
      }
      guardian.dispose()
    }
  }

  @Test func `the operation sets the mode, reads what is typed, and puts everything back`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      try Self.withTerminal { typist, terminal in
        let before = Self.flags(terminal)
        var typed = ""
        let bag = DisposeBag()
        Operation.typing(at: terminal).observeNext { bytes in
          typed += String(bytes)
          if typed == "ab" { bag.dispose() } else { write(typist, "b", 1) }
        }.dispose(in: bag)
        #expect(Self.flags(terminal) & tcflag_t(ICANON) == 0)
        write(typist, "a", 1)
        loop.run()
        #expect(typed == "ab" && Self.flags(terminal) == before)
        // A terminal that disappears ends the stream.
        var end: Termination<UVError>?
        _ = Operation.typing(at: terminal).observe(next: { _ in }, termination: { end = $0 })
        // The number of the descriptor stays in use, because `withTerminal` closes it at the end.
        let null = open("/dev/null", O_RDONLY)
        dup2(null, typist)
        close(null)
        loop.run()
        #expect(end != nil)
      }
      guardian.dispose()
    }
  }

  @Test func `what is no terminal fails, once, typed; descriptors have kinds`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let file = open("/proc/self/exe", O_RDONLY)
      let device = open("/dev/null", O_RDONLY)
      let udp = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      let tcp = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      defer { for descriptor in [file, device, udp, tcp] + ends { close(descriptor) } }
      var errors: [UVError] = []
      for descriptor in [file, ends[0], tcp, -1] {
        _ = Operation.typing(at: descriptor).observeFailed { errors.append($0) }
      }
      loop.run()
      #expect(
        errors == [
          UVError(code: -EINVAL, call: "uv_tty_init", path: "descriptor \(file)"),
          UVError(code: -EINVAL, call: "uv_tty_init", path: "descriptor \(ends[0])"),
          UVError(code: -EINVAL, call: "uv_tty_init", path: "descriptor \(tcp)"),
          UVError(code: -EBADF, call: "uv_tty_init", path: "descriptor -1"),
        ])
      #expect([file, ends[0], udp, tcp, -1].map { DescriptorKind(of: $0) } == [.file, .pipe, .udp, .tcp, .unknown])
      try Self.withTerminal { _, terminal in #expect(DescriptorKind(of: terminal) == .terminal) }
    }
  }

  @Test func `the end of the process puts the mode back`() async throws {
    try await onOwnThread {
      try Self.withTerminal { _, terminal in
        let before = Self.flags(terminal)
        let loop = Loop()
        defer { loop.shutdown() }
        let guardian = deadline(loop)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let program = try CurrentProcess.executablePath()
        var command = ProcessCommand(
          "\(program[..<(program.lastIndex(of: "/") ?? program.endIndex)])/loop-probe", ["raw-terminal"])
        command.input = .descriptor(terminal)
        command.output = .descriptor(ends[1])
        var status: ProcessExit?
        _ = Operation.process(command).observeNext { status = $0 }
        loop.run()
        close(ends[1])
        var text = [UInt8](repeating: 0, count: 100)
        let count = read(ends[0], &text, 100)
        close(ends[0])
        #expect(String(decoding: text.prefix(max(0, count)), as: UTF8.self) == "raw\n")
        #expect(status == .exited(0))
        #expect(Self.flags(terminal) == before)
        guardian.dispose()
      }
    }
  }

  @Test func `resetting puts the mode of each open terminal back, whichever was set first and has been closed`()
    async throws
  {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      try Self.withTerminal { _, first in
        try Self.withTerminal { _, second in
          let before = (Self.flags(first), Self.flags(second))
          let handles = [try TTYHandle(descriptor: first), try TTYHandle(descriptor: second)]
          for handle in handles { try handle.setMode(.raw) }
          #expect(Self.flags(first) != before.0 && Self.flags(second) != before.1)
          TTYHandle.resetMode()
          #expect((Self.flags(first), Self.flags(second)) == before)
          for handle in handles { handle.dispose() }
          loop.run()

          let later = try TTYHandle(descriptor: second)
          try later.setMode(.raw)
          #expect(Self.flags(second) != before.1)
          TTYHandle.resetMode()
          #expect(Self.flags(second) == before.1)
          later.dispose()
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func `of several handles for one terminal the last that is closed puts the mode back`(_ closesFirstFirst: Bool)
    async throws
  {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      try Self.withTerminal { _, terminal in
        let before = Self.flags(terminal)
        var handles = [try TTYHandle(descriptor: terminal), try TTYHandle(descriptor: terminal)]
        for handle in handles { try handle.setMode(.raw) }
        let raw = Self.flags(terminal)
        #expect(raw != before)
        (closesFirstFirst ? handles.removeFirst() : handles.removeLast()).dispose()
        loop.run()
        #expect(Self.flags(terminal) == raw)
        TTYHandle.resetMode()
        #expect(Self.flags(terminal) == before)
        handles[0].dispose()
        loop.run()
        #expect(Self.flags(terminal) == before)
      }
    }
  }
}
