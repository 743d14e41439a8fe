import CUV
import Callbacks
public import Streams

/// What bytes are read from and written to: a TCP connection, a pipe, a terminal.
///
/// Reading: `bytes` is the stream, `startReading` the raw way; one reader at a time. Nothing is read while nobody wants
/// it. Writing: `write` never waits; `isFull` and `readiness` tell a feeder when to. A connection closes by itself when both
/// directions have ended (the other side has finished and so has this one), when reading fails, when writing has failed and
/// nobody reads, and when nothing retains it while nothing is read or written. Otherwise `close()` ends it gracefully, and
/// `dispose()` at once. The first one that is made has the process ignore `SIGPIPE`, unless it has a handler: writing
/// to a peer that has stopped reading is an error (`EPIPE`) and does not end the program.
///
/// Ownership: libuv ===> handle ===> reader, writer; a subscription to `bytes` ===> handle. The reader goes when reading ends.
public class ByteStreamHandle: Handle, ByteSink {
  struct State: OptionSet {
    let rawValue: UInt16
    /// A reader is on the stack.
    static let isDelivering = State(rawValue: 1)
    /// The reader that is on the stack is the stack's to release.
    static let hasChanged = State(rawValue: 2)
    /// The reader has asked to wait.
    static let isPaused = State(rawValue: 4)
    /// `finish()` has been called.
    static let isFinishing = State(rawValue: 8)
    /// The last byte has been written, and the other side told so.
    static let isFinished = State(rawValue: 16)
    /// To be closed as soon as everything has been written.
    static let closes = State(rawValue: 32)
    /// To be closed without ceremony. For TCP.
    static let resets = State(rawValue: 64)
    /// What nobody reads is to be read and dropped.
    static let drains = State(rawValue: 128)
    /// Something has been accepted for writing, and may not have reached the peer.
    static let hasWritten = State(rawValue: 256)
    /// The system cannot report readiness, as for a file: it can be written, but not read.
    static let cannotBeWatched = State(rawValue: 512)
    /// libuv has a request to connect it.
    static let isConnecting = State(rawValue: 1024)
  }

  // Counted by hand: a delivery must not retain and release it. `removeReader` gives the reference back.
  @exclusivity(unchecked) private var reader: Unmanaged<ByteReader>?
  @exclusivity(unchecked) private(set) final var writer: ByteWriter?
  @exclusivity(unchecked) final var state: State = []
  // Small: a connection that is idle costs little more than libuv's part.
  @exclusivity(unchecked) private var readCode: Int16 = 0
  @exclusivity(unchecked) private var writeCode: Int16 = 0

