import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard output that never makes the program wait.
///
/// What is appended during one turn of the loop is written with one call on the next. When the reader is slow the rest
/// waits in memory; at `highMark` bytes the writer says that it is full, and whoever feeds it pauses the source until it
/// has room again. The watcher goes on reading the kernel's queue all the while, and makes good later what it cannot keep.
///
/// A pipe or terminal is opened anew for writing without blocking: the mode belongs to the open file, which is shared with
/// other programs. Where that is not possible the mode is put back at the end.
final class OutputWriter {
  /// With this many bytes waiting it is full: 1 MiB. What comes until the source has paused is still taken.
  static let highMark = 1 << 20
  /// With no more than this it has room again.
  static let lowMark = 256 << 10
  private static let chunk = 64 << 10

  /// Whether it is full.
  private(set) var isFull = false
  /// Whether it is full, each time that changes. Completes when nobody reads any more, or fails when writing does.
  let fullness = PushOperation<Bool, UVError>()

  /// Called with what writes, to make room for it on the terminal.
  var around: (() -> Void) -> Void = { $0() }

  private let formatter: EventFormatter
  private let descriptor: Int32
  /// The mode of standard output, where it is to be put back.
  private let modeToRestore: Int32?
  private var poll: PollHandle?
  private var chunks: [[UInt8]] = [[]]
  private var offset = 0
  private var waiting = 0
  private var isScheduled = false
  private var isBlocked = false
  private let turn = SerialDisposable()

  /// Makes a writer to standard output.
  init(_ formatter: EventFormatter) {
    self.formatter = formatter
    let reopened = Self.isPipeOrTerminal ? open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1
    descriptor = reopened >= 0 ? reopened : STDOUT_FILENO
    // A regular file cannot be polled, and makes nobody wait.
    let isPolled = reopened >= 0 || Self.mode == S_IFSOCK || Self.mode == S_IFIFO
    modeToRestore = isPolled && reopened < 0 ? fcntl(STDOUT_FILENO, F_GETFL) : nil
    guard isPolled else { return }
    poll = try? PollHandle(descriptor: descriptor)
    poll?.keepsLoopAlive = false
    watch()
  }

  isolated deinit {
    if let modeToRestore { _ = fcntl(STDOUT_FILENO, F_SETFL, modeToRestore) }
  }

  private static var mode: mode_t {
    var status = stat()
    return fstat(STDOUT_FILENO, &status) == 0 ? status.st_mode & S_IFMT : 0
  }
  private static var isPipeOrTerminal: Bool { mode == S_IFIFO || mode == S_IFCHR && isatty(STDOUT_FILENO) != 0 }

  /// Appends an event; it is written on the loop's next turn.
  func append(_ event: FileEvent) {
    let index = chunks.count - 1
    let before = chunks[index].count
    formatter.append(event, to: &chunks[index])
    waiting += chunks[index].count - before
    if chunks[index].count >= Self.chunk { chunks.append([]) }
    if waiting >= Self.highMark { setFull(true) }
    if !isBlocked { schedule() }
  }

  private func schedule(after delay: Duration = .zero) {
    if isScheduled { return }
    isScheduled = true
    turn.inner = Loop.current.scheduler.schedule(after: delay) { [unowned self] in
      isScheduled = false
      around { flush() }
    }
  }

  /// Writes what waits, as far as the reader takes it.
  func flush() {
    while waiting > 0 {
      let count = chunks[0].withUnsafeBytes { write(descriptor, $0.baseAddress! + offset, $0.count - offset) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        if errno == EAGAIN { break }
        return fail(errno)
      }
      waiting -= count
      offset += count
      guard offset == chunks[0].count else { continue }
      offset = 0
      if chunks.count > 1 { chunks.removeFirst() } else { chunks[0].removeAll(keepingCapacity: true) }
    }
    if isBlocked != (waiting > 0) {
      isBlocked = waiting > 0
      watch()
    }
    // What cannot be polled is tried again.
    if isBlocked, poll == nil { schedule(after: .milliseconds(10)) }
    if waiting <= Self.lowMark { setFull(false) }
  }

  private func setFull(_ flag: Bool) {
    if isFull == flag { return }
    isFull = flag
    fullness.next(flag)
  }

  /// Waits for room where that is needed, and always for the reader to go away.
  private func watch() {
    do throws(UVError) {
      try poll?.start(isBlocked ? [.writable, .disconnect] : .disconnect) { [unowned self] result in
        switch result {
        case .success(let events) where events.contains(.writable): flush()
        case .success(let events): if events.contains(.disconnect) { close() }
        // libuv's word for an end that is closed.
        case .failure: close()
        }
      }
    } catch {
      fail(error)
    }
  }

  private func fail(_ number: Int32) {
    if number == EPIPE { close() } else { fail(UVError(errno: number, call: "write", path: "standard output")) }
  }

  private func fail(_ error: UVError) {
    poll?.dispose()
    fullness.failed(error)
  }

  private func close() {
    poll?.dispose()
    fullness.completed()
  }
}
