import CUV
public import Streams

/// The collected output of a process, and how it ended.
public struct ProcessOutput: Sendable, Hashable {
  /// How the process ended.
  public var exit: ProcessExit
  /// Its standard output.
  public var output: Bytes
  /// Its standard error, if the command has `.pipe` for it; otherwise empty.
  public var errorOutput: Bytes
}

extension Operation where Element == ProcessOutput, Failure == UVError {
  /// Runs `command` when observed and collects its output. Emits one element when the process has ended and its output
  /// has been closed, and completes. An exit code other than 0 is not a failure: read `exit`.
  ///
  /// ```swift
  /// let result = try await Operation.output(of: ProcessCommand("git", ["status"])).value
  /// print(result.exit, String(result.output))
  /// ```
  ///
  /// Standard output always goes into a pipe; standard error does if the command has `.pipe` for it. Fails if the
  /// process cannot be started, or if its input cannot be written; a process that does not read all of it is not a
  /// failure. Fails with `ENOBUFS` if it writes more than `limit` bytes to one of them, and sends
  /// `SIGTERM`. Disposing before the end and shutting the loop down send `SIGTERM` too, to the whole group if the command
  /// has `ownGroup`. In an actor without a loop, the process is watched on the package's own loop.
  ///
  /// - Parameters:
  ///   - command: The program, its arguments, and its descriptors.
  ///   - input: The contents of standard input, which ends after them. Nil uses the setting of the command.
  ///   - limit: The most bytes to collect of each output. 16 MiB by default.
  public static func output(
    of command: ProcessCommand, input: Bytes? = nil, limit: Int = 16_777_216
  ) -> Operation {
    request(
      Operation { observer in
        do throws(UVError) {
          var command = command
          command.output = .pipe
          if input != nil { command.input = .pipe }
          let run = ProcessRun(try ProcessHandle(command), command, limit, observer)
          run.start(input)
          return run
        } catch {
          observer.failed(error)
          return .none
        }
      })
  }
}

/// A process whose output is being collected.
private final class ProcessRun: Disposable {
  private let process: ProcessHandle
  private let command: ProcessCommand
  private let limit: Int
  private let observer: Observer<ProcessOutput, UVError>
  private let bag = DisposeBag()
  private var parts: [[Bytes]] = [[], []]
  private var counts = [0, 0]
  /// How many of these have not ended: the process, and each of its outputs.
  private var open = 1
  private(set) var isDisposed = false

  init(
    _ process: ProcessHandle, _ command: ProcessCommand, _ limit: Int, _ observer: Observer<ProcessOutput, UVError>
  ) {
    self.process = process
    self.command = command
    self.limit = limit
    self.observer = observer
  }

  func start(_ input: Bytes?) {
    if let input {
      process.send(input) { [unowned self] in fail($0) }.dispose(in: bag)
      if isDisposed { return }
    }
    for (index, pipe) in [process.output, process.errorOutput].enumerated() {
      guard let pipe else { continue }
      open += 1
      pipe.bytes.observe(
        next: { [unowned self] in collect($0, index) },
        termination: { [unowned self] end in
          if let failure = end.failure { fail(failure) } else { ended() }
        }
      ).dispose(in: bag)
    }
    process.exit.observe(
      next: { _ in },
      termination: { [unowned self] _ in
        // The loop shuts down, and has closed the process before its pipes.
        if process.status == nil { process.terminate(wholeGroup: command.ownGroup) }
        ended()
      }
    ).dispose(in: bag)
  }

  private func collect(_ bytes: Bytes, _ index: Int) {
    counts[index] += bytes.count
    if counts[index] > limit {
      return fail(UVError(code: UV_ENOBUFS.rawValue, call: "read", path: "the output of \(command.program)"))
    }
    // Small slices would retain whole read buffers.
    parts[index].append(bytes.compacted())
  }

  private func ended() {
    open -= 1
    guard open == 0, !isDisposed, let exit = process.status else { return }
    let result = ProcessOutput(exit: exit, output: Bytes(joining: parts[0]), errorOutput: Bytes(joining: parts[1]))
    close()
    observer.next(result)
    observer.completed()
  }

  private func fail(_ error: UVError) {
    dispose()
    observer.failed(error)
  }

  func dispose() {
    if isDisposed { return }
    // Also after the process has ended, because a descendant can keep the output open. Before the pipes are closed: otherwise, a process
    // that is writing would report a broken pipe.
    process.terminate(wholeGroup: command.ownGroup)
    close()
  }

  private func close() {
    isDisposed = true
    bag.dispose()
    for pipe in [process.input, process.output, process.errorOutput] { pipe?.dispose() }
  }
}
