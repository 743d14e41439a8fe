import CEventLoops
import CUV
import Callbacks
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How many characters a terminal shows.
public struct WindowSize: Hashable, Sendable {
  /// Characters in a line.
  public var columns: Int
  /// Lines.
  public var rows: Int

  /// Makes a size.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// A terminal: a stream of what is typed, and a sink for what is shown.
///
/// ```swift
/// let terminal = try TTYHandle(descriptor: 0)
/// terminal.dispose(in: bag)
/// try terminal.setMode(.raw)
/// terminal.bytes.observeNext { keys in print(keys) }.dispose(in: bag)
/// terminal.sizes.observeNext { size in print(size.columns) }.dispose(in: bag)
/// ```
///
/// Closing it puts the mode back that the terminal had; so does the end of the process by `exit`. If several handles have set
/// one terminal, the last that is closed does so. A process that a signal kills leaves the terminal as it is: observe the
/// signal.
public final class TTYHandle: ByteStreamHandle {
  /// What a terminal does with what is typed.
  public enum Mode: Hashable, Sendable {
    /// Lines, which the terminal edits and echoes, and signals for Control-C and its like.
    case normal
    /// Each key as it is typed, without echo or signals.
    case raw
    /// Bytes as they are, in both directions.
    case binary

    var native: uv_tty_mode_t {
      switch self {
      case .normal: UV_TTY_MODE_NORMAL
      case .raw: UV_TTY_MODE_RAW
      case .binary: UV_TTY_MODE_IO
      }
    }
  }

  /// The mode that it was set to; `normal` at first, whatever the terminal is in.
  public private(set) var mode = Mode.normal
  private let place: String
  /// What libuv remembers for `uv_tty_reset_mode` is one terminal, by a descriptor that it closes with the handle.
  private var remembered: OpaquePointer?
  /// Handles of all threads may set one terminal.
  private static let remembering = Lock(())

  /// Makes a handle for the terminal behind `descriptor`, such as 0 for standard input. Fails with `EINVAL` where that is
  /// none, and with `EBADF` where nothing is.
  ///
  /// The descriptor stays the caller's: libuv opens the terminal anew, so that its non-blocking mode is nobody else's.
  public init(descriptor: Int32, on loop: Loop = .current) throws(UVError) {
    let place = "descriptor \(descriptor)"
    self.place = place
    // libuv keeps this one, where it cannot open the terminal anew.
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

  /// Has the terminal treat what is typed in another way, once it has shown what was written before.
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

  /// Puts back the mode that each open terminal of the process had before the first of its handles set it. For signal
  /// handlers that end the process; it does nothing that is not allowed there. Handles are not notified.
  public static func resetMode() { headwater_reset_terminals() }

  /// How many characters it shows; zeros where the terminal does not know. Fails with the error of the system.
  public func windowSize() throws(UVError) -> WindowSize {
    try check("uv_tty_get_winsize")
    var (columns, rows): (Int32, Int32) = (0, 0)
    let status = uv_tty_get_winsize(tty, &columns, &rows)
    if status < 0 { throw error(status, "uv_tty_get_winsize") }
    return WindowSize(columns: Int(columns), rows: Int(rows))
  }

  /// How many characters it shows: now, and each time that has changed.
  ///
  /// The system tells of changes by `SIGWINCH`, which only the processes of the terminal in front get. It does not keep
  /// the loop alive. Fails where the size cannot be asked; completes when the handle has been closed, at the next signal.
  /// Pausing has it ask once, when it is resumed.
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

  /// See `Handle`. Puts the mode back, unless another handle has set the same terminal and is still open.
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
  /// What is typed at a terminal: opens it in `mode` when observed, and puts the mode back and closes it when disposed of.
  ///
  /// Pausing leaves what is typed with the system. Fails where `descriptor` is no terminal; completes when it has gone.
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

/// What stands behind a descriptor.
public enum DescriptorKind: Hashable, Sendable {
  /// A terminal.
  case terminal
  /// A regular file, or a device of which one reads as of a file.
  case file
  /// A pipe, or a local socket.
  case pipe
  /// A TCP connection or listener.
  case tcp
  /// A UDP socket.
  case udp
  /// Something else, or nothing.
  case unknown

  /// Looks what stands behind `descriptor`, such as 0 for standard input.
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
  /// What comes on standard input, whatever that is: a terminal, a pipe, a socket, a file, or a device such as `/dev/null`.
  ///
  /// ```swift
  /// Operation.standardInput.lines().observe(
  ///   next: { print("you said", $0) }, termination: { print("the end:", $0) }
  /// ).dispose(in: bag)
  /// ```
  ///
  /// Cold: reading begins when it is observed, and waits while the observer pauses. Completes at the end of the input; a
  /// program whose standard input is closed gets a failure. What one observer has not read is there for the next one, except for
  /// a file, which each observer reads from its beginning. The descriptor stays open. A pipe is in non-blocking mode while it is
  /// observed, also for other processes that have it as their standard input.
  ///
  /// Cost: a handle, and a copy of the descriptor, for each observer; for a file, that of `reading`.
  public static var standardInput: Operation {
    .unguarded { observer in
      do throws(UVError) {
        switch DescriptorKind(of: 0) {
        case .terminal: return try TTYHandle(descriptor: 0).bytes.subscribe(observer)
        case .pipe: return try blockingAgain(PipeHandle(descriptor: duplicate(0))).bytes.subscribe(observer)
        case .tcp: return try blockingAgain(TCPHandle(descriptor: duplicate(0))).bytes.subscribe(observer)
        case .file, .udp, .unknown: return Operation.reading("/dev/stdin").subscribe(observer)
        }
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }

  /// When the handle of a copy of standard input is closed, the input blocks again, for those that read it afterwards.
  private static func blockingAgain<Input: Handle>(
    _ make: @autoclosure () throws(UVError) -> Input
  ) throws(UVError) -> Input {
    // The mode belongs to what is open, not to the copy: the last of several observers puts it back.
    let isBlocking = fcntl(0, F_GETFL) & O_NONBLOCK == 0
    let handle = try make()
    standardInputMode.withLock { mode in
      if mode.handles == 0 { mode.isBlocking = isBlocking }
      mode.handles += 1
    }
    handle.onClosed {
      standardInputMode.withLock { mode in
        mode.handles -= 1
        if mode.handles == 0, mode.isBlocking { _ = fcntl(0, F_SETFL, fcntl(0, F_GETFL) & ~O_NONBLOCK) }
      }
    }
    return handle
  }

  private static func duplicate(_ descriptor: Int32) throws(UVError) -> Int32 {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    if copy < 0 { throw UVError(errno: errno, call: "fcntl", path: "descriptor \(descriptor)") }
    return copy
  }
}

/// How many handles standard input has at the moment, and whether it blocked before the first of them.
private let standardInputMode = Lock((handles: 0, isBlocking: false))
