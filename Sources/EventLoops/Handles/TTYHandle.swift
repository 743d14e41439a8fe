import CEventLoops
import CUV
import Callbacks
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The size of a terminal in characters.
public struct WindowSize: Hashable, Sendable {
  /// The number of characters in a line.
  public var columns: Int
  /// The number of lines.
  public var rows: Int

  /// Makes a size.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// A terminal: a stream of its input, and a sink for its output.
///
/// ```swift
/// let terminal = try TTYHandle(descriptor: 0)
/// terminal.dispose(in: bag)
/// try terminal.setMode(.raw)
/// terminal.bytes.observeNext { keys in print(keys) }.dispose(in: bag)
/// terminal.sizes.observeNext { size in print(size.columns) }.dispose(in: bag)
/// ```
///
/// Closing the handle restores the mode that the terminal had before; so does ending the process with `exit`. If
/// several handles have set one terminal, the last one that closes restores the mode. A process that a signal kills
/// leaves the terminal as it is, so observe the signal.
public final class TTYHandle: ByteStreamHandle {
  /// How a terminal treats its input.
  public enum Mode: Hashable, Sendable {
    /// Line by line. The terminal edits and echoes the line, and turns Control-C and similar keys into signals.
    case normal
    /// Each key as it is typed, without echo and without signals.
    case raw
    /// Unchanged bytes in both directions.
    case binary

    var native: uv_tty_mode_t {
      switch self {
      case .normal: UV_TTY_MODE_NORMAL
      case .raw: UV_TTY_MODE_RAW
      case .binary: UV_TTY_MODE_IO
      }
    }
  }

  /// The mode that was set through this handle. `normal` at first, regardless of the terminal's mode.
  public private(set) var mode = Mode.normal
  private let place: String
  /// A saved terminal mode. libuv saves only one for `uv_tty_reset_mode`, by a descriptor that it closes with the
  /// handle.
  private var remembered: OpaquePointer?
  /// Protects the saved modes, because handles on all threads may set one terminal.
  private static let remembering = Lock(())

  /// Makes a handle for the terminal behind `descriptor`, such as 0 for standard input. Throws `EINVAL` if the
  /// descriptor is not a terminal, and `EBADF` if it is not open.
  ///
  /// The descriptor stays yours to close. libuv opens the terminal again, so its non-blocking mode affects no
  /// other code.
  public init(descriptor: Int32, on loop: Loop = .current) throws(UVError) {
    let place = "descriptor \(descriptor)"
    self.place = place
    // libuv accepts pipes and sockets, too.
    if isatty(descriptor) == 0 {
      throw UVError(errno: errno == EBADF ? EBADF : EINVAL, call: "uv_tty_init", path: place)
    }
    // libuv keeps this copy if it cannot open the terminal again.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    if copy < 0 { throw UVError(errno: errno, call: "uv_tty_init", path: place) }
    do throws(UVError) {
      try super.init(loop, uv_tty_t.self, "uv_tty_init") { uv_tty_init($0, $1, copy, 0) }
    } catch {
      closeDescriptor(copy)
      throw UVError(code: error.code, call: error.call, path: place)
    }
    var own: Int32 = -1
    uv_fileno(raw, &own)
    if own != copy { closeDescriptor(copy) }
  }

  override var name: String? { place }

  private var tty: UnsafeMutablePointer<uv_tty_t> { pointer(uv_tty_t.self) }

  /// Sets how the terminal treats its input, after it has shown the bytes that were written before.
  public func setMode(_ mode: Mode) throws(UVError) {
    try check("uv_tty_set_mode")
    if mode != .normal { remember() }
    let status = uv_tty_set_mode(tty, mode.native)
    if status >= 0 { self.mode = mode }
    if self.mode == .normal { forget() }
    if status < 0 { throw error(status, "uv_tty_set_mode") }
  }

  private func remember() {
    TTYHandle.resetsAtExit
    if remembered != nil { return }
    var descriptor: Int32 = -1
    uv_fileno(raw, &descriptor)
    remembered = TTYHandle.remembering.withLock { _ in headwater_use_terminal(descriptor) }
  }

