import CHTTPParser
import EventLoops
import Streams

/// The client's side of HTTP/1.1: one request after the other.
final class HTTP1Client: ClientEngine {
  private let connection: ClientConnection
  private let origin: Origin
  private let parser: HTTP1Parser
  private var input = Bytes()
  private var isParsing = false
  private var call: Call?
  private var current: Exchange?
  private var isInterim = false
  /// True when the request has been sent completely.
  private var isSent = false
  private var keepsAlive = true
  private var output: [UInt8] = []

  init(_ connection: ClientConnection, _ origin: Origin) {
    self.connection = connection
    self.origin = origin
    parser = HTTP1Parser(HTTP_RESPONSE, headerBytes: connection.limits.headerBytes)
  }

  var isIdle: Bool { current == nil }

  var canSend: Bool { current == nil && keepsAlive && !connection.isDisposed }

  // MARK: Sending

  func send(_ call: Call) {
    let exchange = Exchange(connection)
    let request = call.request
    self.call = call
    current = exchange
    call.work = BlockDisposable { [connection] in connection.fail(.canceled) }
    isSent = false
    parser.isHead = request.method == "HEAD"
    var count: Int64?
    switch request.body {
    case .bytes(let bytes): count = Int64(bytes.count)
    case .stream(_, let known): count = known
    }
    output.removeAll(keepingCapacity: true)
    output.append("\(request.method) \(call.target) HTTP/1.1\r\n")
    if request.headers["Host"] == nil { output.append("Host: \(origin.authority)\r\n") }
    output.append(fieldsOf: request.headers)
    if let count {
      let usuallyHasBody = ["POST", "PUT", "PATCH"].contains(request.method)
      if count > 0 || usuallyHasBody { output.append("Content-Length: \(count)\r\n") }
    } else {
      output.append("Transfer-Encoding: chunked\r\n")
    }
    output.append("\r\n")
    switch request.body {
    case .bytes(let bytes):
      if bytes.count <= 16_384 { output.append(contentsOf: bytes) }
      connection.wire.write(copying: output)
      if bytes.count > 16_384 { connection.wire.write(bytes) }
      isSent = true
    case .stream(let body, let count):
      connection.wire.write(copying: output)
      exchange.write(body, count, to: connection.wire, isChunked: count == nil) { [self] error in
        if let error { return connection.fail(.bodyFailed(error)) }
        isSent = true
        completeIfDone()
      }
    }
  }

  func proceed() { current?.source?.resume() }

  // MARK: Receiving

  func receive(_ bytes: Bytes) {
    // Nothing was asked for.
    if current == nil { return connection.fail(.malformed("a response without a request")) }
    input = input.isEmpty ? bytes : input + bytes
    parse()
  }

  private func parse() {
    if isParsing { return }
    isParsing = true
    while !input.isEmpty, !connection.isDisposed, let current, current.incomingEnd == nil, current.partsCount == 0 {
      let bytes = input
      let (count, parts, error) = parser.parse(bytes)
      input = bytes[(bytes.startIndex + count)...]
      for part in parts where !connection.isDisposed { use(part, of: bytes) }
      if let error, !connection.isDisposed { fail(error) }
    }
    isParsing = false
    if connection.isDisposed { return }
    if current == nil, !input.isEmpty { return connection.fail(.malformed("a response without a request")) }
    connection.setReadingPaused(!input.isEmpty || current.map { $0.partsCount > 0 } ?? false)
  }

  private func fail(_ error: HTTP1Parser.Failure) {
    connection.fail(.malformed(error.answer(connection.limits).text))
  }

  private func use(_ part: HTTP1Parser.Part, of bytes: Bytes) {
    guard let current else { return }
    switch part {
    case .header:
      let headers = parser.takeHeaders()
      if let error = parser.problem(withResponse: headers) { return fail(error) }
      // It was not asked for, and what follows would not be HTTP.
      if parser.status == 101 { return fail(.malformed("it changes to another protocol")) }
      isInterim = parser.status / 100 == 1
      if isInterim { return }
      keepsAlive = parser.shouldKeepAlive
      call.take()?.receive(HTTPClient.Response(current, parser.status, headers, parser.version))
    case .body(let range):
      current.receive(bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)])
    case .end:
      if isInterim { return }
      current.finishBody(.completed)
      completeIfDone()
    }
  }

  /// Ends the exchange if the response has arrived. A request that is still being sent then is broken off.
  private func completeIfDone() {
    guard let current, current.incomingEnd != nil, !connection.isDisposed else { return }
    // What waits to be sent would delay the next request, perhaps forever.
    if !isSent || connection.wire.carrier.queuedBytes > 0 { keepsAlive = false }
    self.current = nil
    current.end(nil)
    if keepsAlive { connection.progress() } else { connection.retire() }
  }

  func peerDidFinish() {
    guard current != nil else { return connection.finish() }
    let (parts, isComplete) = parser.end()
    keepsAlive = false
    if isComplete, !isInterim { for part in parts { use(part, of: Bytes()) } }
    if !connection.isDisposed, current != nil { connection.fail(.disconnected) }
  }

  func bodyWasConsumed(_ exchange: Exchange, _ count: Int) {
    if !isParsing, exchange.partsCount == 0 { parse() }
  }

  func cancel(_ exchange: Exchange) { if exchange === current { connection.fail(.canceled) } }

  func cancelAll(_ error: HTTPError) {
    current.take()?.end(error)
    call.take()?.fail(error)
  }
}
