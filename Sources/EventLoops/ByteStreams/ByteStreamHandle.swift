import CUV
import Callbacks
public import Streams

/// A connection that bytes are read from and written to: a TCP connection, a pipe, or a terminal.
///
/// To read, observe the stream `bytes`, or call `startReading` with a reader of your own. There is one reader at a
/// time, and nothing is read without one. To write, call `write`, which never waits; `isFull` and `readiness` tell you
/// when to pause.
///
/// A connection closes by itself in these cases:
/// - both sides have finished;
/// - reading has failed;
/// - writing has failed and there is no reader;
/// - nothing retains it, and nothing is being read or written. If something other than its own streams has retained it
///   meanwhile, it closes later: after about as long as it was retained, and within 30 seconds.
///
/// Otherwise, `close()` ends it gracefully and `dispose()` ends it at once.
///
/// Making the first connection sets `SIGPIPE` to be ignored, unless the program has a handler for it. Writing to a peer
/// that has stopped reading is then an error (`EPIPE`) and does not end the program.
///
/// Ownership: libuv ===> handle ===> reader, writer; a subscription to `bytes` ===> handle. The reader is released when
/// reading ends.
public class ByteStreamHandle: Handle, ByteSink {
  // The statuses are those of libuv, in 16 bits, so that an idle connection costs little more than libuv's part.

  enum Reading: Equatable {
    /// Bytes are read if there is a reader.
    case open
    /// The observer has paused.
    case paused
    /// Reading has ended, with `UV_EOF` or an error.
    case ended(Int16)
  }

  enum Writing: Equatable {
    case open
    /// `finish()` has been called.
    case finishing
    /// The last byte has been written, and the peer has been notified.
    case finished
    /// Writing has ended with an error.
    case failed(Int16)
  }

  /// What ends the handle.
  enum Ending {
    /// Its own end, or the user.
    case none
    /// Nothing refers to the connection, which still writes. Meanwhile bytes are read and dropped.
    case abandoned
    /// Bytes without a reader are read and dropped.
    case draining
    /// The handle closes as soon as everything has been written.
    case closing
    /// The handle resets the connection when it closes. For TCP.
    case resetting
  }

  private enum Delivery {
    case none
    /// The reader is being called.
    case running
    /// The reader that is being called must be released after the call.
    case last
  }

  // Counted by hand: a delivery must not retain and release it. `removeReader` balances the retain.
  @exclusivity(unchecked) private var reader: Unmanaged<ByteReader>?
  @exclusivity(unchecked) private(set) final var writer: ByteWriter?
  @exclusivity(unchecked) private var reading = Reading.open
  @exclusivity(unchecked) final var writing = Writing.open
  @exclusivity(unchecked) final var ending = Ending.none
  @exclusivity(unchecked) private var delivery = Delivery.none
  /// True if bytes have been accepted for writing, and may not have reached the peer.
  @exclusivity(unchecked) final var hasWritten = false
  /// True if the system cannot report readiness, as for a file: it can be written, but not read.
  @exclusivity(unchecked) final var cannotBeWatched = false
  /// Present while something retains the connection and it is unused.
  @exclusivity(unchecked) private var referenceCheck: ReferenceCheck?
  /// The shutdown until which the connection is served.
  weak final var shutdown: GracefulShutdown?
  /// True while libuv has a request to connect the handle.
  @exclusivity(unchecked) final var isConnecting = false

