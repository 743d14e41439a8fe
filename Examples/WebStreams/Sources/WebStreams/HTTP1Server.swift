import CHTTPParser
import EventLoops
import Streams

/// HTTP/1.1 and 1.0: one request after the other.
final class HTTP1Server: ServerEngine {
  private let connection: ServerConnection
  private let parser: HTTP1Parser
  /// Bytes that have not been parsed, because the request before them is under way.
  private var input = Bytes()
  private var isParsing = false
  private var current: Exchange?
  private var isHead = false
  private var version = HTTPVersion.http11
  private var keepsAlive = true
  /// True when the response has been sent completely.
  private var isAnswered = false
  /// The number of bytes of a body that were dropped after the response.
  private var dropped = 0
  private var output: [UInt8] = []
  private var webSocket: WebSocket?
  private var hasServed = false

  /// A client is cut off if it sends more than this of a body after its response.
  private static let mostDropped = 262_144

  init(_ connection: ServerConnection) {
    self.connection = connection
    parser = HTTP1Parser(HTTP_REQUEST, headerBytes: connection.limits.headerBytes)
  }

  var wait: Wait {
    if let webSocket { return webSocket.isFull ? .room : .response }
    if connection.wire.isFull { return .room }
    guard let current else { return hasServed && !parser.hasPartialHeader && input.isEmpty ? .request : .header }
    return isAnswered || current.wantsBody ? .body : .response
  }

  // MARK: Reading

  func receive(_ bytes: Bytes) {
    if let webSocket { return webSocket.receive(bytes) }
    input = input.isEmpty ? bytes : input + bytes
    parse()
  }

  private func parse() {
    if isParsing { return }
    isParsing = true
    // A client that does not take its responses gets no more of them.
    while !input.isEmpty, webSocket == nil, !connection.isDisposed, !connection.wire.isFull, canParse {
      let bytes = input
      let (count, parts, error) = parser.parse(bytes)
      input = bytes[(bytes.startIndex + count)...]
      for part in parts where !connection.isDisposed { use(part, of: bytes) }
      if connection.isDisposed { break }
      if let error {
        refuse(error)
        break
      }
    }
    isParsing = false
    if connection.isDisposed { return }
    if let webSocket {
      let rest = input
      input = Bytes()
      connection.setReadingPaused(false)
      if !rest.isEmpty { webSocket.receive(rest) }
      return
    }
    // After the response, parts that nobody has read stop nothing: the rest is dropped.
    let isHeldUp = !isAnswered && current.map { $0.partsCount > 0 } ?? false
    connection.setReadingPaused(!input.isEmpty || isHeldUp)
  }

  /// True if the parser's next bytes can be used: there is no request, or the rest of its body is missing and wanted.
  private var canParse: Bool {
    guard let current else { return !connection.isStopping || parser.hasPartialHeader }
    return isAnswered || current.incomingEnd == nil && current.partsCount == 0
  }

