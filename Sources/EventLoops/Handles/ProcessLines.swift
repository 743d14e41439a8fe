import CUV
public import Streams

/// An event of a process that runs as one operation.
public enum ProcessEvent: Sendable, Hashable {
  /// A line of standard output, without its line ending.
  case line(String)
  /// A line of standard error, without its line ending.
  case errorLine(String)
  /// How the process ended. This is the last element.
  case exit(ProcessExit)
}

extension Operation where Element == ProcessEvent, Failure == FramingError<UVError> {
  /// Runs `command` when observed, emits the lines of its output as it writes them, then its exit, and completes.
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
  /// The process always leads its own process group, so a terminal's Control-C does not reach it.
  /// Standard output always goes into a pipe; standard error does if the command has `.pipe` for it.
  /// The exit is emitted when the process has ended and all descendants have closed its output.
  ///
  /// If the operation ends earlier (disposed, failed, or its loop shut down), the whole group is ended. It receives
  /// SIGTERM first. It receives SIGKILL when the process has ended, or after `grace` at the latest. Until then, the
  /// process keeps the loop alive. A loop that shuts down sends SIGKILL at once. Pausing stops the reading, and the
  /// process blocks when the pipe is full.
  ///
  /// Fails with `.source` if the process cannot be started (`ENOENT`, `EACCES`, `EINVAL`), if its input cannot be
  /// written, or if `timeLimit` is over (`ETIMEDOUT`). A process that does not read all of its input is not a failure. Fails with `.tooLong` if a line has more than `lineLimit` bytes. An exit code other than 0 is not a
  /// failure.
  ///
  /// - Parameters:
  ///   - command: The program, its arguments, and its descriptors.
  ///   - input: The contents of standard input, which ends after them. Nil uses the setting of the command.
  ///   - lineLimit: The most bytes that a line may have.
  ///   - timeLimit: How long the process may run and be read. Nil sets no limit. The time continues while paused.
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
        if let timeLimit {
          group.deadline = group.process.loop.scheduler.schedule(after: timeLimit) {
            observer.failed(.source(UVError(code: UV_ETIMEDOUT.rawValue, call: "process", path: command.program)))
          }
        }
        let events = group.events(lineLimit).observe(
          next: { observer.next($0) }, termination: { observer.terminate($0) })
        // An observer that has ended the operation needs no input.
        let sending = events.isDisposed ? nil : input.map { group.process.send($0) { observer.failed(.source($0)) } }
        return CompositeDisposable([events, sending ?? .none, BlockDisposable { group.end() }])
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

  func events(_ lineLimit: Int) -> Operation<ProcessEvent, FramingError<UVError>> {
    func lines(
      _ pipe: PipeHandle?, _ event: @escaping (String) -> ProcessEvent
    ) -> Operation<ProcessEvent, FramingError<UVError>> {
      pipe?.bytes.lines(limit: lineLimit).map(event) ?? .completed()
    }
    // `exit` cannot be paused, but a sequence can.
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
    // After the signal: otherwise, a process that is writing would report a broken pipe.
    defer { for pipe in [process.input, process.output, process.errorOutput] { pipe?.dispose() } }
    if isOver { return }
    if process.status != nil { return kill() }
    try? process.killGroup()
    let patience = process.loop.scheduler.schedule(after: grace) { [self] in kill() }
    // Runs also when the loop shuts down. The rest of the group has had its time by then.
    _ = process.exit.observe(
      next: { _ in },
      termination: { [self] _ in
        patience.dispose()
        kill()
      })
  }

  private func kill() { try? process.killGroup(.kill) }
}
