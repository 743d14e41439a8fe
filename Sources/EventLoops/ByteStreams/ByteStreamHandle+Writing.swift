import CUV
import Callbacks
import DequeModule
public import Streams

extension ByteStreamHandle {
  /// Writes `bytes` at once if nothing is queued, and queues the rest. Copies nothing: the queue retains the memory of
  /// the bytes.
  ///
  /// Never waits and never throws. `readiness` reports errors, and `writing(_:)` reports the result for its bytes.
  /// Bytes written to a connection that has failed or closed are dropped. Bytes written after `finish()` are dropped
  /// and reported through `Diagnostics`.
  public final func write(_ bytes: Bytes) { write(bytes, with: nil, nil) }

  /// Writes `bytes` at once if nothing is queued, and queues a copy of the rest.
  public final func write(copying bytes: RawSpan) {
    if canWrite(nil) {
      let count = writer?.isIdle ?? true ? attempt(bytes) : 0
      if count < bytes.byteCount, writeStatus == 0 {
        enqueue(Bytes(copying: bytes.extracting(count...)), with: nil, nil)
      }
    }
  }

  /// Writes as many of `bytes` as the system accepts at once, and returns their number: 0 if other bytes are queued.
  ///
  /// Nothing is retained. Throws the error of writing, `EPIPE` after `finish()`, or `ECANCELED` if the handle is
  /// closed. No more bytes can be written then.
  public final func tryWrite(_ bytes: RawSpan) throws(UVError) -> Int {
    guard canWrite(nil), writer?.isIdle ?? true else {
      if writeStatus != 0 || isDisposed || isFinishing { throw writeError }
      return 0
    }
    let count = attempt(bytes)
    if writeStatus != 0 { throw writeError }
    return count
  }

  /// Writes `bytes` when observed. Emits one element when the system has accepted the last byte, and completes.
  ///
  /// Fails if they could not be written: with the error of writing, `EPIPE` after `finish()`, or `ECANCELED` if the
  /// handle is closed first. Disposing does not take the bytes back, because a part of them may have been sent.
  public final func writing(_ bytes: Bytes) -> Operation<Void, UVError> {
    Operation { observer in
      self.write(bytes, with: nil) { error in
        if let error { return observer.failed(error) }
        observer.next()
        observer.completed()
      }
      return .none
    }
  }

  final func write(_ bytes: Bytes, with handle: ByteStreamHandle?, _ done: ((UVError?) -> Void)?) {
    guard canWrite(done) else { return }
    var rest = bytes
    if handle == nil, writer?.isIdle ?? true {
      let count = attempt(bytes.rawSpan)
      if count == bytes.count || writeStatus != 0 {
        done?(writeStatus == 0 ? nil : writeError)
        return
      }
      rest = bytes.dropFirst(count)
    }
    enqueue(rest, with: handle, done)
  }

  /// Returns true if bytes can be written; otherwise reports the reason.
  @inline(__always)
  private func canWrite(_ done: ((UVError?) -> Void)?) -> Bool {
    if !isDisposed {
      loop.check()
      if writing == .open {
        hasWritten = true
        return true
      }
    }
    refuse(done)
    return false
  }

  @inline(never)
  private func refuse(_ done: ((UVError?) -> Void)?) {
    if let done {
      done(writeError)
    } else if isFinishing, !isDisposed {
      let which = name.map { " (\($0))" } ?? ""
      Diagnostics.report("A write after finish() was dropped\(which). Write before you call finish().")
    }
  }

  /// True after `finish()`, unless writing has failed.
  private var isFinishing: Bool { writing == .finishing || writing == .finished }

  /// The reason why no more bytes can be written.
  private var writeError: UVError {
    if writeStatus != 0 { return error(writeStatus, "write") }
    return error(isDisposed ? UV_ECANCELED.rawValue : UV_EPIPE.rawValue, "write")
  }

  /// Writes as many bytes as the system accepts at once, and returns their number. A failure ends writing.
  private func attempt(_ bytes: RawSpan) -> Int {
    let status = bytes.withUnsafeBytes { bytes in
      var buffer = uv_buf_t(reading: bytes)
      return uv_try_write(stream, &buffer, 1)
    }
    if status >= 0 { return Int(status) }
    if status != UV_EAGAIN.rawValue { failWriting(status, "write") }
    return 0
  }

  private func enqueue(_ bytes: Bytes, with handle: ByteStreamHandle?, _ done: ((UVError?) -> Void)?) {
    let writer = needWriter()
    writer.add(ByteWriter.Entry(bytes: bytes, handle: handle, done: done))
    flush(writer)
  }

  private func flush(_ writer: ByteWriter) {
    let status = writer.flush(stream) { request, status in
      ByteStreamHandle.answered(request.unsafelyUnwrapped.pointee.handle) { $0.didWrite(status) }
    }
    // If libuv refuses the request, it does not call back.
    if status < 0 { didWrite(status) }
  }