  override init<Raw>(
    _ loop: Loop, _ type: Raw.Type, _ call: String,
    _ initialize: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<Raw>) -> Int32
  ) throws(UVError) {
    Self.ignoreBrokenPipes
    try super.init(loop, type, call, initialize)
  }

  /// libuv writes in a way that raises SIGPIPE where nobody reads any more. Writing fails with `EPIPE` instead, here and
  /// everywhere in the process, unless the program has a handler of its own. Child processes get the default back.
  private static let ignoreBrokenPipes: Void = headwater_ignore_broken_pipes()

  /// How reading has ended: `UV_EOF`, an error, or 0.
  private var readStatus: Int32 {
    get { Int32(readCode) }
    set { readCode = Int16(newValue) }
  }

  /// The error with which writing has ended, or 0.
  final var writeStatus: Int32 {
    get { Int32(writeCode) }
    set { writeCode = Int16(newValue) }
  }

  /// What it is connected to, as errors name it.
  var name: String? { nil }

  final override var summary: String {
    let peer = name.map { ", \(state.contains(.isConnecting) ? "connecting" : "connected") to \($0)" } ?? ""
    let isWriting = writer?.isIdle == false
    return super.summary + peer + (isWriting ? ", writing" : "")
  }

  /// libuv's requests do, whatever `keepsLoopAlive` says.
  final override var holdsLoop: Bool {
    super.holdsLoop || state.contains(.isConnecting) || writer?.isIdle == false
  }

  final var stream: UnsafeMutablePointer<uv_stream_t> { pointer(uv_stream_t.self) }

  func error(_ status: Int32, _ call: String) -> UVError { UVError(code: status, call: call, path: name) }

  // MARK: Reading

  /// What is read, as it comes: up to 64 KiB at a time, in memory that the elements share. Cold.
  ///
  /// Reading begins when it is observed, waits while the observer is paused, and stops when it is disposed of; what has not
  /// been read then is there for the next observer; a `values()` loop reads ahead, and drops that when it is left. Completes
  /// when the other side has finished; fails with what reading fails with, and with `ECANCELED` where the handle is closed
  /// meanwhile. There is one reader at a time: a second one fails with `EBUSY`; `share()` serves several.
  public final var bytes: Operation<Bytes, UVError> {
    .unguarded { observer in
      let reader = BytesReader(self, observer)
      self.startReading(reader, isPaused: observer.isPaused)
      return reader
    }
  }

  /// Has `reader` called with what is read, until it has ended or `stopReading()`.
  ///
  /// There is one reader at a time: a second one ends at once, with `EBUSY`.
  public final func startReading(_ reader: ByteReader) { startReading(reader, isPaused: false) }

  private func startReading(_ reader: ByteReader, isPaused: Bool) {
    loop.check()
    if self.reader != nil { return reader.ended(.failed(error(UV_EBUSY.rawValue, "uv_read_start"))) }
    if isDisposed { return reader.ended(.failed(error(UV_ECANCELED.rawValue, "uv_read_start"))) }
    if readStatus != 0 { return reader.ended(termination(readStatus)) }
    if isPaused { state.insert(.isPaused) } else { state.remove(.isPaused) }
    if !isPaused {
      let status = start()
      if status < 0 { return reader.ended(.failed(error(status, "uv_read_start"))) }
    }
    self.reader = .passRetained(reader)
  }

  private func start() -> Int32 {
    if state.contains(.cannotBeWatched) { return UV_EPERM.rawValue }
    return uv_read_start(
      stream,
      { handle, _, buffer in
        UntilClosed<Handle>.with(handle.unsafelyUnwrapped.pointee.data) { handle in
          handle.loop.readSlabs._withUnsafeGuaranteedRef { buffer.unsafelyUnwrapped.pointee = $0.room() }
        }
      },
      { handle, count, buffer in
        UntilClosed<Handle>.with(handle.unsafelyUnwrapped.pointee.data) { handle in
          unsafeDowncast(handle, to: ByteStreamHandle.self).didRead(count, buffer.unsafelyUnwrapped.pointee.base)
        }
      })
  }

  /// Stops reading and lets go of the reader, which is not told. What has not been read is there for the next one.
  public final func stopReading() {
    if reader == nil { return }
    loop.check()
    if !isDisposed { uv_read_stop(stream) }
    removeReader()
    closeIfOver()
    if isDisposed { return }
    if state.contains(.drains) { startReading(ByteReader()) } else { disposeLaterIfUnused() }
  }

  final func pauseReading() {
    if reader == nil || isDisposed || state.contains(.isPaused) { return }
    loop.check()
    state.insert(.isPaused)
    uv_read_stop(stream)
  }

  final func resumeReading() {
    if reader == nil || isDisposed || !state.contains(.isPaused) { return }
    loop.check()
    state.remove(.isPaused)
    let status = start()
    if status < 0 { endReading(status) }
  }

  @inline(__always)
  private func didRead(_ count: Int, _ memory: UnsafeMutablePointer<CChar>?) {
    if count <= 0 {
      // 0 is what other systems say for EAGAIN.
      let status = Int32(truncatingIfNeeded: count)
      if count < 0 { endReading(status == UV_EOF.rawValue ? pendingError ?? status : status) }
      return
    }
    guard let reader, let memory else { return }
    state.insert(.isDelivering)
    loop.readSlabs._withUnsafeGuaranteedRef { slabs in
      reader._withUnsafeGuaranteedRef { $0.received(count, memory, slabs) }
    }
    state.remove(.isDelivering)
    if state.contains(.hasChanged) {
      state.remove(.hasChanged)
      reader.release()
    }
  }

  /// The error of the socket. libuv reports a connection that is reset right after its last bytes as one that has ended.
  private var pendingError: Int32? {
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard let descriptor = try? descriptor(),
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0, error != 0
    else { return nil }
    return uv_translate_sys_error(error)
  }

  /// Lets go of the reader, now or when it has returned.
  private func removeReader() {
    guard let old = reader else { return }
    reader = nil
    if state.contains(.isDelivering), !state.contains(.hasChanged) {
      state.insert(.hasChanged)
    } else {
      old.release()
    }
  }

  private func endReading(_ status: Int32) {
    readStatus = status
    let old = reader?.takeUnretainedValue()
    removeReader()
    // What is queued cannot arrive any more, and is told why.
    if status != UV_EOF.rawValue { failWriting(status, "read") }
    old?.ended(termination(status))
    if status != UV_EOF.rawValue { return dispose() }
    closeIfOver()
    // Not at once: the callers still refer to it.
    if !isDisposed { disposeLaterIfUnused() }
  }

  private func termination(_ status: Int32) -> Termination<UVError> {
    status == UV_EOF.rawValue ? .completed : .failed(error(status, "read"))
  }

  /// True once the other side has finished, or reading has failed.
  public final var hasReadEnd: Bool { readStatus != 0 }

  // MARK: Ending

  /// Ends it in peace: what is queued is written, the other side is told that there is no more, and the handle closes. What
  /// the other side still sends is not read. A second call does nothing.
  ///
  /// It waits for as long as the other side does not read; `dispose()` does not.
  public final func close() {
    if isDisposed || state.contains(.closes) { return }
    state.insert(.closes)
    finish()
    closeIfOver()
  }

  /// Closes it where nothing can happen any more.
  final func closeIfOver() {
    if isDisposed { return }
    let isWritten = state.contains(.isFinished) || writeStatus != 0 || isReadOnly
    // A connection that cannot be written and that nobody reads is of no use.
    let isRead =
      readStatus != 0 || state.contains(.closes) || uv_is_readable(stream) == 0 || (writeStatus != 0 && reader == nil)
    if isWritten && isRead { dispose() }
  }

  /// The other end of this pipe is written by somebody else.
  private var isReadOnly: Bool { !state.contains(.isFinishing) && uv_is_writable(stream) == 0 }

  /// True while nothing is under way: there is no reader, nothing is queued, and the other side has been told what there is.
  final override var isUnused: Bool { reader == nil && writer?.isIdle ?? true }

  /// Lingers where something has been written: a connection that is closed while something has not been read is reset, and
  /// what is still on its way is lost. Files and terminals are no connections.
  final override func endUnused() {
    let isConnection = !state.contains(.cannotBeWatched) && !(self is TTYHandle)
    if isConnection, state.contains(.hasWritten), readStatus == 0, writeStatus == 0 {
      linger()
    } else {
      dispose()
    }
  }

  final func needWriter() -> ByteWriter {
    if let writer { return writer }
    let made = ByteWriter()
    writer = made
    return made
  }

  override func willFree() {
    if let old = reader?.takeUnretainedValue() {
      removeReader()
      old.ended(state.contains(.closes) ? .completed : .failed(error(UV_ECANCELED.rawValue, "read")))
    }
    if !state.contains(.isFinished) { failWriting(UV_ECANCELED.rawValue, "write") }
    writer = nil
  }
}

extension UntilClosed {
  /// Calls `body` with the object behind a pointer that came back from C, without counting references: C holds one.
  @inline(__always)
  static func with<Result>(_ context: UnsafeMutableRawPointer?, _ body: (Object) -> Result) -> Result {
    Unmanaged<Object>.fromOpaque(context.unsafelyUnwrapped)._withUnsafeGuaranteedRef(body)
  }
}