  private func use(_ part: HTTP1Parser.Part, of bytes: Bytes) {
    switch part {
    case .header: begin()
    case .body(let range):
      guard let current else { return }
      if isAnswered {
        dropped += range.count
        if dropped > Self.mostDropped { connection.finish() }
      } else {
        current.receive(bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)])
      }
    case .end:
      guard let current else { return }
      current.finishBody(.completed)
      if isAnswered { next() }
    }
  }

  private func begin() {
    var (method, target) = parser.requestLine
    var headers = parser.takeHeaders()
    version = parser.version
    isHead = method == "HEAD"
    keepsAlive = parser.shouldKeepAlive && !connection.isStopping
    isAnswered = false
    dropped = 0
    let exchange = Exchange(connection)
    current = exchange
    if let error = parser.problem(withRequest: headers) { return refuse(error) }
    if let absolute = AbsoluteTarget(target) {
      guard let host = absolute.host else { return refuse(.malformed("its target is no URL of this server")) }
      // The host of the target counts, whatever the field says (RFC 9112, 3.2.2).
      headers["Host"] = host
      target = absolute.path.isEmpty && method == "OPTIONS" ? "*" : absolute.pathAndQuery
    }
    exchange.isContinueExpected = version == .http11 && headers.contains("100-continue", in: "Expect")
    connection.emit(
      HTTPRequest(exchange, method: method, target: target, headers: headers, version: version))
  }

  private func refuse(_ error: HTTP1Parser.Failure) {
    keepsAlive = false
    let (status, text) = error.answer(connection.limits)
    // A response that has begun is broken off.
    if current == nil || current?.isAnswered == false {
      writeHeader(HTTPResponse(status), count: 0)
      connection.wire.write(copying: output)
    }
    connection.fail(.malformed(text))
  }

  func bodyWasConsumed(_ exchange: Exchange, _ count: Int) {
    if !isParsing, exchange.partsCount == 0 { parse() }
  }

  func sendContinue(_ exchange: Exchange) {
    connection.wire.write("HTTP/1.1 100 Continue\r\n\r\n")
  }

  func peerDidFinish() {
    if let webSocket { return webSocket.peerDidFinish() }
    if current == nil || isAnswered { connection.finish() } else { connection.fail(.disconnected) }
  }

  // MARK: Writing

  func proceed() {
    webSocket?.proceed()
    current?.source?.resume()
    parse()
  }

  func send(_ response: HTTPResponse, _ exchange: Exchange) {
    let wire = connection.wire
    switch response.body {
    case .bytes(let bytes):
      // The client may or may not send a body that it was not allowed to, so what follows cannot be told from it.
      if exchange.isContinueExpected, exchange.incomingEnd == nil { keepsAlive = false }
      writeHeader(response, count: Int64(bytes.count))
      let hasBody = !isHead && response.allowsBody
      if hasBody, bytes.count <= 16_384 {
        output.append(contentsOf: bytes)
        wire.write(copying: output)
      } else {
        wire.write(copying: output)
        if hasBody { wire.write(bytes) }
      }
      didAnswer(nil)
    case .stream(let body, let count):
      // The response may be made of the body of the request, and permission to send it cannot follow the header.
      if exchange.isContinueExpected {
        exchange.isContinueExpected = false
        sendContinue(exchange)
      }
      writeHeader(response, count: count)
      wire.write(copying: output)
      if isHead || !response.allowsBody { return didAnswer(nil) }
      exchange.write(body, count, to: wire, isChunked: count == nil && version == .http11) { [self] in didAnswer($0) }
    case .webSocket(let offer):
      output.removeAll(keepingCapacity: true)
      output.append("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
      output.append(fieldsOf: response.headers)
      output.append("\r\n")
      wire.write(copying: output)
      let socket = WebSocket(connection, offer)
      webSocket = socket
      // The parser passes on the bytes that the client has already sent.
      socket.start()
      if connection.isStopping { stop() }
      if !isParsing { parse() }
    }
  }

  /// Writes the header of a response to `output`. `count` is nil if the body is as long as it turns out to be.
  private func writeHeader(_ response: HTTPResponse, count: Int64?) {
    output.removeAll(keepingCapacity: true)
    if connection.isStopping { keepsAlive = false }
    output.append("HTTP/1.1 ")
    output.append(response.status)
    output.append(" ")
    let reason = String(cString: http_status_str(http_status(UInt32(response.status))))
    if !reason.hasPrefix("<") { output.append(reason) }
    output.append("\r\nDate: ")
    output.append(HTTPDate.now)
    output.append("\r\n")
    output.append(fieldsOf: response.headers)
    if let count {
      if response.allowsBody || response.status == 304 && count > 0 {
        output.append("Content-Length: ")
        output.append(Int(count))
        output.append("\r\n")
      }
    } else if version == .http10 {
      keepsAlive = false
    } else if response.allowsBody {
      output.append("Transfer-Encoding: chunked\r\n")
    }
    if !keepsAlive {
      output.append("Connection: close\r\n")
    } else if version == .http10 {
      output.append("Connection: keep-alive\r\n")
    }
    output.append("\r\n")
  }

  private func didAnswer(_ error: (any Error)?) {
    if connection.isDisposed { return }
    if error != nil { return connection.dispose() }
    isAnswered = true
    connection.progress()
    guard let current else { return }
    if current.incomingEnd != nil { next() } else if !keepsAlive { connection.finish() } else { drop(current) }
    connection.arm()
  }

  /// Drops the rest of a body, so that the next request can be read.
  private func drop(_ exchange: Exchange) {
    exchange.end(.canceled)
    parse()
  }

  /// Ends the exchange, and goes on with the next request.
  private func next() {
    guard let exchange = current.take() else { return }
    hasServed = true
    exchange.end(nil)
    if !keepsAlive || connection.isStopping { return connection.finish() }
    if !isParsing { parse() }
  }

  // MARK: Ending

  func stop() {
    keepsAlive = false
    if let webSocket { return webSocket.close(code: 1001) }
    if current == nil, !parser.hasPartialHeader { connection.finish() }
  }

  func cancel(_ error: HTTPError) {
    current.take()?.end(error)
    webSocket?.end(error)
  }
}
