import CUV
public import Streams

/// What a process that runs as one operation sends.
public enum ProcessEvent: Sendable, Hashable {
  /// A line of its standard output, without its end.
  case line(String)
  /// A line of its standard error.
  case errorLine(String)
  /// How it ended: the last element.
  case exit(ProcessExit)
}

extension Operation where Element == ProcessEvent, Failure == FramingError<UVError> {
  /// Runs `command` when observed: the lines of its output as it writes them, then its exit, then completed.
  ///
  /// ```swift
  /// Operation.lines(of: ProcessCommand("make", ["-j4"]), timeLimit: .seconds(600)).observe { event in
  ///   switch event {
  ///   case .next(.line(let line)), .next(.errorLine(let line)): print(line)
  ///   case .next(.exit(let exit)): print("ended: \(exit)")
  ///   case .failed(let error): print("failed: \(error)")
  ///   case .completed: break
  ///   }
  /// }.dispose(in: bag)
  /// ```
  ///
  /// The process leads a process group of its own, whatever the command says, so a terminal's Control-C does not reach it.
  /// Standard output goes into a pipe; standard error does if the command has `.pipe` for it.
  /// The exit is sent when the process has ended and its output has been closed by all descendants that have it.
  ///
  /// If the operation ends earlier (disposed, failed, or its loop shut down), the whole group is ended: it gets SIGTERM, and SIGKILL
  /// when the process has ended, but after `grace` at the latest. Until then the process keeps the loop alive. A loop that shuts
  /// down sends SIGKILL at once. Pausing stops the reading, and the process waits when the pipe is full.
  ///
  /// Fails with `.source` if the process cannot be started (`ENOENT`, `EACCES`, `EINVAL`), and if `timeLimit` is over
  /// (`ETIMEDOUT`); with `.tooLong` for a line of more than `lineLimit` bytes. An exit code other than 0 is not a failure.
  ///
  /// - Parameters:
  ///   - command: The program, its arguments, and its descriptors.
  ///   - input: What the process reads from its standard input, which then ends; nil leaves it what the command says.
  ///   - lineLimit: The most bytes that a line may have.
  ///   - timeLimit: How long it may take to end and to be read; nil for no limit. The time runs on while paused.
  ///   - grace: How long the group may take to end after SIGTERM.
  public static func lines(
    of command: ProcessCommand, input: Bytes? = nil, lineLimit: Int = 65_536, timeLimit: Duration? = nil,
    grace: Duration = .seconds(5)
  ) -> Operation {
    Operation { observer in
      var command = command
      command.output = .pipe
      command.ownGroup = true
      if input != nil { command.input = .pipe }
      do throws(UVError) {
        let group = ProcessGroup(try ProcessHandle(command), grace)
        group.send(input)
        if let timeLimit {
          group.deadline = group.process.loop.scheduler.schedule(after: timeLimit) {
            observer.failed(.source(UVError(code: UV_ETIMEDOUT.rawValue, call: "process", path: command.program)))
          }
        }
        let events = group.events(lineLimit).observe(
          next: { observer.next($0) }, termination: { observer.terminate($0) })
        return CompositeDisposable([events, BlockDisposable { group.end() }])
      } catch {
        observer.failed(.source(error))
        return .none
      }
    }
  }
}

/// A process with its descendants.
private final class ProcessGroup {
  let process: ProcessHandle
  var deadline: (any Disposable)?
  private let grace: Duration
  private var isOver = false

  init(_ process: ProcessHandle, _ grace: Duration) {
    self.process = process
    self.grace = grace
  }

  func send(_ input: Bytes?) {
    guard let input else { return }
    // A process that does not read to the end says so by its exit.
    process.input?.write(input)
    process.input?.close()
  }

  func events(_ lineLimit: Int) -> Operation<ProcessEvent, FramingError<UVError>> {
    func lines(
      _ pipe: PipeHandle?, _ event: @escaping (String) -> ProcessEvent
    ) -> Operation<ProcessEvent, FramingError<UVError>> {
      pipe?.bytes.lines(limit: lineLimit).map(event) ?? .completed()
    }
    // The exit cannot wait, but a sequence can.
    let exit = process.exit.doOn(next: { [self] _ in didEnd() })
      .flatMap(.concat) { Stream.sequence([ProcessEvent.exit($0)]) }
    return .merge([lines(process.output, ProcessEvent.line), lines(process.errorOutput, ProcessEvent.errorLine)])
      .concat(with: exit.setFailureType(to: FramingError<UVError>.self))
  }

  private func didEnd() {
    isOver = true
    deadline?.dispose()
  }

  func end() {
    deadline?.dispose()
    // After the signal: a process that is writing would complain about its pipe otherwise.
    defer { for pipe in [process.input, process.output, process.errorOutput] { pipe?.dispose() } }
    if isOver { return }
    if process.status != nil { return kill() }
    try? process.killGroup()
    let patience = process.loop.scheduler.schedule(after: grace) { [self] in kill() }
    // Also when the loop is shut down. What is left of the group then has had its time.
    _ = process.exit.observe(
      next: { _ in },
      termination: { [self] _ in
        patience.dispose()
        kill()
      })
  }

  private func kill() { try? process.killGroup(.kill) }
}
