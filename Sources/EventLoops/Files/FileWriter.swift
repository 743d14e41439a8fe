import CUV
import DequeModule
public import Streams

/// A file as a sink of bytes: what is written is queued, and goes to the file in order, on libuv's thread pool.
///
/// ```swift
/// let writer = FileWriter("/tmp/copy")
/// writer.dispose(in: bag)
/// writer.write("first line\n")
/// writer.finish()
/// writer.readiness.observe { event in print(event) }.dispose(in: bag)
/// ```
///
/// `pipe(to:)` connects it with any stream of bytes, which is made to wait while the queue is full. What goes wrong, opening and
/// closing included, fails `readiness`; what is written afterwards is dropped. `readiness` completes when all has been
/// written after `finish()`, and a file that it has opened itself has been closed.
///
/// If there is no other reference to a writer, it finishes: what it has accepted is written, and then a file that it has opened
/// itself is closed. `dispose()` drops what is queued, fails `readiness` with `ECANCELED`, and closes a file that it has opened
/// itself.
///
/// Ownership: a write under way ===> FileWriter ===> File.
public final class FileWriter: ByteSink, Disposable {
  /// The most buffers that one call writes.
  private static let batch = 64

  private let loop: Loop
  private let path: String?
  private let ownsFile: Bool
  private var file: File?
  private var offset: Int64?
  private let marks: QueueMarks
  private var waiting = Deque<Bytes>()
  private var count = 0
  private var step: (any Disposable)?
  private var watching: (any Disposable)?
  private var isWriting = true
  private var isFinishing = false
  private var isClosing = false
  private var end: Termination<UVError>?
  private let room = PushOperation<Void, UVError>()

  /// Makes a sink of an open file, which stays somebody else's to close. Writes from `offset` on, or at the file's position.
  /// Writing fails with `EINVAL` if `offset` is below 0.
  public init(_ file: File, at offset: Int64? = nil, marks: QueueMarks = .standard) {
    loop = file.loop
    path = file.path
    ownsFile = false
    self.file = file
    self.offset = offset
    self.marks = marks
    isWriting = false
    watch(file)
  }

  /// Makes a sink that opens a file, at once, and closes it when it has ended. Without other `options` the file is made, or
  /// begins anew. What is written before it is open waits.
  public init(
    _ path: String, options: FileOptions = [.create, .truncate], permissions: FilePermissions = .newFile,
    marks: QueueMarks = .standard, on loop: Loop = .current
  ) {
    self.loop = loop
    self.path = path
    ownsFile = true
    self.marks = marks
    step = Files.open(path, for: .writing, options: options, permissions: permissions).observe(
      next: { file in
        self.file = file
        self.isWriting = false
        self.watch(file)
        self.flush()
      }, termination: { end in if case .failed = end { self.terminate(end) } })
  }

  deinit {
    // Calls under way retain it, so nothing is queued.
    guard end == nil, let file else { return }
    if ownsFile {
      loop.mailbox.perform { [watching, room] in
        watching?.dispose()
        _ = file.onClosed { room.terminate($0.map { .failed($0) } ?? .completed) }
        file.dispose()
      }
    } else {
      // Later: an observer must not run while the last reference is being given up.
      // The loop's thread owns what the job captures, and runs it.
      nonisolated(unsafe) let job = { [watching, room] in
        watching?.dispose()
        room.completed()
      }
      _ = loop.mailbox.post(job)
    }
  }

  /// See `ByteSink`. Copies nothing.
  public func write(_ bytes: Bytes) {
    if end != nil || bytes.isEmpty { return }
    loop.check()
    if isFinishing {
      Diagnostics.report("What is written to a file after finish() is dropped: write it before.")
      return
    }
    waiting.append(bytes)
    count += bytes.count
    if count >= marks.high { isFull = true }
    flush()
  }

  /// See `ByteSink`.
  public private(set) var isFull = false

  /// How many bytes have been accepted and not yet written.
  public var queuedBytes: Int { count }

  /// See `ByteSink`.
  public var readiness: Operation<Void, UVError> { room.toOperation() }

  /// See `ByteSink`.
  public func finish() {
    if isFinishing || end != nil { return }
    loop.check()
    isFinishing = true
    flush()
  }

  /// True once it has ended.
  public var isDisposed: Bool { end != nil }

  /// Drops what is queued. A write that is under way ends unheard.
  public func dispose() {
    if end != nil { return }
    loop.check()
    terminate(.failed(UVError(code: UV_ECANCELED.rawValue, call: "write", path: path)))
  }

  /// Closed by somebody else, such as the loop's shutdown: nothing can be written any more.
  private func watch(_ file: File) {
    watching = file.onClosed { [weak self] _ in
      if let self, !isClosing { terminate(.failed(UVError(code: UV_ECANCELED.rawValue, call: "write", path: path))) }
    }
  }

  private func flush() {
    guard let file, !isWriting, end == nil else { return }
    if waiting.isEmpty {
      if isFinishing { close(file) }
      return
    }
    isWriting = true
    let batch = Array(waiting.prefix(FileWriter.batch))
    waiting.removeFirst(batch.count)
    let size = batch.reduce(0) { $0 + $1.count }
    step = file.write(batch, at: offset).observe(
      next: { self.didWrite(size) }, termination: { end in if case .failed = end { self.terminate(end) } })
  }

  private func didWrite(_ size: Int) {
    offset = offset.map { $0 + Int64(size) }
    count -= size
    isWriting = false
    let hasRoom = isFull && count <= marks.low
    if hasRoom { isFull = false }
    flush()
    if hasRoom { room.next() }
  }

  private func close(_ file: File) {
    isWriting = true
    if !ownsFile { return terminate(.completed) }
    isClosing = true
    step = file.close().observe(
      next: { _ in }, termination: { self.terminate($0) })
  }

  private func terminate(_ termination: Termination<UVError>) {
    if end != nil { return }
    end = termination
    waiting = []
    count = 0
    isFull = false
    step.take()?.dispose()
    watching.take()?.dispose()
    let file = file.take()
    if ownsFile { file?.dispose() }
    room.terminate(termination)
  }
}

@available(*, unavailable)
extension FileWriter: Sendable {}