  private func forget() {
    guard let terminal = remembered.take() else { return }
    TTYHandle.remembering.withLock { _ in headwater_leave_terminal(terminal) }
  }

  private static let resetsAtExit: Void = { atexit { headwater_reset_terminals() } }()

  /// Restores the mode that each open terminal of the process had before one of its handles first set it.
  ///
  /// Safe to call from a signal handler that ends the process. Handles are not notified.
  public static func resetMode() { headwater_reset_terminals() }

  /// Returns the size of the terminal in characters. Zeros if the terminal does not know it. Throws the error of the
  /// system.
  public func windowSize() throws(UVError) -> WindowSize {
    try check("uv_tty_get_winsize")
    var (columns, rows): (Int32, Int32) = (0, 0)
    let status = uv_tty_get_winsize(tty, &columns, &rows)
    if status < 0 { throw error(status, "uv_tty_get_winsize") }
    return WindowSize(columns: Int(columns), rows: Int(rows))
  }

  /// Emits the size of the terminal in characters: now, and each time it has changed.
  ///
  /// The system reports changes by `SIGWINCH`, which only the terminal's foreground processes receive. Does not keep
  /// the loop alive. Fails if the size cannot be read. Completes at the next signal after the handle has been closed.
  /// After a pause, the size is read once when the observer resumes.
  public var sizes: Operation<WindowSize, UVError> {
    Operation { observer in
      var last: WindowSize?
      func tell() {
        if observer.isPaused { return }
        if self.isDisposed { return observer.completed() }
        do throws(UVError) {
          let size = try self.windowSize()
          if size == last { return }
          last = size
          observer.next(size)
        } catch {
          observer.failed(error)
        }
      }
      let signals = Operation.signal(.windowChange).observe(
        next: { _ in tell() }, termination: { if case .failed(let error) = $0 { observer.failed(error) } })
      tell()
      return BlockDisposable({ signals.dispose() }, resume: tell)
    }
  }

