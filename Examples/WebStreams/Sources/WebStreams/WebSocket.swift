import CDigest
import CWslay
public import EventLoops
public import Streams

/// A message of a WebSocket.
public enum WebSocketMessage: Hashable, Sendable {
  case text(String)
  case binary(Bytes)
}

/// A connection for messages in both directions (RFC 6455), which begins as a request of HTTP/1.1.
///
/// ```swift
/// case "/socket":
///   .just(.webSocket(for: request) { socket in socket.messages.pipe(to: socket).toStream(logError: false) })
/// ```
///
/// It sends a ping every 30 seconds, and fails with `timedOut` if the client stays silent until the next one. Confined to
/// the loop of its connection.
public final class WebSocket: ReaderOwner {
  private static let pingInterval = Duration.seconds(30)
  private static let closeLimit = Duration.seconds(5)

  private let connection: ServerConnection
  private let offer: WebSocketOffer
  private var context: wslay_event_context_ptr?
  /// The bytes that have been received and not been parsed.
  fileprivate var input = Bytes()
  fileprivate var output: [UInt8] = []
  private var waiting: [WebSocketMessage] = []
  private var reader: Reader<WebSocketMessage>?
  private var wasObserved = false
  private var end: Termination<HTTPError>?
  private var isDelivering = false
  private var isParsing = false
  /// The parts after the first of the message that arrives, and their bytes.
  private var parts: (count: UInt64, bytes: UInt64) = (0, 0)
  /// wslay needs about 90 bytes for each part of a message, so parts of a few bytes would cost more than the message may.
  private var hasTooManyParts: Bool { parts.count > 4096 && parts.bytes / parts.count < 16 }
  private var serving: (any Disposable)?
  private var pings: (any Disposable)?
  private var isSilent = false
  private var closing: (any Disposable)?
  private var room: PushOperation<Void, HTTPError>?
  /// The code with which the client has closed the connection (RFC 6455, 7.4); nil before, and 1005 if it gave none.
  public private(set) var closeCode: UInt16?

  init(_ connection: ServerConnection, _ offer: WebSocketOffer) {
    self.connection = connection
    self.offer = offer
    wslay_event_context_server_init(&context, Self.callbacks, Unmanaged.passUnretained(self).toOpaque())
    wslay_event_config_set_max_recv_msg_length(context, UInt64(connection.limits.messageBytes))
  }

  deinit { wslay_event_context_free(context) }

  // MARK: Receiving

  /// Emits the messages of the client, and completes when it has closed the connection. Can be observed once.
  ///
  /// The client is paused while the observer is paused, and before there is one. Fails with `disconnected` if the
  /// connection ends without a close frame, and with `malformed` if the client breaks the protocol.
  public var messages: Operation<WebSocketMessage, HTTPError> {
    Operation { observer in
      if self.wasObserved {
        observer.failed(.alreadyObserved)
        return .none
      }
      self.wasObserved = true
      let reader = Reader<WebSocketMessage>(self, observer)
      self.reader = reader
      self.deliver()
      return reader
    }
  }

  func start() {
    let loop = connection.wire.carrier.loop
    pings = Operation<Int, Never>.interval(Self.pingInterval, on: loop.backgroundScheduler)
      .observeNext { [weak self] _ in self?.ping() }
    let served = offer.serve(self).observe(
      next: { _ in },
      termination: { [weak self] _ in
        self?.serving = nil
        self?.close()
      })
    if end == nil, !served.isDisposed { serving = served } else { served.dispose() }
  }

  private func ping() {
    // Its answers are not read while messages wait for the observer.
    if !waiting.isEmpty {
      isSilent = false
      return
    }
    if isSilent { return connection.fail(.timedOut("a ping is not answered")) }
    isSilent = true
    queue(Bytes(), UInt8(WSLAY_PING.rawValue))
  }

  func receive(_ bytes: Bytes) {
    isSilent = false
    input = input.isEmpty ? bytes : input + bytes
    parse()
  }

  private func parse() {
    // What an observer does can bring more input, which the call that runs reads.
    if isParsing { return }
    isParsing = true
    let status = withExtendedLifetime(self) { wslay_event_recv(context) }
    isParsing = false
    if hasTooManyParts { return connection.fail(.malformed("a message of a WebSocket has too many small parts")) }
    if status != 0 { return connection.fail(.malformed("a frame of a WebSocket cannot be used")) }
    flush()
    deliver()
    if end == nil, wslay_event_get_read_enabled(context) == 0 {
      finish(closeCode == nil ? .failed(.malformed("a frame of a WebSocket is wrong")) : .completed)
    }
    proceedWithClosing()
  }

  /// Closes the connection when both sides have said so.
  private func proceedWithClosing() {
    if wslay_event_get_close_sent(context) == 0 || connection.isDisposed { return }
    if closeCode != nil || wslay_event_get_read_enabled(context) == 0 { return connection.finish() }
    closing =
      closing
      ?? connection.wire.carrier.loop.backgroundScheduler.schedule(after: Self.closeLimit) { [weak self] in
        self?.connection.finish()
      }
  }

