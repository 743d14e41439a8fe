import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A writer to standard output that does not block on a pipe or a terminal.
///
/// Events that are appended in one loop iteration are written with one call in the next iteration. If the reader is
/// slow, the backlog stays in memory. At `highMark` bytes, the writer reports that it is full, and the session pauses
/// the source until there is room again. Meanwhile, the watcher continues to read the kernel's queue. It later reports
/// the changes that it could not keep.
///
/// A pipe or a terminal is opened again in nonblocking mode, because the mode belongs to the open file, which other
/// programs share. If opening it again is not possible, the original mode is restored at the end.
final class OutputWriter {
  /// The backlog at which the writer is full: 1 MiB. Events that are delivered before the source has paused are still
  /// accepted.
  static let highMark = 1 << 20
  /// The backlog at which the writer has room again: 256 KiB.
  static let lowMark = 256 << 10
  private static let chunk = 64 << 10

  /// Whether the backlog has reached `highMark` and has not yet fallen to `lowMark`.
  private(set) var isFull = false
  /// Emits `isFull` when it changes. Completes when the reader closes the pipe, and fails if a write fails.
  let fullness = PushOperation<Bool, UVError>()

  /// Called with a closure that writes, so that the console can erase the status line first.
  var around: (() -> Void) -> Void = { $0() }

  private let formatter: EventFormatter
  private let descriptor: Int32
  /// The mode of standard output, if it must be restored.
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
    // A regular file cannot be polled, and writing to it does not wait for a reader.
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

  /// Appends an event, which is written on the next loop iteration.
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

  /// Writes as much of the backlog as the reader accepts.
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
    // Output that cannot be polled is tried again after 10 ms.
    if isBlocked, poll == nil { schedule(after: .milliseconds(10)) }
    if waiting <= Self.lowMark { setFull(false) }
  }

  private func setFull(_ flag: Bool) {
    if isFull == flag { return }
    isFull = flag
    fullness.next(flag)
  }

  /// Polls for the end of the reader, and also for room if the last write was incomplete.
  private func watch() {
    do throws(UVError) {
      try poll?.start(isBlocked ? [.writable, .disconnect] : .disconnect) { [unowned self] result in
        switch result {
        case .success(let events) where events.contains(.writable): flush()
        case .success(let events): if events.contains(.disconnect) { close() }
        // libuv reports a closed pipe as an error.
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
