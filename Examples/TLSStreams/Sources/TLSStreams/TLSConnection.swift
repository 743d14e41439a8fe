import COpenSSL
public import EventLoops
public import Streams

/// An encrypted connection, with the interface of a TCP connection.
///
/// `TLSServer.secure` and `TLSClient.secure` make one from a connection, and `TLSClient.connect` connects first. You can
/// write at once: the bytes wait for the end of the handshake.
///
/// It closes by itself in the cases in which its carrier does, and after an error of TLS. If nothing retains it, and it
/// is neither read nor in its handshake, it sends a close-notify and closes.
///
/// Bounds on memory: it reads ahead one read of the carrier, up to 64 KiB, while its observer is paused; the certificates
/// of the peer may take 100 KB during the handshake; `isFull` counts the bytes that wait to be written. An idle
/// connection has no buffers.
///
/// Confined to the loop of its carrier.
///
/// Ownership: while it is read, or in its handshake: carrier ===> connection; always: connection ===> carrier, engine.
public final class TLSConnection: ByteConnection {
  enum State {
    case handshaking
    case open
    // Indirect, because each connection has room for one.
    indirect case failed(TLSError)
  }

  enum Closing {
    case none
    case afterWriting
    indirect case within(Duration)
  }

  /// The connection that carries the encrypted bytes.
  public let carrier: ByteStreamHandle
  let engine: Engine
  /// The owner of what OpenSSL's callbacks use.
  private let owner: AnyObject
  var state = State.handshaking
  /// Present during the handshake.
  var start: Start?
  private var incoming: Subscription?
  private var isIncomingPaused = false
  private var reader: TLSReader?
  private var hasBegun = false
  private var isAdvancing = false
  /// True after the peer's close-notify.
  private(set) var hasPeerFinished = false
  var isFinishing = false
  var closing = Closing.none
  /// Made when `readiness` is first observed.
  var room: PushOperation<Void, TLSError>?
  var roomOfCarrier: Subscription?

  /// What exists during the handshake only.
  final class Start {
    private(set) var pending: [(bytes: Bytes, observer: Observer<Void, TLSError>?)] = []
    private(set) var pendingCount = 0
    let done = PushOperation<TLSSession, TLSError>()
    var timer: (any Disposable)?

    func add(_ bytes: Bytes, _ observer: Observer<Void, TLSError>?) {
      pending.append((bytes, observer))
      pendingCount += bytes.count
    }
  }

  init(
    _ engine: Engine, _ carrier: ByteStreamHandle, _ limit: Duration, retaining owner: AnyObject,
    failure: TLSError? = nil
  ) {
    self.engine = engine
    self.carrier = carrier
    self.owner = owner
    if let failure {
      fail(failure)
      return
    }
    let start = Start()
    self.start = start
    // Retains the connection until the end of the handshake, as the carrier does. A weak reference would cost memory until
    // the end of the connection.
    start.timer = carrier.loop.backgroundScheduler.schedule(after: limit) { self.fail(.handshakeTimedOut(limit)) }
    // Later, because the carrier may be delivering the bytes after which TLS begins.
    _ = carrier.loop.scheduler.schedule(after: .zero) {
      self.hasBegun = true
      self.advance()
    }
  }

  deinit {
    if case .open = state, !isFinishing, !carrier.isDisposed { engine.finish() }
  }

  /// The error with which the connection has failed.
  var failure: TLSError? { if case .failed(let error) = state { error } else { nil } }

  // MARK: The handshake

  /// Emits what the two sides have agreed on when the handshake is complete, and completes. Fails with the error of the
  /// handshake. An observer that comes later receives the same at once.
  public var handshake: Operation<TLSSession, TLSError> {
    Operation { observer in
      if let start = self.start { return start.done.subscribe(observer) }
      if let session = self.session {
        observer.next(session)
        observer.completed()
      } else if let failure = self.failure {
        observer.failed(failure)
      }
      return .none
    }
  }

  /// What the two sides have agreed on, or nil before the end of the handshake.
  public var session: TLSSession? { SSL_is_init_finished(engine.ssl) == 1 ? TLSSession(engine.ssl) : nil }

  /// The certificates of the peer, its own first. Empty if it has none, or before the handshake has reached them.
  public var peerCertificates: [TLSCertificate] {
    let chain = SSL_get_peer_cert_chain(engine.ssl)
    var all = (0..<headwater_certificates_count(chain)).map { TLSCertificate(headwater_certificates_get(chain, $0)) }
    // On the server's side, the chain does not contain the client's own certificate.
    if let own = SSL_get1_peer_certificate(engine.ssl) {
      let certificate = TLSCertificate(own)
      X509_free(own)
      if all.first != certificate { all.insert(certificate, at: 0) }
    }
    return all
  }

  private func handshakeDidEnd() {
    state = .open
    guard let start = start.take() else { return }
    start.timer?.dispose()
    let wasFull = start.pendingCount >= carrier.watermarks.high
    for (bytes, observer) in start.pending {
      encrypt(bytes.rawSpan)
      if let observer { report(observer) }
    }
    if isFinishing { end() }
    if let failure { return start.done.terminate(.failed(failure)) }
    start.done.next(TLSSession(engine.ssl))
    start.done.terminate(.completed)
    followCarrier()
    if wasFull, !isFull { room?.next(()) }
  }

  // MARK: Reading