  func deliver() {
    if isDelivering { return }
    isDelivering = true
    // Many small messages can wait after a pause, so they are removed together.
    var delivered = 0
    while delivered < waiting.count, wasObserved && reader == nil || reader?.isPaused == false {
      let message = waiting[delivered]
      delivered += 1
      reader?.next(message)
    }
    waiting.removeFirst(delivered)
    isDelivering = false
    adjustReading()
    if waiting.isEmpty, let end { reader.take()?.end(end) }
  }

  /// Stops reading while messages wait, and while the client does not take the answers to its pings.
  private func adjustReading() {
    if connection.isDisposed || end != nil { return }
    connection.setReadingPaused(!waiting.isEmpty || connection.wire.isFull)
  }

  func stopReading() {
    reader = nil
    deliver()
  }

  fileprivate func didReceive(_ arg: wslay_event_on_msg_recv_arg) {
    let bytes = UnsafeRawBufferPointer(start: arg.msg, count: arg.msg_length)
    switch UInt32(arg.opcode) {
    case WSLAY_TEXT_FRAME.rawValue: waiting.append(.text(String(decoding: bytes, as: UTF8.self)))
    case WSLAY_BINARY_FRAME.rawValue: waiting.append(.binary(Bytes(copying: bytes)))
    case WSLAY_CONNECTION_CLOSE.rawValue: closeCode = arg.status_code == 0 ? 1005 : arg.status_code
    default: break
    }
    // At once, because what a later frame does wrong closes the socket before an answer to this message.
    deliver()
  }

  func peerDidFinish() {
    if closeCode != nil { connection.finish() } else { connection.fail(.disconnected) }
  }

  // MARK: Sending

  /// Sends a message. Never waits: check `isFull`, or use `pipe(to:)`. Messages after the end are dropped.
  public func send(_ message: WebSocketMessage) {
    switch message {
    case .text(let text): queue(Bytes(text), UInt8(WSLAY_TEXT_FRAME.rawValue))
    case .binary(let bytes): queue(bytes, UInt8(WSLAY_BINARY_FRAME.rawValue))
    }
  }

  private func queue(_ bytes: Bytes, _ opcode: UInt8) {
    if end != nil || connection.isDisposed { return }
    bytes.withUnsafeBytes { buffer in
      var message = wslay_event_msg(
        opcode: opcode, msg: buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), msg_length: buffer.count)
      // It refuses messages after a close frame.
      _ = wslay_event_queue_msg(context, &message)
    }
    flush()
  }

  private func flush() {
    output.removeAll(keepingCapacity: true)
    wslay_event_send(context)
    if !output.isEmpty, !connection.isDisposed { connection.wire.write(copying: output) }
  }

  /// True while the client does not take the messages, and after the end.
  public var isFull: Bool { end != nil || connection.isDisposed || connection.wire.isFull }

  /// Emits each time a socket that was full has room again. Ends when the socket does. Hot.
  public var readiness: Operation<Void, HTTPError> {
    Operation { observer in
      if let end = self.end {
        observer.terminate(end)
        return .none
      }
      let room = self.room ?? PushOperation()
      self.room = room
      return room.subscribe(observer)
    }
  }

  func proceed() {
    adjustReading()
    room?.next(())
  }

  /// Closes the socket: sends a close frame after the messages, and closes the connection when the client has answered,
  /// or after 5 seconds. Idempotent.
  ///
  /// - Parameters:
  ///   - code: The reason as a number (RFC 6455, 7.4): 1000 for a normal end, and 3000 to 4999 for those of an
  ///     application. A code that no close frame may have, such as 1005, is a programming error.
  ///   - reason: The reason for a person, cut after 123 bytes of UTF-8.
  public func close(code: UInt16 = 1000, reason: String = "") {
    precondition(
      Self.isCloseCode(code),
      """
      A WebSocket cannot be closed with \(code). Use 1000 for a normal end, or a code from 3000 to 4999 for a reason of \
      your application.
      """)
    if end != nil || connection.isDisposed { return }
    var reason = reason
    while reason.utf8.count > 123 { reason.removeLast() }
    let text = Array(reason.utf8)
    wslay_event_queue_close(context, code, text, text.count)
    flush()
    proceedWithClosing()
  }

  /// True for a code that a close frame may have: 1004 to 1006 and 1015 have a meaning only outside of frames.
  private static func isCloseCode(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  private func finish(_ end: Termination<HTTPError>) {
    if self.end != nil { return }
    self.end = end
    deliver()
    room?.terminate(end)
    pings.take()?.dispose()
  }

  /// The connection has ended.
  func end(_ error: HTTPError) {
    finish(.failed(error))
    closing.take()?.dispose()
    serving.take()?.dispose()
  }

  // MARK: Callbacks

  fileprivate static func of(_ user: UnsafeMutableRawPointer?) -> WebSocket {
    Unmanaged<WebSocket>.fromOpaque(user!).takeUnretainedValue()
  }

  /// Made once and never freed. wslay calls them only inside its own functions.
  nonisolated(unsafe) private static let callbacks: UnsafePointer<wslay_event_callbacks> = {
    let callbacks = UnsafeMutablePointer<wslay_event_callbacks>.allocate(capacity: 1)
    callbacks.initialize(to: wslay_event_callbacks())
    callbacks.pointee.recv_callback = { context, buffer, length, _, user in
      let this = WebSocket.of(user)
      let part = this.input.prefix(length)
      if part.isEmpty {
        wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK.rawValue)
        return -1
      }
      part.withUnsafeBytes {
        buffer!.update(from: $0.baseAddress!.assumingMemoryBound(to: UInt8.self), count: $0.count)
      }
      this.input = this.input.dropFirst(part.count)
      return part.count
    }
    callbacks.pointee.send_callback = { _, data, length, _, user in
      WebSocket.of(user).output.append(contentsOf: UnsafeBufferPointer(start: data, count: length))
      return length
    }
    callbacks.pointee.on_frame_recv_start_callback = { _, arg, user in
      let this = WebSocket.of(user)
      switch arg!.pointee.opcode {
      case 0: this.parts = (this.parts.count + 1, this.parts.bytes + arg!.pointee.payload_length)
      case 1...7: this.parts = (0, 0)
      default: break
      }
    }
    callbacks.pointee.on_msg_recv_callback = { _, arg, user in WebSocket.of(user).didReceive(arg!.pointee) }
    return UnsafePointer(callbacks)
  }()
}

