import CNghttp2
import EventLoops
import Streams

/// The client's side of HTTP/2: all requests to a host.
final class HTTP2Client: HTTP2Session, ClientEngine {
  private let client: ClientConnection
  private let origin: Origin
  private var calls: [Int32: Call] = [:]
  /// The last request that the server takes, if it has said that it takes no more.
  private var lastTaken: Int32?
  /// True when the server has said how many requests it takes at the same time.
  private(set) var isReady = false
  /// The requests that are broken off, and of which nghttp2 has not told the server.
  private var leaving: Set<Int32> = []
  private var watching: (any Disposable)?
  /// True if the server has sent something since the last look, and if a ping waits for an answer.
  private var hasReceived = false
  private var isAsked = false

  init(_ client: ClientConnection, _ origin: Origin) {
    self.client = client
    self.origin = origin
    super.init(client, isServer: false)
  }

  var isIdle: Bool { exchanges.isEmpty }

  var canSend: Bool {
    // A server that takes nothing of requests that have ended does not take another one.
    lastTaken == nil && !client.isDisposed && (isReady || exchanges.isEmpty)
      && (!client.wire.isFull || leaving.isEmpty && !exchanges.isEmpty)
      && nghttp2_session_check_request_allowed(session) != 0
      && exchanges.count
        < nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
  }

  func send(_ call: Call) {
    let request = call.request
    let exchange = HTTP2Exchange(client, 0)
    exchange.method = request.method
    var hasBody = true
    var count: Int64?
    switch request.body {
    case .bytes(let bytes):
      hasBody = !bytes.isEmpty
      count = hasBody || ["POST", "PUT", "PATCH"].contains(request.method) ? Int64(bytes.count) : nil
      if hasBody { exchange.outgoing.append(bytes) }
      exchange.outgoingEnd = .completed
    case .stream(_, let known): count = known
    }
    var headers = request.headers
    let authority = headers["Host"] ?? origin.authority
    headers["Host"] = nil
    var id: Int32 = 0
    withFields(
      [
        (":method", request.method), (":scheme", origin.isSecure ? "https" : "http"), (":authority", authority),
        (":path", call.target),
      ], headers, count: count
    ) { fields, fieldCount in
      withProvider(hasBody) { id = nghttp2_submit_request(session, nil, fields, fieldCount, $0, nil) }
    }
    if id < 0 {
      call.fail(.invalidRequest("The request cannot be sent: \(String(cString: nghttp2_strerror(id)))."))
      return client.progress()
    }
    exchange.id = id
    exchanges[id] = exchange
    calls[id] = call
    call.work = BlockDisposable { [self] in cancel(exchange) }
    // Before the body, which can end the connection.
    watch()
    if case .stream(let body, let count) = request.body { send(body, count, exchange) }
    flush()
  }

  override func receive(_ bytes: Bytes) {
    hasReceived = true
    super.receive(bytes)
  }

  /// Looks from time to time whether the server is still there, while requests wait.
  private func watch() {
    if watching != nil { return }
    hasReceived = false
    watching = Operation<Int, Never>.interval(client.limits.stallTime, on: client.wire.carrier.loop.backgroundScheduler)
      .observeNext { [weak self] _ in self?.look() }
  }

  private func look() {
    if exchanges.isEmpty, isReady {
      watching.take()?.dispose()
    } else if hasReceived {
      (hasReceived, isAsked) = (false, false)
    } else if isAsked {
      client.fail(.timedOut("the server does not answer a ping"))
    } else {
      isAsked = true
      nghttp2_submit_ping(session, Self.noFlags, nil)
      flush()
    }
  }

  override func headerIsComplete(_ exchange: HTTP2Exchange) {
    let headers = exchange.takeHeaders()
    let call = calls.removeValue(forKey: exchange.id)
    // nghttp2 accepts each number of three digits.
    if exchange.status < 100 {
      exchange.problem = .malformed("its status is less than 100")
      call?.fail(.malformed("its status is less than 100"))
      return reset(exchange, NGHTTP2_PROTOCOL_ERROR)
    }
    call?.receive(HTTPClient.Response(exchange, exchange.status, headers, .http2))
  }