  /// Emits the bytes of the peer as they are decrypted, up to 64 KiB at a time. Cold.
  ///
  /// The connection is read while the stream is observed and not paused. Completes when the peer has finished with a
  /// close-notify. Fails with `truncated` if the connection ends without one, and with the errors of the handshake and
  /// of the connection. There is one reader at a time: a second one fails with `EBUSY`.
  public var bytes: Operation<Bytes, TLSError> {
    Operation { observer in
      if let failure = self.failure { return Self.ended(observer, .failed(failure)) }
      if self.hasPeerFinished { return Self.ended(observer, .completed) }
      if self.reader != nil || self.carrier.isDisposed {
        let code = self.reader != nil ? UVError.Code.busy : .canceled
        return Self.ended(observer, .failed(.connection(UVError(code: code, call: "read"))))
      }
      let reader = TLSReader(self, observer)
      self.reader = reader
      self.advance()
      return reader
    }
  }

  private static func ended(_ observer: Observer<Bytes, TLSError>, _ end: Termination<TLSError>) -> any Disposable {
    observer.terminate(end)
    return .none
  }

  /// True once the peer has finished, or the connection has failed.
  public var hasReadEnd: Bool { hasPeerFinished || failure != nil }

  func stopReading(_ reader: TLSReader) {
    if self.reader === reader { self.reader = nil }
    readOrWait()
  }

  /// Completes the bytes, and leaves the carrier to itself.
  func stopReading() {
    hasPeerFinished = true
    reader.take()?.end(.completed)
    readOrWait()
  }

  /// Lets OpenSSL work on what the carrier has received, until it needs more.
  func advance() {
    if isAdvancing || !hasBegun { return }
    isAdvancing = true
    while step() {}
    isAdvancing = false
    readOrWait()
  }

  private func step() -> Bool {
    switch state {
    case .failed: return false
    case .handshaking:
      switch engine.handshake() {
      case .done, .bytes: handshakeDidEnd()
      case .needsInput: return false
      case .ended(.finished): fail(.closedInHandshake)
      case .ended(.failed(let error)): fail(error)
      }
    case .open:
      guard let reader, !reader.isPaused else { return false }
      switch engine.read() {
      case .bytes(let bytes): reader.next(bytes)
      case .needsInput, .done: return false
      case .ended(.finished): peerDidFinish()
      case .ended(.failed(let error)): fail(error)
      }
    }
    return true
  }

  /// Reads the carrier if OpenSSL needs bytes and there is an observer for the result.
  private func readOrWait() {
    if isAdvancing || !hasBegun { return }
    let (isNeeded, isPaused) =
      switch state {
      case .handshaking: (true, false)
      case .open: (reader != nil && !hasPeerFinished, reader?.isPaused ?? false)
      case .failed: (false, false)
      }
    if !isNeeded {
      isIncomingPaused = false
      incoming.take()?.dispose()
      return
    }
    if incoming == nil {
      let incoming = carrier.bytes.observe(
        next: { [self] bytes in
          engine.input = engine.input.isEmpty ? bytes : engine.input + bytes
          advance()
        }, termination: { [self] end in carrierDidEnd(end) })
      if !incoming.isDisposed { self.incoming = incoming }
    }
    if isPaused == isIncomingPaused { return }
    isIncomingPaused = isPaused
    if isPaused { incoming?.pause() } else { incoming?.resume() }
  }

  private func peerDidFinish() {
    if isFinishing { carrier.close(within: .seconds(5)) }
    stopReading()
  }

  private func carrierDidEnd(_ end: Termination<UVError>) {
    incoming = nil
    switch (end, closing) {
    case (.completed, .none), (.failed, .none):
      if let error = end.failure { return fail(.connection(error)) }
      if case .handshaking = state { return fail(.closedInHandshake) }
      fail(.truncated)
    // Closed here: what the peer still had to say does not matter.
    case (.completed, _), (.failed, _):
      if case .handshaking = state { return fail(end.failure.map { .connection($0) } ?? .closedInHandshake) }
      stopReading()
    }
  }

  // MARK: Failing

  func fail(_ error: TLSError) {
    if case .failed = state { return }
    let start = start.take()
    state = .failed(error)
    start?.timer?.dispose()
    incoming.take()?.dispose()
    switch error {
    case .connection, .handshakeTimedOut, .configuration: carrier.dispose()
    // OpenSSL has written an alert, which says why.
    default: carrier.close(within: .seconds(1))
    }
    for (_, observer) in start?.pending ?? [] { observer?.failed(error) }
    start?.done.terminate(.failed(error))
    reader.take()?.end(.failed(error))
    roomOfCarrier.take()?.dispose()
    room?.terminate(.failed(error))
  }
}

@available(*, unavailable)
extension TLSConnection: Sendable {}

/// The observer of the bytes of a connection. It is also the disposable of the observation.
final class TLSReader: Disposable {
  private let observer: Observer<Bytes, TLSError>
  private var connection: TLSConnection?
  private(set) var isPaused: Bool

  init(_ connection: TLSConnection, _ observer: Observer<Bytes, TLSError>) {
    self.connection = connection
    self.observer = observer
    isPaused = observer.isPaused
  }

  func next(_ bytes: Bytes) { observer.next(bytes) }

  func end(_ end: Termination<TLSError>) {
    if connection.take() != nil { observer.terminate(end) }
  }

  var isDisposed: Bool { connection == nil }

  func dispose() { connection.take()?.stopReading(self) }

  func pause() {
    isPaused = true
    connection?.advance()
  }

  func resume() {
    isPaused = false
    connection?.advance()
  }
}