@available(*, unavailable)
extension WebSocket: Sendable {}

/// The answer of a server to a client that asks for a WebSocket.
struct WebSocketOffer {
  let serve: (WebSocket) -> Stream<Void>
}

extension HTTPResponse {
  /// Makes the response that begins a WebSocket, and serves it until the returned stream ends, which closes the socket.
  /// The stream is disposed if the socket ends first. Its elements are dropped.
  ///
  /// A request that does not ask for a WebSocket gets the status 426, one with a wrong key or with a body the status 400,
  /// and one of another origin the status 403: a page of another site could otherwise use the cookies of your user.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - protocols: The protocols that the server speaks, best first. The first one that the client offers, too, is
  ///     chosen.
  ///   - origins: The origins of pages that may connect, such as `https://example.org`. Nil accepts pages of the host of
  ///     the request, and clients that are no browser.
  ///   - serve: Serves the socket.
  public static func webSocket<Served>(
    for request: HTTPRequest, protocols: [String] = [], origins: [String]? = nil,
    serve: @escaping (WebSocket) -> Stream<Served>
  ) -> HTTPResponse {
    guard request.version == .http11, request.method == "GET", request.headers.contains("websocket", in: "Upgrade"),
      request.headers.contains("upgrade", in: "Connection"), request.headers["Sec-WebSocket-Version"] == "13"
    else {
      return HTTPResponse(426, headers: ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"])
    }
    let keys = request.headers.values(of: "Sec-WebSocket-Key")
    // A body would be taken for frames.
    guard keys.count == 1, isKey(keys[0]), request.headers.count(of: "Sec-WebSocket-Version") == 1,
      request.headers.count(of: "Transfer-Encoding") == 0, ["0", nil].contains(request.headers["Content-Length"])
    else { return .text("This is no handshake of a WebSocket.\n", 400) }
    if let origin = request.headers["Origin"] {
      let host = request.headers["Host"] ?? ""
      let isAllowed = origins.map { $0.contains(origin) } ?? (origin == "https://\(host)" || origin == "http://\(host)")
      if !isAllowed { return .text("This origin may not connect.\n", 403) }
    }
    var headers: HTTPHeaders = ["Sec-WebSocket-Accept": accept(keys[0])]
    let offered = request.headers.values(of: "Sec-WebSocket-Protocol").flatMap {
      $0.listed.map { String($0) }
    }
    if let chosen = protocols.first(where: { offered.contains($0) }) { headers["Sec-WebSocket-Protocol"] = chosen }
    var response = HTTPResponse(101, headers: headers)
    response.body = .webSocket(WebSocketOffer { socket in serve(socket).map { _ in } })
    return response
  }

  /// True for 16 bytes in base64 (RFC 6455, 4.2.1).
  private static func isKey(_ text: String) -> Bool {
    text.utf8.count == 24 && text.hasSuffix("==")
      && text.utf8.dropLast(2).allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"): true
        default: false
        }
      }
  }

  /// Returns the proof that the server has understood the key (RFC 6455, 4.2.2).
  static func accept(_ key: String) -> String {
    let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    SHA1(text, text.count, &digest)
    // EVP_EncodeBlock ends its text with a zero.
    var encoded = [UInt8](repeating: 0, count: 29)
    let count = EVP_EncodeBlock(&encoded, digest, Int32(digest.count))
    return String(decoding: encoded[..<Int(count)], as: UTF8.self)
  }
}