  /// Called when libuv has answered a request. Disposes the handle if it is unused now.
  private static func answered(_ memory: UnsafeMutablePointer<uv_stream_t>, _ body: (ByteStreamHandle) -> Void) {
    UntilClosed<Handle>.with(memory.pointee.data) { body(unsafeDowncast($0, to: ByteStreamHandle.self)) }
    Handle.disposeIfUnused(UnsafeMutableRawPointer(memory).assumingMemoryBound(to: uv_handle_t.self))
  }

  private func didWrite(_ status: Int32) {
    guard let writer else { return }
    let written = writer.takeWritten()
    if status < 0 {
      return failWriting(status, "write", first: written)
    }
    // Before the callbacks run, so that their writes come after the pending ones.
    if !isDisposed, writeStatus == 0 { flush(writer) }
    for entry in written { entry.done?(nil) }
    if writeStatus != 0 { return failWriting(writeStatus, "write") }
    if writer.didGetRoom() { writer.tellRoom() }
    if writing == .finishing, writer.isIdle, !isDisposed { shutDown(writer) }
  }

  /// Ends writing with an error, once. Pending writes are dropped and their callbacks notified, those of `first` before
  /// the others.
  final func failWriting(_ status: Int32, _ call: String, first: [ByteWriter.Entry] = []) {
    if writing == .open || writing == .finishing { writing = .failed(Int16(status)) }
    for entry in first { entry.done?(error(writeStatus, call)) }
    // Later writes are notified after the request that libuv has.
    if writeStatus == 0 { return }
    guard let writer else { return closeIfOver() }
    if writer.isUnderWay { return }
    let error = error(writeStatus, call)
    for entry in writer.takeAll() { entry.done?(error) }
    writer.end(error)
    closeIfOver()
  }

  // MARK: Finishing

  /// Closes the writing side after the queued writes (a half close). Reading continues. Idempotent.
  public final func finish() {
    if isDisposed || writing != .open { return }
    loop.check()
    writing = .finishing
    let writer = needWriter()
    if writer.isIdle { shutDown(writer) }
  }

  /// Closes the writing side when observed. Emits one element when everything has been written and the peer has been
  /// notified, and completes. Fails if that is not possible.
  public final func finishing() -> Operation<Void, UVError> {
    Operation { observer in
      func tell(_ error: UVError?) {
        if let error { return observer.failed(error) }
        observer.next()
        observer.completed()
      }
      if self.writing == .finished {
        tell(nil)
      } else if self.isDisposed || self.writeStatus != 0 {
        tell(self.writeError)
      } else {
        self.needWriter().finishing.append(tell)
        self.finish()
      }
      return .none
    }
  }

  private func shutDown(_ writer: ByteWriter) {
    // The reading end of a pipe has nothing to close. It continues to read.
    if cannotBeWatched || (hasNoWritingSide && !hasReadEnd) { return didShutDown(UV_ENOTSOCK.rawValue) }
    let status = writer.startShutdown(stream) { request, status in
      ByteStreamHandle.answered(request.unsafelyUnwrapped.pointee.handle) { $0.didShutDown(status) }
    }
    if status < 0 { didShutDown(status) }
  }

  private func didShutDown(_ status: Int32) {
    writer?.shutdownDidEnd()
    // A file or a pipe that is not a socket ends when it is closed.
    if status >= 0 || status == UV_ENOTSOCK.rawValue {
      if writeStatus == 0 {
        writing = .finished
        writer?.end(nil)
      }
    } else {
      failWriting(status, "shutdown")
    }
    closeIfOver()
  }

  // MARK: Waiting

  /// True from when the queue has grown to its high watermark until it has shrunk to its low watermark. Stays true after
  /// writing has failed, or the connection has been closed, so that a loop that writes until the queue is full ends.
  public final var isFull: Bool { writer?.isFull ?? false || writeStatus != 0 || isDisposed }

  /// The number of bytes that have been accepted and not yet passed to the system.
  public final var queuedBytes: Int { writer?.count ?? 0 }

  /// The high and low watermarks of the write queue. 256 KiB and 64 KiB by default.
  public final var watermarks: Watermarks {
    get { writer?.marks ?? .bytes }
    set {
      loop.check()
      needWriter().marks = newValue
    }
  }

  /// Emits an element each time a full queue has shrunk to its low watermark.
  ///
  /// Completes when everything has been written after `finish()`. Fails with the first error, or with `ECANCELED` if
  /// the connection is closed first. Hot; an observer that comes after the end receives the end at once.
  public final var readiness: Operation<Void, UVError> {
    .unguarded { observer in
      if self.writing == .finished {
        observer.completed()
      } else if self.writeStatus != 0 || self.isDisposed {
        observer.failed(self.writeError)
      } else {
        let subscription = self.needWriter().readiness.subscribe(observer)
        // Unowned: the handle ends `readiness` before it is freed.
        return BlockDisposable { [unowned self] in
          subscription.dispose()
          if writing == .open { disposeLaterIfUnused() }
        }
      }
      return .none
    }
  }
}
