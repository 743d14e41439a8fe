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
/// The handle closes by itself when the process has ended. If you dispose it earlier, or shut its loop down, the
/// process keeps running and its end is not reported. It is still reaped, so no zombie is left. To leave no process
/// behind, call `kill` or `killGroup` first, and dispose the handle after the end.
public final class ProcessHandle: Handle {
  private let ended = PushStream<ProcessExit>()
  private var isAdopted = false
  /// How the process ended. Nil until it has.
  public private(set) var status: ProcessExit?
  /// The process ID. The system may reuse it once this process has ended.
  public private(set) var pid: Int32 = 0
  /// The child's standard input, if the command has `.pipe` for it. Write and then call `finish()`, or `pipe(to:)` into
  /// it.
  public let input: PipeHandle?
  /// The child's standard output, if the command has `.pipe` for it: read `output.bytes`.
  ///
  /// The pipe may outlive the process, because descendants inherit it. It closes when all of them have closed their
  /// ends. Dispose it if you don't read it to the end.
  public let output: PipeHandle?
  /// The child's standard error, if the command has `.pipe` for it: read `errorOutput.bytes`.
  ///
  /// The pipe may outlive the process, because descendants inherit it. It closes when all of them have closed their
  /// ends. Dispose it if you don't read it to the end.
  public let errorOutput: PipeHandle?

  /// Starts `command`.
  ///
  /// Throws `ENOENT` if the program does not exist, and `EACCES` if it may not be executed. Throws `EINVAL` for a text
  /// with a zero byte, where the system would cut it off, and for a variable whose name is empty or contains an equals
  /// sign.
  public init(_ command: ProcessCommand, on loop: Loop = .current) throws(UVError) {
    if let text = command.invalidText {
      let visible = text.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\\0")
      throw UVError(code: UV_EINVAL.rawValue, call: "uv_spawn", path: visible)
    }
    Loop.openStandardStreams()
    var descriptors: [Int32] = []
    // The child has its own copies after the start.
    defer { for descriptor in descriptors where descriptor >= 0 { closeDescriptor(descriptor) } }
    var pipes: [PipeHandle?] = []
    do throws(UVError) {
      try ProcessHandle.addPipes(for: command, to: &pipes, &descriptors, loop)
    } catch {
      for pipe in pipes { pipe?.dispose() }
      throw error
    }
    (input, output, errorOutput) = (pipes[0], pipes[1], pipes[2])
    // uv_spawn initializes the handle itself, and leaves a handle that must be closed if it fails.
    try super.init(loop, uv_process_t.self, "uv_spawn") { loop, handle in
      handle.pointee.loop = loop
      return 0
    }
    // libuv learns of the end by this signal.
    Signal.child.unblock()
    let status = command.withOptions(descriptors) { options in
      options.exit_cb = { handle, code, signal in
        unsafeDowncast(UntilClosed<Handle>.borrow(handle!.pointee.data), to: ProcessHandle.self)
          .didEnd(signal != 0 ? .signalled(Signal(rawValue: signal)) : .exited(Int32(truncatingIfNeeded: code)))
      }
      return uv_spawn(loop.uv, pointer(uv_process_t.self), &options)
    }
    guard status == 0 else {
      dispose()
      for pipe in pipes { pipe?.dispose() }
      // The system does not report what is missing: the program or the directory.
      if let directory = command.directory, access(directory, X_OK) != 0 {
        throw UVError(code: status, call: "chdir", path: directory)
      }
      throw UVError(code: status, call: "uv_spawn", path: command.program)
    }
    pid = uv_process_get_pid(pointer(uv_process_t.self))
    for pipe in pipes { pipe?.disposeLaterIfUnused() }
  }

  override var summary: String { "ProcessHandle, process \(pid)" }

  /// Adds a pipe for each standard stream to `pipes`, and the child's descriptor to `descriptors`: nil and -1 where it needs none.
  ///
  /// libuv would make a pair of sockets. A program cannot open a socket as /dev/stdin or /dev/stdout.
  private static func addPipes(
    for command: ProcessCommand, to pipes: inout [PipeHandle?], _ descriptors: inout [Int32], _ loop: Loop
  ) throws(UVError) {
    for stdio in [command.input, command.output, command.errorOutput] {
      guard stdio == .pipe else {
        pipes.append(nil)
        descriptors.append(-1)
        continue
      }
      var ends: (uv_file, uv_file) = (-1, -1)
      let status = withUnsafeMutableBytes(of: &ends) {
        uv_pipe($0.baseAddress!.assumingMemoryBound(to: uv_file.self), 0, 0)
      }
      if status < 0 { throw UVError(code: status, call: "uv_pipe", path: command.program) }
      // The child reads its standard input, which is the first one, and writes the others.
      let (child, own) = pipes.isEmpty ? (ends.0, ends.1) : (ends.1, ends.0)
      descriptors.append(child)
      do throws(UVError) {
        let pipe = try PipeHandle(loop)
        try pipe.open(own)
        pipes.append(pipe)
      } catch {
        closeDescriptor(own)
        throw error
      }
    }
  }