  /// Closes the handle. Restores the mode, unless another open handle has set the same terminal. Idempotent.
  public override func dispose() {
    if !isDisposed, mode != .normal {
      loop.check()
      let isShared = TTYHandle.remembering.withLock { _ in remembered.map(headwater_terminal_is_shared) == 1 }
      if !isShared { uv_tty_set_mode(tty, UV_TTY_MODE_NORMAL) }
      forget()
    }
    super.dispose()
  }
}

extension Operation where Element == Bytes, Failure == UVError {
  /// Emits the input of a terminal. Opens the terminal in `mode` when observed; restores the mode and closes it when
  /// disposed.
  ///
  /// While the observer is paused, the input stays with the system. Fails if `descriptor` is not a terminal. Completes
  /// when the terminal is closed.
  public static func typing(at descriptor: Int32 = 0, mode: TTYHandle.Mode = .raw) -> Operation {
    Operation { observer in
      do throws(UVError) {
        let handle = try TTYHandle(descriptor: descriptor)
        do throws(UVError) {
          try handle.setMode(mode)
        } catch {
          handle.dispose()
          throw error
        }
        let reading = handle.bytes.subscribe(observer)
        return BlockDisposable(
          {
            reading.dispose()
            handle.dispose()
          }, pause: { reading.pause() }, resume: { reading.resume() })
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}

/// The kind of file behind a descriptor.
public enum DescriptorKind: Hashable, Sendable {
  /// A terminal.
  case terminal
  /// A regular file, or a device that reads like a file.
  case file
  /// A pipe or a local socket.
  case pipe
  /// A TCP connection or listener.
  case tcp
  /// A UDP socket.
  case udp
  /// Anything else, or no open file.
  case unknown

  /// Finds the kind of file behind `descriptor`, such as 0 for standard input.
  public init(of descriptor: Int32) {
    self =
      switch uv_guess_handle(descriptor) {
      case UV_TTY: .terminal
      case UV_FILE: .file
      case UV_NAMED_PIPE: .pipe
      case UV_TCP: .tcp
      case UV_UDP: .udp
      default: .unknown
      }
  }
}

extension Operation where Element == Bytes, Failure == UVError {
  /// Emits the bytes of standard input: a terminal, a pipe, a socket, a file, or a device such as `/dev/null`.
  ///
  /// ```swift
  /// Operation.standardInput.lines().observe(
  ///   next: { print("you said", $0) }, termination: { print("the end:", $0) }
  /// ).dispose(in: bag)
  /// ```
  ///
  /// Cold: reading begins when it is observed, and stops while the observer is paused. Completes at the end of the
  /// input. Fails if standard input is closed.
  ///
  /// Input that one observer has not read is left for the next one. A file is the exception: each observer reads it
  /// from its beginning. The descriptor stays open. While it is observed, a socket is in non-blocking mode, also for
  /// other descriptors and processes that share it: if standard output is the same socket, write to it through a handle.
  ///
  /// Costs a handle and a copy of the descriptor for each observer. For a file, it costs as much as `reading`.
  public static var standardInput: Operation {
    .unguarded { observer in
      do throws(UVError) {
        switch DescriptorKind(of: 0) {
        case .terminal: return try TTYHandle(descriptor: 0).bytes.subscribe(observer)
        case .pipe:
          // Opened again, a pipe has a mode of its own. A socket cannot be opened again.
          let own = open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
          let pipe = { descriptor throws(UVError) in try PipeHandle(descriptor: descriptor) }
          return try (own >= 0 ? taking(own, pipe) : blockingAgain(pipe)).bytes.subscribe(observer)
        case .tcp:
          let connection = { descriptor throws(UVError) in try TCPHandle(descriptor: descriptor) }
          return try blockingAgain(connection).bytes.subscribe(observer)
        case .file, .udp, .unknown:
          // A standard input that is closed, or was before the loop existed.
          let mode = fcntl(0, F_GETFL)
          if mode < 0 || mode & O_ACCMODE == O_WRONLY { throw UVError(errno: EBADF, call: "read", path: "/dev/stdin") }
          return Operation.reading("/dev/stdin").subscribe(observer)
        }
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }

  /// Makes a handle of a copy of standard input. Puts standard input back into blocking mode for later readers when the
  /// handle is closed, or the process exits.
  private static func blockingAgain<Input: Handle>(_ make: (Int32) throws(UVError) -> Input) throws(UVError) -> Input {
    // The mode belongs to the open file, not to the copy: the last of several observers restores it.
    let isBlocking = fcntl(0, F_GETFL) & O_NONBLOCK == 0
    let copy = fcntl(0, F_DUPFD_CLOEXEC, 0)
    if copy < 0 { throw UVError(errno: errno, call: "fcntl", path: "descriptor 0") }
    let handle = try taking(copy, make)
    standardInputMode.withLock { mode in
      if mode.handles == 0 { mode.isBlocking = isBlocking }
      mode.handles += 1
    }
    unblocksAtExit
    handle.onClosed {
      standardInputMode.withLock { mode in
        mode.handles -= 1
        if mode.handles == 0 { unblockStandardInput(mode.isBlocking) }
      }
    }
    return handle
  }

  /// Makes a handle of `descriptor`, and closes the descriptor if that fails.
  private static func taking<Input: Handle>(
    _ descriptor: Int32, _ make: (Int32) throws(UVError) -> Input
  ) throws(UVError) -> Input {
    do throws(UVError) {
      return try make(descriptor)
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
  }
}

private let unblocksAtExit: Void = {
  atexit { standardInputMode.withLock { mode in if mode.handles > 0 { unblockStandardInput(mode.isBlocking) } } }
}()

/// Puts standard input into blocking mode if it was in that mode before.
private func unblockStandardInput(_ wasBlocking: Bool) {
  if wasBlocking { _ = fcntl(0, F_SETFL, fcntl(0, F_GETFL) & ~O_NONBLOCK) }
}

/// How many handles standard input has now, and whether it was in blocking mode before the first of them.
private let standardInputMode = Lock((handles: 0, isBlocking: false))
