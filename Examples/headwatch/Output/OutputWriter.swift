import Headwater

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output that never makes the program wait.
///
/// What is appended during one turn of the loop is written with one call on the next. When the reader is slow the rest
/// waits in memory, up to `bound` bytes; beyond that events are dropped and, when the reader has caught up, one overflow
/// record for each watched path says so. The file events are read all the while.
///
/// A pipe or terminal is opened anew for writing without blocking: the mode belongs to the open file, which is shared with
/// other programs.
final class OutputWriter {
  /// The most that waits for a slow reader: 64 MiB.
  nonisolated static let bound = 64 << 20
  private static let chunk = 64 << 10

  /// Completes when nobody reads any more, or fails when writing does.
  let ended = PushOperation<Never, UVError>()

  private let formatter: EventFormatter
  private let roots: [BytePath]
  private let descriptor: Int32
  private let bound: Int
  private var poll: PollHandle?
  private var chunks: [[UInt8]] = [[]]
  private var offset = 0
  private var waiting = 0
  private var isScheduled = false
  private var isBlocked = false
  private var hasDropped = false
  private let turn = SerialDisposable()

  /// Makes a writer to standard output.
  init(_ formatter: EventFormatter, roots: [BytePath], bound: Int = OutputWriter.bound) {
    self.formatter = formatter
    self.roots = roots
    self.bound = bound
    let reopened = Self.isPipeOrTerminal ? open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1
    descriptor = reopened >= 0 ? reopened : STDOUT_FILENO
    // A regular file cannot be polled, and never makes anybody wait.
    guard reopened >= 0 || Self.isSocket else { return }
    poll = try? PollHandle(descriptor: descriptor)
    poll?.keepsLoopAlive = false
    watch()
  }

  private static var mode: mode_t {
    var status = stat()
    return fstat(STDOUT_FILENO, &status) == 0 ? status.st_mode & S_IFMT : 0
  }
  private static var isPipeOrTerminal: Bool { mode == S_IFIFO || mode == S_IFCHR && isatty(STDOUT_FILENO) != 0 }
  private static var isSocket: Bool { mode == S_IFSOCK }

  /// Appends an event; it is written on the loop's next turn.
  func append(_ event: FileEvent) {
    if waiting >= bound { hasDropped = true }
    if hasDropped { return }
    let index = chunks.count - 1
    let before = chunks[index].count
    formatter.append(event, to: &chunks[index])
    waiting += chunks[index].count - before
    if chunks[index].count >= Self.chunk { chunks.append([]) }
    schedule()
  }

  private func schedule() {
    if isScheduled || isBlocked { return }
    isScheduled = true
    turn.inner = Loop.current.scheduler.schedule(after: .zero) { [unowned self] in
      isScheduled = false
      flush()
    }
  }

  /// Writes what waits, as far as the reader takes it.
  func flush() {
    while waiting > 0 {
      let count = chunks[0].withUnsafeBytes { write(descriptor, $0.baseAddress! + offset, $0.count - offset) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        if errno == EAGAIN { return block() }
        return fail(errno)
      }
      waiting -= count
      offset += count
      guard offset == chunks[0].count else { continue }
      offset = 0
      if chunks.count > 1 { chunks.removeFirst() } else { chunks[0].removeAll(keepingCapacity: true) }
    }
    if isBlocked {
      isBlocked = false
      watch()
    }
    if hasDropped {
      hasDropped = false
      for root in roots { append(FileEvent(.overflow, root, isDirectory: true)) }
    }
  }

  /// Goes on when the reader has made room.
  private func block() {
    if isBlocked { return }
    isBlocked = true
    watch()
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
    ended.failed(error)
  }

  private func close() {
    poll?.dispose()
    ended.completed()
  }
}
