import EventLoops
import Streams

/// One version of HTTP over a connection of a client.
protocol ClientEngine: AnyObject {
  func send(_ call: Call)
  func receive(_ bytes: Bytes)
  func peerDidFinish()
  func proceed()
  func cancel(_ exchange: Exchange)
  func cancelAll(_ error: HTTPError)
  func bodyWasConsumed(_ exchange: Exchange, _ count: Int)
  /// True if another request can be sent now.
  var canSend: Bool { get }
  var isIdle: Bool { get }
}

/// A connection of a client.
///
/// Ownership: the open connection and exchanges under way ===> connection; connection and engine ===> each other, until
/// the connection ends.
final class ClientConnection: HTTPConnection {
  let wire: Wire
  let limits: HTTPLimits
  private weak var host: Host?
  private var engine: (any ClientEngine)?
  private var reading: Subscription?
  private var isReadingPaused = false
  private var room: Subscription?
  private(set) var isDisposed = false
  private(set) var hasServed = false
  private var idleTimer: (any Disposable)?

  init(_ wire: Wire, _ limits: HTTPLimits, _ host: Host, isHTTP2: Bool) {
    self.wire = wire
    self.limits = limits
    self.host = host
    engine = isHTTP2 ? HTTP2Client(self, host.origin) : HTTP1Client(self, host.origin)
  }

  func start() {
    let room = wire.readiness.observe(
      next: { [self] in engine?.proceed() }, termination: { [self] in if let error = $0.failure { fail(error) } })
    if isDisposed { return room.dispose() }
    self.room = room
    let reading = wire.bytes.observe(
      next: { [self] in engine?.receive($0) },
      termination: { [self] end in
        self.reading = nil
        if let error = end.failure { fail(error) } else { engine?.peerDidFinish() }
      })
    if isDisposed { return reading.dispose() }
    if !reading.isDisposed { self.reading = reading }
  }

  var canSend: Bool { engine?.canSend ?? false }

  var isIdle: Bool { engine?.isIdle ?? true }

  func send(_ call: Call) {
    idleTimer.take()?.dispose()
    wire.carrier.keepsLoopAlive = true
    engine?.send(call)
  }

  /// Keeps the connection for a while, if it has nothing to do.
  func progress() {
    hasServed = true
    if isDisposed || !isIdle { return }
    if host == nil || !canSend { return finish() }
    wire.carrier.keepsLoopAlive = false
    idleTimer?.dispose()
    idleTimer = wire.carrier.loop.backgroundScheduler.schedule(after: limits.idleTime) { [weak self] in
      if self?.isIdle == true { self?.finish() }
    }
  }

  func setReadingPaused(_ isPaused: Bool) {
    if isPaused == isReadingPaused { return }
    isReadingPaused = isPaused
    if isPaused { reading?.pause() } else { reading?.resume() }
  }

  /// No request is sent on this connection any more.
  func retire() {
    host?.remove(self)
    if isIdle { finish() }
  }

  func finish() {
    if isDisposed { return }
    wire.close()
    end(.disconnected)
  }

  func fail(_ error: HTTPError) {
    if isDisposed { return }
    wire.abort()
    end(error)
  }

  private func end(_ error: HTTPError) {
    isDisposed = true
    host?.remove(self)
    reading.take()?.dispose()
    room.take()?.dispose()
    idleTimer.take()?.dispose()
    engine.take()?.cancelAll(error)
  }

  func bodyWasConsumed(_ exchange: Exchange, _ count: Int) { engine?.bodyWasConsumed(exchange, count) }

  func bodyIsWanted(_ exchange: Exchange) {}

  func bodyIsDropped(_ exchange: Exchange) { engine?.cancel(exchange) }
}
