import CUV
import DequeModule
public import Streams

/// A file as a sink of bytes. Bytes are queued and written to the file in order, on libuv's thread pool.
///
/// ```swift
/// let writer = FileWriter("/tmp/copy")
/// writer.dispose(in: bag)
/// writer.write("first line\n")
/// writer.finish()
/// writer.readiness.observe { event in print(event) }.dispose(in: bag)
/// ```
///
/// `pipe(to:)` writes any stream of bytes to it, and pauses the stream while the queue is full. Errors, including those
/// of opening and closing, make `readiness` fail, and later writes are dropped. `readiness` completes when everything
/// has been written after `finish()`, and the file has been closed if the writer opened it.
///
/// A writer that nothing else retains finishes: the accepted bytes are written, and the file is closed if the writer
/// opened it. `dispose()` drops the queued bytes, makes `readiness` fail with `ECANCELED`, and closes the file if the
/// writer opened it.
///
/// Ownership: a write under way ===> FileWriter ===> File.
public final class FileWriter: ByteSink, Disposable {
  /// The most buffers in one write.
  private static let batch = 64

  private let loop: Loop
  private let path: String?
  private let ownsFile: Bool
  private var file: File?
  private var offset: Int64?
  private let marks: Watermarks
  private var waiting = Deque<Bytes>()
  private var count = 0
  private var step: (any Disposable)?
  private var watching: (any Disposable)?
  private var isWriting = true
  private var isFinishing = false
  private var isClosing = false
  private var end: Termination<UVError>?
  private let room = PushOperation<Void, UVError>()

  /// Makes a sink of an open file, which it does not close. Writes from `offset` on, or at the file's position. Writing
  /// fails with `EINVAL` if `offset` is negative.
  public init(_ file: File, at offset: Int64? = nil, watermarks: Watermarks = .bytes) {
    loop = file.loop
    path = file.path
    ownsFile = false
    self.file = file
    self.offset = offset
    self.marks = watermarks
    isWriting = false
    watch(file)
  }

  /// Makes a sink that opens a file at once, and closes it when it has ended. By default, the file is created, or
  /// emptied if it exists. Bytes that are written before the file is open wait.
  public init(
    _ path: String, options: FileOptions = [.create, .truncate], permissions: FilePermissions = .newFile,
    watermarks: Watermarks = .bytes, on loop: Loop = .current
  ) {
    self.loop = loop
    self.path = path
    ownsFile = true
    self.marks = watermarks
    step = Files.open(path, for: .writing, options: options, permissions: permissions).observe(
      next: { file in
        self.file = file
        self.isWriting = false
        self.watch(file)
        self.flush()
      }, termination: { end in if case .failed = end { self.terminate(end) } })
  }

  deinit {
    // Calls under way retain the writer, so nothing is queued.
    guard end == nil, let file else { return }
    if ownsFile {
      loop.mailbox.perform { [watching, room] in
        watching?.dispose()
        _ = file.onClosed { room.terminate($0.map { .failed($0) } ?? .completed) }
        file.dispose()
      }
    } else {
      // Later, because an observer must not run while the last reference is being released.
      // The loop's thread owns the captures of the job, and runs it.
      nonisolated(unsafe) let job = { [watching, room] in
        watching?.dispose()
        room.completed()
      }
      _ = loop.mailbox.postWhileClosing(job)
    }
  }

  /// Queues `bytes` and writes them in order. Copies nothing. Bytes written after `finish()` are dropped and reported
  /// through `Diagnostics`.
  public func write(_ bytes: Bytes) {
    if end != nil || bytes.isEmpty { return }
    loop.check()
    if isFinishing {
      Diagnostics.report("A write to a file after finish() was dropped. Write before you call finish().")
      return
    }
    waiting.append(bytes)
    count += bytes.count
    if count >= marks.high { isFull = true }
    flush()
  }

  /// True from when the queue has grown to its high watermark until it has shrunk to its low watermark, and after the
  /// writer has failed or been disposed.
  public private(set) var isFull = false

  /// The number of bytes that have been accepted and not yet written.
  public var queuedBytes: Int { count }

  /// Emits an element each time a full queue has shrunk to its low watermark.
  ///
  /// Completes when everything has been written after `finish()`. Fails with the first error, or with `ECANCELED` if
  /// the writer is disposed or the file is closed first. Hot; an observer that comes after the end receives the end at
  /// once.
  public var readiness: Operation<Void, UVError> { room.toOperation() }

  /// Ends the sink: queued bytes are still written, and later writes are dropped. Idempotent.
  public func finish() {
    if isFinishing || end != nil { return }
    loop.check()
    isFinishing = true
    flush()
  }

  /// True once the writer has ended.
  public var isDisposed: Bool { end != nil }

  /// Ends the writer and drops the queued bytes. The result of a write under way is not reported. Idempotent.
  public func dispose() {
    if end != nil { return }
    loop.check()
    terminate(.failed(UVError(code: UV_ECANCELED.rawValue, call: "write", path: path)))
  }

  /// Ends the writer if other code closes the file, or the loop shuts down.
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
    isFull = termination.failure != nil
    step.take()?.dispose()
    watching.take()?.dispose()
    let file = file.take()
    if ownsFile { file?.dispose() }
    room.terminate(termination)
  }
}

@available(*, unavailable)
extension FileWriter: Sendable {}
