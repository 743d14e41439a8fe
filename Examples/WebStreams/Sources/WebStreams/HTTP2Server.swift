import CNghttp2
import EventLoops
import Streams

/// The server's side of HTTP/2.
final class HTTP2Server: HTTP2Session, ServerEngine {
  private let server: ServerConnection
  private var hasServed = false
  /// Requests that the client has canceled, less those that it has let finish.
  private var resets = 0
  private var hasSaidStop = false

  /// A client that has canceled this many more requests than it has let finish only makes work.
  private static let mostResets = 200
  /// The most frames that may wait, besides those of its requests.
  private static let mostQueued = 10_000

  init(_ server: ServerConnection) {
    self.server = server
    super.init(server, isServer: true)
  }

  var wait: Wait {
    if exchanges.isEmpty { return hasServed ? .request : .header }
    if server.wire.isFull { return .room }
    if exchanges.values.contains(where: { !$0.hasHeader }) { return .header }
    if exchanges.values.contains(where: { !$0.isBlocked && $0.outgoing.isEmpty && !$0.wantsBody }) { return .response }
    return exchanges.values.contains { $0.wantsBody } ? .body : .room
  }

  override func receive(_ bytes: Bytes) {
    super.receive(bytes)
    // Answers such as those to refused requests wait without bound if the client takes none of them.
    if nghttp2_session_get_outbound_queue_size(session) > Self.mostQueued, !server.isDisposed {
      server.fail(.malformed("it asks for more than it takes"))
    }
  }

  override func begin(_ id: Int32) { if exchanges[id] == nil { exchanges[id] = HTTP2Exchange(server, id) } }

  override func headerIsComplete(_ exchange: HTTP2Exchange) {
    hasServed = true
    if exchange.hasOtherHost {
      exchange.problem = .malformed("a request names two hosts")
      nghttp2_submit_rst_stream(session, Self.noFlags, exchange.id, NGHTTP2_PROTOCOL_ERROR.rawValue)
      return
    }
    let headers = exchange.takeHeaders()
    server.emit(
      HTTPRequest(exchange, method: exchange.method, target: exchange.target, headers: headers, version: .http2))
  }

  override func headerWasNotSent(_ exchange: HTTP2Exchange, _ reason: String) {
    Diagnostics.report("A response could not be sent: \(reason).")
  }

  override func bodyWasSent(_ exchange: HTTP2Exchange) {
    resets = max(0, resets - 1)
    // The client need not send the rest of the body.
    if exchange.incomingEnd == nil {
      nghttp2_submit_rst_stream(session, Self.noFlags, exchange.id, NGHTTP2_NO_ERROR.rawValue)
    }
  }

  override func act(on event: Event) {
    switch event {
    case .reset: countReset()
    // The client has seen the notice.
    case .pong: if server.isStopping { sayStop() }
    case .closed(let exchange, let code):
      // A client can make the server reset its requests, which is as much work.
      if code != NGHTTP2_NO_ERROR.rawValue, !exchange.wasReset { countReset() }
      if hasSaidStop, exchanges.isEmpty { finish() }
    default: break
    }
  }

  private func countReset() {
    resets += 1
    if resets <= Self.mostResets || server.isDisposed { return }
    nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
    // Nothing is written after the failure.
    writeFrames()
    server.fail(.malformed("it cancels requests as fast as it sends them"))
  }

  func sendContinue(_ exchange: Exchange) {}

  func peerDidFinish() {
    if exchanges.isEmpty { server.finish() } else { server.fail(.disconnected) }
  }

  func proceed() { flush() }

  func send(_ response: HTTPResponse, _ exchange: Exchange) {
    guard let exchange = exchange as? HTTP2Exchange else { return }
    var hasBody = response.allowsBody && exchange.method != "HEAD"
    var count: Int64?
    switch response.body {
    case .bytes(let bytes):
      count = Int64(bytes.count)
      if bytes.isEmpty { hasBody = false }
      if hasBody { exchange.outgoing.append(bytes) }
      exchange.outgoingEnd = .completed
    case .stream(_, let known): count = known
    // The offer has checked that the version is HTTP/1.1.
    case .webSocket: return
    }
    var status: Int32 = 0
    withFields(
      [(":status", String(response.status)), ("date", HTTPDate.now)], response.headers,
      count: response.allowsBody ? count : nil
    ) { fields, fieldCount in
      withProvider(hasBody) { status = nghttp2_submit_response(session, exchange.id, fields, fieldCount, $0) }
    }
    if status == NGHTTP2_ERR_NOMEM.rawValue { return connection.fail(.failure(ofSession: Int(status))) }
    if hasBody, case .stream(let body, let count) = response.body { send(body, count, exchange) }
    flush()
  }

  func stop() {
    if exchanges.isEmpty { return finish() }
    // A request that is on its way now is still answered: the last one is named when the client has seen the notice.
    nghttp2_submit_shutdown_notice(session)
    nghttp2_submit_ping(session, Self.noFlags, nil)
    flush()
  }

  private func sayStop() {
    if hasSaidStop { return }
    hasSaidStop = true
    nghttp2_submit_goaway(
      session, Self.noFlags, nghttp2_session_get_last_proc_stream_id(session), NGHTTP2_NO_ERROR.rawValue, nil, 0)
    flush()
    if exchanges.isEmpty { server.finish() }
  }

  /// Says that no request is served any more, and closes.
  private func finish() {
    sayStop()
    if !server.isDisposed, !server.wire.isFull { server.finish() }
  }
}
