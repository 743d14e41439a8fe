import EventLoops
import Glibc
import Streams

@MainActor func children(_ area: Area) {
  area.expect("exit", Operation.process(ProcessCommand("sh", ["-c", "exit 3"]))) { "\($0)" }
  area.expect("output", Operation.output(of: ProcessCommand("echo", ["text"]))) { "\(String($0.output)) \($0.exit)" }
  area.expect(
    "input", Operation.output(of: ProcessCommand("wc", ["-c"]), input: Bytes(repeating: 65, count: 200_000))
  ) { String($0.output) }
  var group = ProcessCommand("sh", ["-c", "echo one; echo two >&2; sleep 0.01; echo three"])
  group.errorOutput = .pipe
  area.expect("lines", Operation.lines(of: group)) { "\($0)" }
  var sleep = ProcessCommand("sleep", ["1000"], directory: "/")
  sleep.ownGroup = true
  area.expect(
    "killed",
    { () throws(UVError) in
      let process = try ProcessHandle(sleep)
      do throws(UVError) {
        try process.killGroup()
      } catch {
        process.dispose()
        kill(-process.pid, SIGKILL)
        throw error
      }
      return process.exit
    }
  ) { "\($0)" }
  area.expect(
    "missing",
    Operation.process(ProcessCommand("\(area.directory)/missing")).map { "\($0)" }.expecting("ENOENT"))
}

@MainActor func terminals(_ area: Area) {
  area.expect(
    "terminal",
    { () throws(UVError) in
      let (typist, terminal) = try makeTerminal()
      defer { close(terminal) }
      let handle: TTYHandle
      do throws(UVError) {
        handle = try TTYHandle(descriptor: terminal)
      } catch {
        close(typist)
        throw error
      }
      handle.onClosed { close(typist) }
      do throws(UVError) {
        try handle.setMode(.raw)
        area.expect("sizes", handle.sizes.take(1)) { "\($0.columns)x\($0.rows)" }
        handle.write("shown")
      } catch {
        handle.dispose()
        throw error
      }
      write(typist, "key", 3)
      // The keys of a terminal in raw mode are not collected until the end of a line.
      return handle.bytes.take(1).map { String($0) }.doOn(disposed: { handle.dispose() })
        .timeout(after: .seconds(3), failingWith: late)
    })
  area.expect(
    "typing",
    { () throws(UVError) in
      let (typist, terminal) = try makeTerminal()
      write(typist, "line\n", 5)
      return Operation.typing(at: terminal, mode: .normal).take(1).map { String($0) }
        .timeout(after: .seconds(3), failingWith: late)
        .doOn(disposed: {
          close(typist)
          close(terminal)
        })
    })
}

/// The sides of the user and of the program of a new terminal.
private func makeTerminal() throws(UVError) -> (typist: Int32, terminal: Int32) {
  let typist = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
  if typist < 0 { throw systemError("open") }
  var lock: Int32 = 0
  var number: Int32 = 0
  // TIOCSPTLCK and TIOCGPTN.
  guard ioctl(typist, 0x4004_5431, &lock) == 0, ioctl(typist, 0x8004_5430, &number) == 0 else {
    let error = systemError("ioctl")
    close(typist)
    throw error
  }
  let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
  if terminal < 0 {
    let error = systemError("open")
    close(typist)
    throw error
  }
  return (typist, terminal)
}

@MainActor func input(_ area: Area) {
  // Standard input is a pipe first, and then a socket.
  area.expect(
    "pipe",
    { () throws(UVError) in
      let ends = try makePipe()
      let count = write(ends.writing, "one\ntwo\n", 8)
      close(ends.writing)
      dup2(ends.reading, 0)
      close(ends.reading)
      if count < 0 { throw systemError("write") }
      return Operation.standardInput.reduce("") { $0 + String($1) }
        .concat(with: { () -> Operation<String, UVError> in .just("end") }())
        .concat(with: fromSocket())
    }
  ) { $0.split(separator: "\n").joined(separator: " ") }
}

private func fromSocket() -> Operation<String, UVError> {
  Operation { observer in
    var ends: [Int32] = [0, 0]
    if socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) != 0 {
      observer.failed(systemError("socketpair"))
      return .none
    }
    let count = write(ends[1], "three\n", 6)
    close(ends[1])
    dup2(ends[0], 0)
    close(ends[0])
    if count < 0 {
      observer.failed(systemError("write"))
      return .none
    }
    return Operation.standardInput.reduce("") { $0 + String($1) }.subscribe(observer)
  }
}

@MainActor func system(_ area: Area) {
  func ask<Result>(_ name: String, _ body: () throws(UVError) -> Result, _ isRight: (Result) -> Bool) {
    do throws(UVError) {
      // Some functions say by an empty result that the system does not know it.
      if isRight(try body()) { say("\(name): known") } else { complain("\(name): unknown") }
    } catch {
      complain("\(name): \(error)")
    }
  }
  ask("path", { () throws(UVError) in try CurrentProcess.executablePath() }) { $0.hasSuffix("loop-probe") }
  ask("directory", { () throws(UVError) in try CurrentProcess.directory() }) { !$0.isEmpty }
  ask("temporary", { () throws(UVError) in try CurrentProcess.temporaryDirectory() }) { !$0.isEmpty }
  ask("home", { () throws(UVError) in try CurrentProcess.homeDirectory() }) { !$0.isEmpty }
  ask("user", { () throws(UVError) in try CurrentProcess.user() }) { !$0.name.isEmpty }
  ask("usage", { () throws(UVError) in try CurrentProcess.usage() }) { $0.maximumResidentMemory > 0 }
  ask("resident", { () throws(UVError) in try CurrentProcess.residentMemory() }) { $0 > 0 }
  ask("priority", { () throws(UVError) in try CurrentProcess.priority() }) { $0 < 20 }
  ask("interfaces", { () throws(UVError) in try Machine.networkInterfaces() }) { !$0.isEmpty }
  ask("send", { () throws(UVError) in try CurrentProcess.send(Signal(rawValue: 0), to: getpid()) }) { true }
  ask("environment", { () throws(UVError) in CurrentProcess.environment }) { !$0.isEmpty }
  ask("processors", { () throws(UVError) in Machine.processors }) { !$0.isEmpty }
  ask("memory", { () throws(UVError) in Machine.memory }) { $0.total > 0 }
  ask("uptime", { () throws(UVError) in Machine.uptime }) { $0 > .zero }
  ask("hostname", { () throws(UVError) in Machine.hostname }) { !$0.isEmpty }
  ask("operating system", { () throws(UVError) in Machine.operatingSystem }) { !$0.name.isEmpty }
}
