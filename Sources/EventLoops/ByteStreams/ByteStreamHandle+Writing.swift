import CUV
import Callbacks
import DequeModule
public import Streams

extension ByteStreamHandle {
  /// Takes `bytes`: writes them at once where nothing is queued, and queues what is left. Copies nothing: what is queued keeps its
  /// memory.
  ///
  /// Never waits and never fails here: `readiness` tells, and `writing(_:)` tells for these bytes alone. What is written to a
  /// connection that has failed or closed is dropped; after `finish()` that is reported through `Diagnostics`.
  public final func write(_ bytes: Bytes) { write(bytes, with: nil, nil) }

  /// Takes a copy of `bytes`; nothing is copied where they can be written at once.
  public final func write(copying bytes: RawSpan) {
    if canWrite(nil) {
      let count = writer?.isIdle ?? true ? attempt(bytes) : 0
      if count < bytes.byteCount, writeStatus == 0 {
        enqueue(Bytes(copying: bytes.extracting(count...)), with: nil, nil)
      }
    }
  }

  /// Writes as much of `bytes` as the system takes at once, and returns how many that were: none where others are queued.
  ///
  /// Nothing is kept. Fails with what `write` fails with, after which nothing can be written any more.
  public final func tryWrite(_ bytes: RawSpan) throws(UVError) -> Int {
    guard canWrite(nil), writer?.isIdle ?? true else {
      if writeStatus != 0 || isDisposed || state.contains(.isFinishing) { throw writeError }
      return 0
    }
    let count = attempt(bytes)
    if writeStatus != 0 { throw writeError }
    return count
  }

  /// Writes `bytes` when observed: an element when the last of them has been given to the system, then completed. Fails
  /// where they could not be written: with what writing failed with, `EPIPE` after `finish()`, `ECANCELED` where the handle
  /// is closed before.
  ///
  /// Disposing does not take them back: half of them may be on their way.
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

  /// Whether writing makes sense; otherwise says why not.
  @inline(__always)
  private func canWrite(_ done: ((UVError?) -> Void)?) -> Bool {
    if !isDisposed {
      loop.check()
      if writeStatus == 0, !state.contains(.isFinishing) {
        state.insert(.hasWritten)
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
    } else if state.contains(.isFinishing), writeStatus == 0, !isDisposed {
      Diagnostics.report("What is written after finish() is dropped\(name.map { " (\($0))" } ?? ""): write it before.")
    }
  }

  /// Why nothing can be written any more.
  private var writeError: UVError {
    if writeStatus != 0 { return error(writeStatus, "write") }
    return error(isDisposed ? UV_ECANCELED.rawValue : UV_EPIPE.rawValue, "write")
  }

  /// How many bytes the system takes at once. A failure ends writing.
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
    // Refused, it does not come back.
    if status < 0 { didWrite(status) }
  }

  /// libuv has answered a request: nothing may be under way any more.
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
    // Before anybody is told: what they write comes behind what waits.
    if !isDisposed, writeStatus == 0 { flush(writer) }
    for entry in written { entry.done?(nil) }
    if writeStatus != 0 { return failWriting(writeStatus, "write") }
    if writer.didGetRoom() { writer.tellRoom() }
    if state.contains(.isFinishing), writer.isIdle, !isDisposed { shutDown(writer) }
  }

  /// Ends writing with an error, once: what waits is dropped, and whoever waits is told, those of `first` before the others.
  final func failWriting(_ status: Int32, _ call: String, first: [ByteWriter.Entry] = []) {
    if writeStatus == 0, !state.contains(.isFinished) { writeStatus = status }
    for entry in first { entry.done?(error(writeStatus, call)) }
    // Those behind what libuv has are told behind it.
    if writeStatus == 0 { return }
    guard let writer else { return closeIfOver() }
    if writer.isUnderWay { return }
    let error = error(writeStatus, call)
    for entry in writer.takeAll() { entry.done?(error) }
    writer.end(error)
    closeIfOver()
  }

  // MARK: Finishing

  /// Tells the other side that there is no more, after what is queued: half closes. Reading goes on. A second call does
  /// nothing.
  public final func finish() {
    if isDisposed || state.contains(.isFinishing) { return }
    loop.check()
    state.insert(.isFinishing)
    if writeStatus != 0 { return }
    let writer = needWriter()
    if writer.isIdle { shutDown(writer) }
  }

  /// Finishes when observed: an element when everything has been written and the other side told, then completed. Fails
  /// where that could not be done.
  public final func finishing() -> Operation<Void, UVError> {
    Operation { observer in
      func tell(_ error: UVError?) {
        if let error { return observer.failed(error) }
        observer.next()
        observer.completed()
      }
      if self.state.contains(.isFinished) {
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
    if state.contains(.cannotBeWatched) { return didShutDown(UV_ENOTSOCK.rawValue) }
    let status = writer.startShutdown(stream) { request, status in
      ByteStreamHandle.answered(request.unsafelyUnwrapped.pointee.handle) { $0.didShutDown(status) }
    }
    if status < 0 { didShutDown(status) }
  }

  private func didShutDown(_ status: Int32) {
    writer?.shutdownDidEnd()
    // What is not a socket ends by being closed.
    if status >= 0 || status == UV_ENOTSOCK.rawValue {
      if writeStatus == 0 {
        state.insert(.isFinished)
        writer?.end(nil)
      }
    } else {
      failWriting(status, "shutdown")
    }
    closeIfOver()
  }

  // MARK: Waiting

  /// See `ByteSink`.
  public final var isFull: Bool { writer?.isFull ?? false }

  /// The number of bytes that have been accepted and not given to the system.
  public final var queuedBytes: Int { writer?.count ?? 0 }

  /// Between which marks of the queue a feeder is made to wait.
  public final var marks: QueueMarks {
    get { writer?.marks ?? .standard }
    set {
      loop.check()
      needWriter().marks = newValue
    }
  }

  /// See `ByteSink`.
  public final var readiness: Operation<Void, UVError> {
    .unguarded { observer in
      if self.state.contains(.isFinished) {
        observer.completed()
      } else if self.writeStatus != 0 || self.isDisposed {
        observer.failed(self.writeError)
      } else {
        return self.needWriter().readiness.subscribe(observer)
      }
      return .none
    }
  }
}
