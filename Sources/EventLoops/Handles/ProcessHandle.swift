import CUV
import Callbacks
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A child process.
///
/// The handle closes by itself when the process has ended. Disposing it earlier, or shutting its loop down, gives the process
/// up: it goes on, and nobody is told of its end, but no zombie stays behind. Use `kill` or `killGroup` first, and dispose
/// after the end, to leave nothing behind.
public final class ProcessHandle: Handle {
  private let ended = PushStream<ProcessExit>()
  /// How it ended, once it has.
  public private(set) var status: ProcessExit?
  /// The process number. It may be another's once this process has ended.
  public private(set) var pid: Int32 = 0
  /// The child's standard input, where the command has `.pipe` for it: `write`, then `finish()`, or `pipe(to:)` into it.
  public let input: PipeHandle?
  /// What the child writes to its standard output, where the command has `.pipe` for it: `output.bytes`. It may outlive the
  /// process: descendants have it, too. It closes when all have closed theirs; dispose of it where it is not read to the end.
  public let output: PipeHandle?
  /// The same for standard error.
  public let errorOutput: PipeHandle?

  /// Starts `command`. Fails when it cannot be started: `ENOENT` for a program that does not exist, `EACCES` for one that
  /// may not be executed, `EINVAL` for a text with a zero byte, which the system would cut off there, and for
  /// a variable whose name is empty or has an equals sign.
  public init(_ command: ProcessCommand, on loop: Loop = .current) throws(UVError) {
    if let text = command.invalidText {
      let visible = text.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\\0")
      throw UVError(code: UV_EINVAL.rawValue, call: "uv_spawn", path: visible)
    }
    let pipes = try ProcessHandle.pipes(for: command, loop)
    (input, output, errorOutput) = (pipes[0], pipes[1], pipes[2])
    // libuv makes the handle in uv_spawn itself, and leaves one to be closed when that fails.
    try super.init(loop, uv_process_t.self, "uv_spawn") { loop, handle in
      handle.pointee.loop = loop
      return 0
    }
    // libuv learns of the end by it.
    Signal.child.unblock()
    let status = command.withOptions(pipes) { options in
      options.exit_cb = { handle, code, signal in
        unsafeDowncast(UntilClosed<Handle>.borrow(handle!.pointee.data), to: ProcessHandle.self)
          .didEnd(signal != 0 ? .signalled(Signal(rawValue: signal)) : .exited(Int32(truncatingIfNeeded: code)))
      }
      return uv_spawn(loop.uv, pointer(uv_process_t.self), &options)
    }
    guard status == 0 else {
      dispose()
      for pipe in pipes { pipe?.dispose() }
      // The system does not say what is missing: the program or the directory.
      if let directory = command.directory, access(directory, X_OK) != 0 {
        throw UVError(code: status, call: "chdir", path: directory)
      }
      throw UVError(code: status, call: "uv_spawn", path: command.program)
    }
    pid = uv_process_get_pid(pointer(uv_process_t.self))
  }

  override var summary: String { "ProcessHandle, process \(pid)" }

  private static func pipes(for command: ProcessCommand, _ loop: Loop) throws(UVError) -> [PipeHandle?] {
    var pipes: [PipeHandle?] = []
    for stdio in [command.input, command.output, command.errorOutput] {
      // A pipe is disposed of by the loop where the next one cannot be made.
      pipes.append(stdio == .pipe ? try PipeHandle(loop) : nil)
    }
    return pipes
  }

  /// Its end: one element, then completed; at once if it has ended already. Nothing but completed if the handle was closed
  /// before.
  public var exit: Stream<ProcessExit> {
    Stream { observer in self.subscribeToExit(observer) }
  }

  private func subscribeToExit(_ observer: Observer<ProcessExit, Never>) -> any Disposable {
    guard let status else { return ended.subscribe(observer) }
    observer.next(status)
    observer.completed()
    return .none
  }

  /// Sends `signal` to the process. Does nothing once it has ended.
  public func kill(_ signal: Signal = .terminate) throws(UVError) {
    if isDisposed || status != nil { return }
    loop.check()
    let result = uv_process_kill(pointer(uv_process_t.self), signal.rawValue)
    if result < 0, result != UV_ESRCH.rawValue { throw UVError(code: result, call: "uv_process_kill", path: "\(pid)") }
  }

  /// Sends `signal` to the process group that a command with `ownGroup` leads: to it and all descendants that have stayed
  /// in the group. Reaches those that outlive the process, too. Once the group is empty its number may become another's: do
  /// not keep it for later.
  ///
  /// Throws `ESRCH` if the process runs and leads no group, because its command does not have `ownGroup`.
  public func killGroup(_ signal: Signal = .terminate) throws(UVError) {
    guard pid > 0 else { return }
    if sendSignal(-pid, signal.rawValue) != 0, errno != ESRCH || status == nil {
      throw UVError(errno: errno, call: "kill", path: "group \(pid)")
    }
  }

  /// Asks a process to end whose handle is being closed before its end. Nobody has waited for it yet, so its number is
  /// still its own.
  fileprivate func terminateAbandoned(wholeGroup: Bool) {
    if pid > 0, status == nil { _ = sendSignal(wholeGroup ? -pid : pid, Signal.terminate.rawValue) }
  }

  private func didEnd(_ status: ProcessExit) {
    self.status = status
    dispose()
    ended.next(status)
    ended.completed()
  }

  override func willFree() {
    ended.completed()
    if pid > 0, status == nil { ProcessReaper.adopt(pid) }
  }
}

/// The C library's function, which the method of the same name hides.
private func sendSignal(_ pid: Int32, _ signal: Int32) -> Int32 { kill(pid, signal) }

extension Operation where Element == ProcessExit, Failure == UVError {
  /// Starts `command` when observed and tells how it ended: one element, then completed. Fails when it cannot be started.
  ///
  /// Disposing before the end sends `SIGTERM`, to the whole group where the command leads one; the process is waited for in
  /// the background, so nothing is left behind once it has ended; until then it keeps the loop alive. A loop that shuts down
  /// sends `SIGTERM`, too, and completes the operation without an element; it does not wait for the end. It cannot wait:
  /// pausing has no effect.
  ///
  /// - Parameters:
  ///   - command: The program, its arguments, and its descriptors.
  ///   - keepsLoopAlive: Whether it keeps `Loop.run()` from returning while it is observed.
  public static func process(_ command: ProcessCommand, keepsLoopAlive: Bool = true) -> Operation {
    Operation { observer in
      do throws(UVError) {
        let handle = try ProcessHandle(command)
        handle.keepsLoopAlive = keepsLoopAlive
        let subscription = handle.exit.observe(
          next: { observer.next($0) },
          termination: { _ in
            handle.terminateAbandoned(wholeGroup: command.ownGroup)
            observer.completed()
          })
        return BlockDisposable {
          subscription.dispose()
          if handle.status != nil { return }
          try? command.ownGroup ? handle.killGroup() : handle.kill()
        }
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}
