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
  private weak var host: Host?
  private var engine: (any ClientEngine)?
  private(set) var hasServed = false
  private var idleTimer: (any Disposable)?
  /// Why nothing can be written any more.
  private var writeError: HTTPError?

  init(_ wire: Wire, _ limits: HTTPLimits, _ host: Host, isHTTP2: Bool) {
    self.host = host
    super.init(wire, limits)
    engine = isHTTP2 ? HTTP2Client(self, host.origin) : HTTP1Client(self, host.origin)
  }

  override func receive(_ bytes: Bytes) { engine?.receive(bytes) }

  override func peerDidFinish() { engine?.peerDidFinish() }

  override func hasRoom() { engine?.proceed() }

  var canSend: Bool { writeError == nil && engine?.canSend ?? false }

  var isIdle: Bool { engine?.isIdle ?? true }

  func send(_ call: Call) {
    idleTimer.take()?.dispose()
    wire.carrier.keepsLoopAlive = true
    engine?.send(call)
  }

  /// Keeps the connection for a while, if it has nothing to do.
  override func progress() {
    hasServed = true
    if isDisposed || !isIdle { return }
    // Requests that wait for the limit of a server get another connection.
    if host?.isReleased != false || !canSend || !knowsLimit { return finish() }
    wire.carrier.keepsLoopAlive = false
    idleTimer?.dispose()
    idleTimer = wire.carrier.loop.backgroundScheduler.schedule(after: limits.idleTime) { [weak self] in
      if self?.isIdle == true { self?.finish() }
    }
  }

  /// True if the server has said how many requests it takes at the same time, as with HTTP/2 it does first.
  var knowsLimit: Bool { (engine as? HTTP2Client)?.isReady ?? true }

  func isReady() { host?.isReady() }

  /// No request is sent on this connection any more.
  func retire() {
    host?.remove(self)
    if isIdle { finish() }
  }

  override func finish() {
    if isDisposed { return }
    shut()
    wire.close()
    end(.disconnected)
  }

  /// A response may have arrived before the server broke off. Reading ends soon, too.
  override func writingHasFailed(_ error: HTTPError) {
    if isDisposed { return }
    if isIdle { return fail(error) }
    writeError = error
    host?.remove(self)
  }

  override func fail(_ error: HTTPError) {
    if isDisposed { return }
    var error = error
    if case .disconnected = error, let writeError { error = writeError }
    // First, because a connection that is aborted reports that to its reader at once.
    shut()
    wire.abort()
    end(error)
  }

  private func end(_ error: HTTPError) {
    host?.remove(self, error)
    idleTimer.take()?.dispose()
    engine.take()?.cancelAll(error)
  }

  override func bodyWasConsumed(_ exchange: Exchange, _ count: Int) { engine?.bodyWasConsumed(exchange, count) }

  override func bodyIsDropped(_ exchange: Exchange) { engine?.cancel(exchange) }
}