  override init<Raw>(
    _ loop: Loop, _ type: Raw.Type, _ call: String,
    _ initialize: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<Raw>) -> Int32
  ) throws(UVError) {
    Self.ignoreBrokenPipes
    try super.init(loop, type, call, initialize)
  }

  /// Sets SIGPIPE to be ignored, unless the program has a handler.
  ///
  /// libuv's writes raise SIGPIPE if the peer has stopped reading. With the signal ignored, writing fails with `EPIPE`
  /// instead, everywhere in the process. Child processes get the default action back.
  static let ignoreBrokenPipes: Void = headwater_ignore_broken_pipes()

  /// How reading has ended: `UV_EOF`, an error, or 0.
  private var readStatus: Int32 { if case .ended(let status) = reading { Int32(status) } else { 0 } }

  /// The error with which writing has ended, or 0.
  final var writeStatus: Int32 { if case .failed(let status) = writing { Int32(status) } else { 0 } }

  /// The peer's name, for errors.
  var name: String? { nil }

  final override var summary: String {
    let peer = name.map { ", \(isConnecting ? "connecting" : "connected") to \($0)" } ?? ""
    let isWriting = writer?.isIdle == false
    return super.summary + peer + (isWriting ? ", writing" : "")
  }

  /// Requests of libuv keep the loop alive, regardless of `keepsLoopAlive`.
  final override var holdsLoop: Bool {
    super.holdsLoop || isConnecting || writer?.isIdle == false
  }

  final var stream: UnsafeMutablePointer<uv_stream_t> { pointer(uv_stream_t.self) }

  func error(_ status: Int32, _ call: String) -> UVError { UVError(code: status, call: call, path: name) }

  // MARK: Reading

  /// Emits the bytes as they are read, up to 64 KiB at a time, in memory that the elements share. Cold.
  ///
  /// Reading begins when it is observed, stops while the observer is paused, and ends when it is disposed. Unread bytes
  /// are left for the next observer. A `values()` loop reads ahead, and drops those bytes when the loop is left.
  ///
  /// Completes when the peer has finished. Fails with the error of reading, or with `ECANCELED` if the handle is closed
  /// first. There is one reader at a time: a second one fails with `EBUSY`. Use `share()` for several.
  public final var bytes: Operation<Bytes, UVError> {
    .unguarded { observer in
      let reader = BytesReader(self, observer)
      self.startReading(reader, isPaused: observer.isPaused)
      return reader
    }
  }

  /// Calls `reader` with the bytes as they are read, until reading has ended or `stopReading()` is called.
  ///
  /// There is one reader at a time: a second one ends at once, with `EBUSY`.
  public final func startReading(_ reader: ByteReader) { startReading(reader, isPaused: false) }

  private func startReading(_ reader: ByteReader, isPaused: Bool) {
    loop.check()
    if self.reader != nil { return reader.ended(.failed(error(UV_EBUSY.rawValue, "uv_read_start"))) }
    if isDisposed { return reader.ended(.failed(error(UV_ECANCELED.rawValue, "uv_read_start"))) }
    if readStatus != 0 { return reader.ended(termination(readStatus)) }
    reading = isPaused ? .paused : .open
    if !isPaused {
      let status = start()
      if status < 0 { return reader.ended(.failed(error(status, "uv_read_start"))) }
    }
    self.reader = .passRetained(reader)
    // It is in use now. The end of reading looks for references again.
    referenceCheck.take()?.stop()
  }

  private func start() -> Int32 {
    if cannotBeWatched { return UV_EPERM.rawValue }
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

  /// Stops reading and releases the reader without notifying it. Unread bytes are left for the next reader.
  public final func stopReading() {
    if reader == nil { return }
    loop.check()
    if !isDisposed { uv_read_stop(stream) }
    removeReader()
    closeIfOver()
    if isDisposed { return }
    if ending == .draining { startReading(ByteReader()) } else { disposeLaterIfUnused() }
  }

  final func pauseReading() {
    if reader == nil || isDisposed || reading == .paused { return }
    loop.check()
    reading = .paused
    uv_read_stop(stream)
  }

  final func resumeReading() {
    if reader == nil || isDisposed || reading != .paused { return }
    loop.check()
    reading = .open
    let status = start()
    if status < 0 { endReading(status) }
  }

  @inline(__always)
  private func didRead(_ count: Int, _ memory: UnsafeMutablePointer<CChar>?) {
    if count <= 0 {
      // Other systems report 0 for EAGAIN.
      let status = Int32(truncatingIfNeeded: count)
      if count < 0 { endReading(status == UV_EOF.rawValue ? resetError ?? status : status) }
      return
    }
    guard let reader, let memory else { return }
    delivery = .running
    loop.readSlabs._withUnsafeGuaranteedRef { slabs in
      reader._withUnsafeGuaranteedRef { $0.received(count, memory, slabs) }
    }
    let wasLast = delivery == .last
    delivery = .none
    if wasLast { reader.release() }
  }

  /// The errors of a connection that is broken, and not only one of its directions.
  private static let breaks = [UV_ECONNRESET, UV_ETIMEDOUT, UV_EHOSTUNREACH, UV_ENETUNREACH, UV_EHOSTDOWN, UV_ENETDOWN]
    .map { Int32($0.rawValue) }

  /// The error of a connection that is broken. libuv reports one that is reset right after its last bytes as one that
  /// has ended. A write before the next read takes the error from the socket.
  private var resetError: Int32? {
    if Self.breaks.contains(writeStatus) { return writeStatus }
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard let descriptor = try? descriptor(),
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0, error != 0
    else { return nil }
    return uv_translate_sys_error(error)
  }

  /// Releases the reader: now, or after the call that is running.
  private func removeReader() {
    guard let old = reader else { return }
    reader = nil
    if delivery == .running { delivery = .last } else { old.release() }
  }

  private func endReading(_ status: Int32) {
    reading = .ended(Int16(status))
    let old = reader?.takeUnretainedValue()
    removeReader()
    // Queued bytes can no longer arrive; their writers receive the reason.
    if status != UV_EOF.rawValue { failWriting(status, "read") }
    old?.ended(termination(status))
    if status != UV_EOF.rawValue { return dispose() }
    closeIfOver()
    // Not at once, because the callers still use the handle.
    if !isDisposed { disposeLaterIfUnused() }
  }

  private func termination(_ status: Int32) -> Termination<UVError> {
    status == UV_EOF.rawValue ? .completed : .failed(error(status, "read"))
  }

  /// True once the peer has finished or reading has failed.
  public final var hasReadEnd: Bool { readStatus != 0 }

  // MARK: Ending

  /// Closes the connection gracefully: the queued bytes are written, then the writing side is closed, and then the
  /// handle. Bytes that the peer still sends are not read. Idempotent.
  ///
  /// Waits as long as the peer does not read; `dispose()` does not wait.
  public final func close() {
    if isDisposed || ending == .closing { return }
    ending = .closing
    finish()
    closeIfOver()
  }

  /// Closes the handle if no more bytes can be read or written.
  final func closeIfOver() {
    if isDisposed { return }
    let isWritten = writing == .finished || writeStatus != 0 || isReadOnly
    // A connection that cannot be written and has no reader is of no use.
    let isRead =
      readStatus != 0 || ending == .closing || uv_is_readable(stream) == 0 || (writeStatus != 0 && reader == nil)
    if isWritten && isRead { dispose() }
  }

  /// True if this is the reading end of a pipe.
  private var isReadOnly: Bool { writing == .open && hasNoWritingSide }

  /// True for the reading end of a pipe, and for a connection whose reading has failed.
  final var hasNoWritingSide: Bool { uv_is_writable(stream) == 0 }

  /// True if nothing is under way: there is no reader, and nothing is queued.
  final override var isUnused: Bool { (reader == nil || ending == .abandoned) && writer?.isIdle ?? true }

  /// Reads and drops while the queue is written: a peer that answers what it reads would otherwise stop reading.
  final override func wasAbandoned() {
    if ending != .none || reader != nil || !isConnection || readStatus != 0 || writeStatus != 0 || isDisposed { return }
    ending = .abandoned
    startReading(ByteReader())
  }

  /// Looks again later, because nothing announces that the last reference has gone.
  final override func wasKept() {
    if !isConnection || isDisposed { return }
    let check = referenceCheck ?? ReferenceCheck(self, on: loop)
    referenceCheck = check
    check.wait()
  }

  private var isConnection: Bool { !cannotBeWatched && !(self is TTYHandle) }

  /// Ends the handle. A connection with written bytes lingers, because the system resets a connection that is closed
  /// with unread bytes and drops the bytes under way. Files and terminals are not connections.
  final override func endUnused() {
    if ending == .abandoned { ending = .none }
    if isConnection, hasWritten, readStatus == 0, writeStatus == 0 {
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
    referenceCheck.take()?.stop()
    if let old = reader?.takeUnretainedValue() {
      removeReader()
      old.ended(ending == .closing ? .completed : .failed(error(UV_ECANCELED.rawValue, "read")))
    }
    if writing != .finished { failWriting(UV_ECANCELED.rawValue, "write") }
    writer = nil
  }
}

extension UntilClosed {
  /// Calls `body` with the object behind a pointer from C, without counting references: C retains the object.
  @inline(__always)
  static func with<Result>(_ context: UnsafeMutableRawPointer?, _ body: (Object) -> Result) -> Result {
    Unmanaged<Object>.fromOpaque(context.unsafelyUnwrapped)._withUnsafeGuaranteedRef(body)
  }
}