  /// Emits how the process ended, and completes. Emits it immediately if the process has already ended. Completes
  /// without an element if the handle was closed before the end.
  public var exit: Stream<ProcessExit> {
    Stream { observer in self.subscribeToExit(observer) }
  }

  private func subscribeToExit(_ observer: Observer<ProcessExit, Never>) -> any Disposable {
    guard let status else { return ended.subscribe(observer) }
    observer.next(status)
    observer.completed()
    return .none
  }

  /// Sends `signal` to the process. Does nothing once the process has ended.
  public func kill(_ signal: Signal = .terminate) throws(UVError) {
    if isDisposed || status != nil { return }
    loop.check()
    let result = uv_process_kill(pointer(uv_process_t.self), signal.rawValue)
    if result < 0, result != UV_ESRCH.rawValue { throw UVError(code: result, call: "uv_process_kill", path: "\(pid)") }
  }

  /// Sends `signal` to the process group of a command with `ownGroup`: to the process and to all descendants that have
  /// stayed in the group.
  ///
  /// Reaches descendants that outlive the process too. Once the group is empty, the system may reuse its number, so do
  /// not keep it for later. Throws `ESRCH` if the process runs and leads no group, because its command does not have
  /// `ownGroup`.
  public func killGroup(_ signal: Signal = .terminate) throws(UVError) {
    guard pid > 0 else { return }
    // The system does not reuse a number while a group has it. A process with this number is a new one, so the group is
    // empty.
    if status != nil, sendSignal(pid, 0) == 0 || errno == EPERM { return }
    if sendSignal(-pid, signal.rawValue) != 0, errno != ESRCH || status == nil {
      throw UVError(errno: errno, call: "kill", path: "group \(pid)")
    }
  }

  /// Writes the whole standard input of the process, and closes it. Calls `failed` if the process would read only a part
  /// of it without noticing.
  func send(_ bytes: Bytes, _ failed: @escaping (UVError) -> Void) -> any Disposable {
    guard let input else { return .none }
    let place = "the input of process \(pid)"
    let writing = input.writing(bytes).observeFailed { error in
      // If the process does not read to the end, its exit says so. A pipe that is canceled has been closed here.
      if error.code != .brokenPipe, error.code != .canceled {
        failed(UVError(code: error.code, call: error.call, path: place))
      }
    }
    input.close()
    return writing
  }

  /// Sends SIGTERM to the process, also while its loop closes the handle. To the group if `wholeGroup` is true, also
  /// after the process has ended, because a descendant may go on.
  func terminate(wholeGroup: Bool) {
    if wholeGroup {
      try? killGroup()
    } else if pid > 0, status == nil, !isAdopted {
      // The process has not been waited for yet, so its number is still its own.
      _ = sendSignal(pid, Signal.terminate.rawValue)
    }
  }

  private func didEnd(_ status: ProcessExit) {
    #if Tracing
    loop.iterations?.signalArrived()
    #endif
    self.status = status
    dispose()
    ended.next(status)
    ended.completed()
  }

  override func willFree() {
    ended.completed()
    guard pid > 0, status == nil else { return }
    isAdopted = true
    ProcessReaper.adopt(pid)
  }
}

/// The C function, which the method of the same name hides.
private func sendSignal(_ pid: Int32, _ signal: Int32) -> Int32 { kill(pid, signal) }

extension Operation where Element == ProcessExit, Failure == UVError {
  /// Starts `command` when observed, emits how it ended, and completes. Fails if the process cannot be started.
  ///
  /// Disposing before the end sends `SIGTERM`, to the whole group if the command leads one. The process is then waited
  /// for in the background and keeps the loop alive until it has ended, so no zombie is left. A loop that shuts down
  /// sends `SIGTERM` too and completes the operation without an element; it does not wait for the end. Pausing has no
  /// effect.
  ///
  /// - Parameters:
  ///   - command: The program, its arguments, and its descriptors.
  ///   - keepsLoopAlive: Whether the observed operation keeps `Loop.run()` from returning.
  public static func process(_ command: ProcessCommand, keepsLoopAlive: Bool = true) -> Operation {
    Operation { observer in
      do throws(UVError) {
        let handle = try ProcessHandle(command)
        handle.keepsLoopAlive = keepsLoopAlive
        let subscription = handle.exit.observe(
          next: { observer.next($0) },
          termination: { _ in
            if handle.status == nil { handle.terminate(wholeGroup: command.ownGroup) }
            observer.completed()
          })
        return BlockDisposable {
          subscription.dispose()
          if handle.status == nil { handle.terminate(wholeGroup: command.ownGroup) }
        }
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}
