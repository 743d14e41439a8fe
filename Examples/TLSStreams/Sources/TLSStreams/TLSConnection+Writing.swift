import COpenSSL
public import EventLoops
public import Streams

extension TLSConnection {
  /// Encrypts `bytes`, and writes them at once if nothing is queued. Never waits. During the handshake, the bytes wait.
  ///
  /// Bytes that are written to a connection that has failed or closed are dropped. Bytes that are written after
  /// `finish()` are dropped and reported through `Diagnostics`.
  public func write(_ bytes: Bytes) {
    guard canWrite() else { return }
    if let start { start.add(bytes, nil) } else { encrypt(bytes.rawSpan) }
  }

  /// Encrypts `bytes`, and writes them at once if nothing is queued. During the handshake, a copy of the bytes waits.
  public func write(copying bytes: RawSpan) {
    if start != nil { return write(Bytes(copying: bytes)) }
    if canWrite() { encrypt(bytes) }
  }

  private func canWrite() -> Bool {
    if failure != nil || carrier.isDisposed { return false }
    if isFinishing { Diagnostics.report("A write after finish() was dropped. Write before you call finish().") }
    return !isFinishing
  }

  func encrypt(_ bytes: RawSpan) {
    if case .open = state, let error = engine.write(bytes) { fail(error) }
  }

  /// Writes `bytes` when observed. Emits one element when the system has accepted the last byte of its encrypted form,
  /// and completes.
  ///
  /// Fails if they could not be written: with the error of the connection, with `EPIPE` after `finish()`, or with
  /// `ECANCELED` if the connection is closed first.
  public func writing(_ bytes: Bytes) -> Operation<Void, TLSError> {
    Operation { observer in
      if self.isFinishing || self.carrier.isDisposed {
        let code = self.isFinishing ? UVError.Code.brokenPipe : .canceled
        observer.failed(self.failure ?? .connection(UVError(code: code, call: "write")))
        return .none
      }
      if let start = self.start {
        start.add(bytes, observer)
        return .none
      }
      self.encrypt(bytes.rawSpan)
      return self.report(observer)
    }
  }

  /// Notifies an observer when the system has accepted everything so far.
  @discardableResult
  func report(_ observer: Observer<Void, TLSError>) -> any Disposable {
    if let failure {
      observer.failed(failure)
      return .none
    }
    // An empty write ends after those before it.
    return carrier.writing(Bytes()).mapError { TLSError($0) }.subscribe(observer)
  }

  // MARK: Waiting

  /// True from when the queue has grown to its high watermark until it has shrunk to its low watermark, and after the
  /// connection has failed or closed.
  public var isFull: Bool {
    failure != nil || carrier.isFull || (start?.pendingCount ?? 0) >= carrier.watermarks.high
  }

  /// The number of bytes that have been accepted and not yet passed to the system. After the handshake, these are
  /// encrypted bytes.
  public var queuedBytes: Int { carrier.queuedBytes + (start?.pendingCount ?? 0) }

  /// The high and low watermarks of the write queue. 256 KiB and 64 KiB by default.
  public var watermarks: Watermarks {
    get { carrier.watermarks }
    set { carrier.watermarks = newValue }
  }

  /// Emits an element each time a full queue has shrunk to its low watermark.
  ///
  /// Completes when everything has been written after `finish()`. Fails with the first error, or with `ECANCELED` if
  /// the connection is closed first. Hot; an observer that comes after the end receives the end at once.
  public var readiness: Operation<Void, TLSError> {
    Operation { observer in
      if let failure = self.failure {
        observer.failed(failure)
        return .none
      }
      let room = self.room ?? PushOperation()
      self.room = room
      let subscription = room.subscribe(observer)
      self.followCarrier()
      return subscription
    }
  }

  /// Passes on what the carrier reports about its queue, once it is that of this connection.
  func followCarrier() {
    guard let room, roomOfCarrier == nil, start == nil else { return }
    roomOfCarrier = carrier.readiness.observe(
      next: { room.next(()) },
      termination: { room.terminate($0.failure.map { .failed(TLSError($0)) } ?? .completed) })
  }

  // MARK: Ending

  /// Sends a close-notify after the queued writes, and closes the writing side of the carrier. Reading continues.
  /// Idempotent.
  public func finish() {
    if isFinishing || failure != nil || carrier.isDisposed { return }
    isFinishing = true
    if start == nil { end() }
  }

  /// Sends a close-notify when observed. Emits one element when everything has been written and the peer has been
  /// notified, and completes. Fails if that is not possible.
  public func finishing() -> Operation<Void, TLSError> {
    Operation { observer in
      self.finish()
      return self.handshake.flatMap(.merge) { _ in self.carrier.finishing().mapError { TLSError($0) } }
        .subscribe(observer)
    }
  }

  /// Ends writing. The handshake is over.
  func end() {
    engine.finish()
    switch closing {
    // Reads until the peer has closed its side, because a connection that is closed with unread bytes is reset.
    case .none: if hasPeerFinished { carrier.close(within: .seconds(5)) } else { carrier.finish() }
    case .afterWriting:
      stopReading()
      // A server's tickets are usually unread, and a connection that is closed with unread bytes is reset.
      carrier.close(within: .seconds(5))
    case .within(let patience): carrier.close(within: patience)
    }
  }

  /// Closes the connection gracefully: the queued bytes and a close-notify are written, and the carrier closes when the
  /// peer has finished, too, or after 5 seconds at the latest. The stream of bytes completes, and what the peer still
  /// sends is dropped. Idempotent.
  public func close() { close(.afterWriting) }

  /// Closes the connection gracefully, even if the peer still sends. The queued bytes and a close-notify are written, and
  /// the carrier closes when the peer has finished, too, or after `patience` at the latest.
  public func close(within patience: Duration) { close(.within(patience)) }

  private func close(_ how: Closing) {
    guard case .none = closing else { return }
    closing = how
    if isFinishing, start == nil { end() } else { finish() }
  }

  /// True if the carrier is closed.
  public var isDisposed: Bool { carrier.isDisposed }

  /// Closes the connection at once, without a close-notify. Its streams fail with `ECANCELED`.
  public func dispose() {
    if case .none = closing { fail(.connection(UVError(code: .canceled, call: "read"))) } else { carrier.dispose() }
  }

  /// Closes the connection at once, and notifies the peer's system (RST) if it is carried by TCP.
  public func reset() {
    (carrier as? TCPHandle)?.reset()
    dispose()
  }

  /// Makes both sides use new keys from now on. Does nothing in TLS 1.2, which cannot do that, and before the end of the
  /// handshake.
  public func updateKeys() {
    guard case .open = state, !isFinishing, SSL_key_update(engine.ssl, SSL_KEY_UPDATE_REQUESTED) == 1 else { return }
    if case .ended(.failed(let error)) = engine.handshake() { fail(error) }
  }
}
