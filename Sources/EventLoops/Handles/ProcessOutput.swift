import CUV
public import Streams

/// What a process has written, and how it ended.
public struct ProcessOutput: Sendable, Hashable {
  /// How it ended.
  public var exit: ProcessExit
  /// Its standard output.
  public var output: Bytes
  /// Its standard error, where the command has `.pipe` for it; otherwise empty.
  public var errorOutput: Bytes
}

extension Operation where Element == ProcessOutput, Failure == UVError {
  /// Runs `command` when observed and collects what it writes: one element when it has ended and has closed its output, then
  /// completed. A code other than 0 is no failure: see `exit`.
  ///
  /// ```swift
  /// let result = try await Operation.output(of: ProcessCommand("git", ["status"])).value
  /// print(result.exit, String(result.output))
  /// ```
  ///
  /// Standard output goes into a pipe, whatever the command says; standard error where the command has `.pipe` for it.
  /// Fails when it cannot be started, and with `ENOBUFS` when it writes more than `limit` bytes to one of them; it is killed
  /// then. Disposing before the end kills it, too, as `process` does. In an actor without a loop, the process is watched on
  /// a loop of the package's own.
  ///
  /// - Parameters:
  ///   - command: The program, its arguments, and its descriptors.
  ///   - input: what it reads from its standard input, which then ends; nil leaves it what the command says.
  ///   - limit: the most that is collected of each, by default 16 MiB.
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

/// One process whose output is collected.
private final class ProcessRun: Disposable {
  private let process: ProcessHandle
  private let command: ProcessCommand
  private let limit: Int
  private let observer: Observer<ProcessOutput, UVError>
  private let bag = DisposeBag()
  private var parts: [[Bytes]] = [[], []]
  private var counts = [0, 0]
  /// What has not ended: the process, and each of its outputs.
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
      // A process that does not read to the end says so by its exit.
      process.input?.write(input)
      process.input?.close()
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
    process.exit.observe(next: { _ in }, termination: { [unowned self] _ in ended() }).dispose(in: bag)
  }

  private func collect(_ bytes: Bytes, _ index: Int) {
    counts[index] += bytes.count
    if counts[index] > limit {
      return fail(UVError(code: UV_ENOBUFS.rawValue, call: "read", path: "the output of \(command.program)"))
    }
    // Small pieces would keep whole reads.
    parts[index].append(bytes.compacted())
  }

  private func ended() {
    open -= 1
    guard open == 0, !isDisposed, let exit = process.status else { return }
    let result = ProcessOutput(exit: exit, output: Bytes(joining: parts[0]), errorOutput: Bytes(joining: parts[1]))
    dispose()
    observer.next(result)
    observer.completed()
  }

  private func fail(_ error: UVError) {
    dispose()
    observer.failed(error)
  }

  func dispose() {
    if isDisposed { return }
    isDisposed = true
    bag.dispose()
    for pipe in [process.input, process.output, process.errorOutput] { pipe?.dispose() }
    if process.status == nil { try? command.ownGroup ? process.killGroup() : process.kill() }
  }
}