  /// Breaks off a request that is still being sent, as with HTTP/1.1: the server may never take the rest.
  override func bodyHasArrived(_ exchange: HTTP2Exchange) {
    if !exchange.hasSentEnd { reset(exchange, NGHTTP2_CANCEL) }
  }

  override func headerWasNotSent(_ exchange: HTTP2Exchange, _ reason: String) {
    exchange.problem = .invalidRequest("The request cannot be sent: \(reason).")
  }

  override func bodyHasFailed(_ exchange: HTTP2Exchange, _ error: any Error) {
    exchange.problem = .bodyFailed(error)
    reset(exchange, NGHTTP2_INTERNAL_ERROR)
  }

  override func act(on event: Event) {
    switch event {
    case .settings:
      if isReady { break }
      isReady = true
      client.isReady()
    case .goAway(let id, let error):
      lastTaken = id
      problem = problem ?? error
      client.retire()
    case .closed(let exchange, let code):
      leaving.remove(exchange.id)
      let refusal: Call.Refusal? =
        isUntaken(exchange) ? .untaken : code == NGHTTP2_REFUSED_STREAM.rawValue ? .refused : nil
      calls.removeValue(forKey: exchange.id)?.fail(exchange.problem ?? problem ?? .disconnected, refusal)
      if lastTaken != nil, exchanges.isEmpty { client.finish() }
      failIfStuck()
    default: break
    }
  }

  /// True if the server has certainly done nothing with a request.
  private func isUntaken(_ exchange: HTTP2Exchange) -> Bool {
    !exchange.hasSentHeader || lastTaken.map { exchange.id > $0 } ?? false
  }

  func peerDidFinish() { if exchanges.isEmpty { client.finish() } else { client.fail(.disconnected) } }

  func proceed() { flush() }

  func cancel(_ exchange: Exchange) {
    guard let exchange = exchange as? HTTP2Exchange, !client.isDisposed else { return }
    calls[exchange.id] = nil
    reset(exchange, NGHTTP2_CANCEL)
  }

  /// Breaks off a request, even if the server takes nothing.
  private func reset(_ exchange: HTTP2Exchange, _ code: nghttp2_error_code) {
    if exchanges[exchange.id] == nil || client.isDisposed { return }
    leaving.insert(exchange.id)
    exchange.isBrokenOff = true
    exchange.source.take()?.dispose()
    nghttp2_submit_rst_stream(session, Self.noFlags, exchange.id, code.rawValue)
    flush()
    forgetIfUnsent(exchange)
    failIfStuck()
  }

  /// Ends a request that waits in nghttp2, which may be forever: until the server allows another request.
  private func forgetIfUnsent(_ exchange: HTTP2Exchange) {
    if client.isDisposed || exchange.hasSentHeader { return }
    guard exchanges.removeValue(forKey: exchange.id) != nil else { return }
    leaving.remove(exchange.id)
    exchange.end(exchange.problem ?? .canceled)
    calls.removeValue(forKey: exchange.id)?.fail(exchange.problem ?? .canceled)
    client.progress()
  }

  /// Closes a connection that has only requests that are broken off, if the server does not take that.
  private func failIfStuck() {
    if !leaving.isEmpty, leaving.count == exchanges.count, client.wire.isFull { client.fail(.canceled) }
  }

  func cancelAll(_ error: HTTPError) {
    watching.take()?.dispose()
    // What the server has said tells more than how the connection ended.
    let error = if case .canceled = error { error } else { problem ?? error }
    let all = calls.sorted { $0.key < $1.key }.map { (call: $0.value, exchange: exchanges[$0.key]) }
    calls = [:]
    cancel(error)
    for (call, exchange) in all {
      call.fail(exchange?.problem ?? error, exchange.map(isUntaken) == true ? .untaken : nil)
    }
  }
}
