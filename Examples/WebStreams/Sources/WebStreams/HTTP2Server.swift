import CNghttp2
import EventLoops
import Streams

/// HTTP/2, by nghttp2: many requests at the same time.
///
/// nghttp2 calls only inside `nghttp2_session_mem_recv` and `nghttp2_session_mem_send`. Its callbacks note what has
/// happened, and the server acts on it afterwards, so that no code of the user runs inside nghttp2.
final class HTTP2Server: ServerEngine {
  /// What a client sends first.
  static let preface: Bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

  fileprivate enum Event {
    case header(HTTP2Exchange)
    case data(HTTP2Exchange, Range<Int>)
    case bodyEnd(HTTP2Exchange)
    case responseEnd(HTTP2Exchange)
    case room(HTTP2Exchange)
    case reset
    case pong
    case closed(HTTP2Exchange, UInt32)
  }

  private let connection: ServerConnection
  private var session: OpaquePointer?
  fileprivate var exchanges: [Int32: HTTP2Exchange] = [:]
  fileprivate var events: [Event] = []
  fileprivate var base: UnsafeRawPointer?
  private var output: [UInt8] = []
  private var isBusy = false
  private var hasServed = false
  /// Requests that the client has canceled, less those that it has not.
  private var resets = 0
  private var hasSaidStop = false

  /// How much of a body may be on its way or wait here: for a request, and for all of a connection.
  private static let window: Int32 = 262_144
  private static let connectionWindow: Int32 = 1_048_576
  /// How much of a response may wait for the client.
  private static let watermarks = (high: 65_536, low: 16_384)
  /// A client that has canceled this many more requests than it has let finish only makes work.
  private static let mostResets = 200

  init(_ connection: ServerConnection) {
    self.connection = connection
    var option: OpaquePointer?
    nghttp2_option_new(&option)
    nghttp2_option_set_no_auto_window_update(option, 1)
    nghttp2_option_set_max_send_header_block_length(option, 1_048_576)
    nghttp2_session_server_new2(&session, Self.callbacks, Unmanaged.passUnretained(self).toOpaque(), option)
    nghttp2_option_del(option)
    var settings = [
      nghttp2_settings_entry(
        settings_id: Int32(bitPattern: NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
        value: UInt32(connection.limits.concurrentRequests)),
      nghttp2_settings_entry(
        settings_id: Int32(bitPattern: NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: UInt32(Self.window)),
      nghttp2_settings_entry(
        settings_id: Int32(bitPattern: NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
        value: UInt32(connection.limits.headerBytes)),
    ]
    nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), &settings, settings.count)
    nghttp2_session_set_local_window_size(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Self.connectionWindow)
  }

  deinit { nghttp2_session_del(session) }

  var wait: Wait {
    if exchanges.isEmpty { return hasServed ? .request : .header }
    if connection.wire.isFull { return .room }
    let isUnderWay = exchanges.values.contains { !$0.isBlocked && !$0.wantsBody }
    if isUnderWay { return .response }
    return exchanges.values.contains { $0.wantsBody } ? .body : .room
  }

  // MARK: Reading

  func receive(_ bytes: Bytes) {
    let wasBusy = isBusy
    isBusy = true
    let count = bytes.withUnsafeBytes { buffer in
      base = buffer.baseAddress
      return nghttp2_session_mem_recv(session, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count)
    }
    base = nil
    act(on: bytes)
    isBusy = wasBusy
    if connection.isDisposed { return }
    if count < 0 {
      flush()
      return connection.fail(.malformed(String(cString: nghttp2_strerror(Int32(count)))))
    }
    flush()
  }

  /// Acts on what nghttp2's callbacks have noted.
  private func act(on bytes: Bytes) {
    while !events.isEmpty, !connection.isDisposed {
      let all = events
      events = []
      for event in all where !connection.isDisposed { act(event, bytes) }
    }
  }

  private func act(_ event: Event, _ bytes: Bytes) {
    switch event {
    case .header(let exchange):
      hasServed = true
      let headers = exchange.takeHeaders()
      connection.emit(
        HTTPRequest(exchange, method: exchange.method, target: exchange.target, headers: headers, version: .http2))
    case .data(let exchange, let range):
      exchange.receive(bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)])
    case .bodyEnd(let exchange): exchange.finishBody(.completed)
    case .responseEnd(let exchange):
      resets = max(0, resets - 1)
      // The client need not send the rest of a body that nobody reads.
      if exchange.incomingEnd == nil {
        nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), exchange.id, NGHTTP2_NO_ERROR.rawValue)
      }
    case .room(let exchange): exchange.source?.resume()
    case .reset:
      resets += 1
      if resets > Self.mostResets {
        nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
        flush()
        connection.fail(.malformed("it cancels requests as fast as it sends them"))
      }
    case .pong: sayStop()
    case .closed(let exchange, let code):
      // What the program has not read leaves the window of the connection.
      nghttp2_session_consume_connection(session, exchange.partsCount)
      exchange.end(code == NGHTTP2_NO_ERROR.rawValue && exchange.hasSentEnd ? nil : .disconnected)
      connection.progress()
    }
  }

  func bodyWasConsumed(_ exchange: Exchange, _ count: Int) {
    guard let exchange = exchange as? HTTP2Exchange, !connection.isDisposed else { return }
    nghttp2_session_consume(session, exchange.id, count)
    flush()
  }

  func sendContinue(_ exchange: Exchange) {}

  func peerDidFinish() {
    if exchanges.isEmpty { connection.finish() } else { connection.fail(.disconnected) }
  }

  // MARK: Writing

  func proceed() { flush() }

  /// Writes what nghttp2 has to send, as far as the connection takes it.
  private func flush() {
    if isBusy || connection.isDisposed { return }
    isBusy = true
    repeat {
      output.removeAll(keepingCapacity: true)
      var data: UnsafePointer<UInt8>?
      while output.count < 65_536, !connection.wire.isFull {
        let count = nghttp2_session_mem_send(session, &data)
        if count <= 0 { break }
        output.append(contentsOf: UnsafeBufferPointer(start: data, count: count))
      }
      if !output.isEmpty { connection.wire.write(copying: output) }
      act(on: Bytes())
    } while !output.isEmpty && !connection.isDisposed
    isBusy = false
    if connection.isDisposed { return }
    if nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0 {
      connection.finish()
    } else if hasSaidStop, exchanges.isEmpty, !connection.wire.isFull {
      connection.finish()
    }
  }

  func send(_ response: HTTPResponse, _ exchange: Exchange) {
    guard let exchange = exchange as? HTTP2Exchange else { return }
    var hasBody = exchange.method != "HEAD" && response.status >= 200 && response.status != 204 && response.status != 304
    var count: Int64?
    switch response.body {
    case .bytes(let bytes):
      count = Int64(bytes.count)
      exchange.outgoingEnd = .completed
      if hasBody { exchange.outgoing = [bytes] }
      if bytes.isEmpty { hasBody = false }
    case .stream(_, let known): count = known
    // The offer has checked that the version is HTTP/1.1.
    case .webSocket: return
    }
    submitHeader(response, exchange, count, hasBody)
    if hasBody, case .stream(let body, let count) = response.body {
      exchange.observe(
        body, count, next: { [self] in add($0, exchange) },
        end: { [self] error in
          exchange.outgoingEnd = error == nil ? .completed : .failed
          nghttp2_session_resume_data(session, exchange.id)
          flush()
        })
      if exchange.isBlocked { exchange.source?.pause() }
    }
    flush()
  }

  private func add(_ bytes: Bytes, _ exchange: HTTP2Exchange) {
    exchange.outgoing.append(bytes)
    exchange.outgoingCount += bytes.count
    nghttp2_session_resume_data(session, exchange.id)
    flush()
    if exchange.outgoingCount >= Self.watermarks.high {
      exchange.isBlocked = true
      exchange.source?.pause()
    }
  }

  private func submitHeader(_ response: HTTPResponse, _ exchange: HTTP2Exchange, _ count: Int64?, _ hasBody: Bool) {
    var text = output
    text.removeAll(keepingCapacity: true)
    var fields: [(name: Range<Int>, value: Range<Int>)] = []
    func add(_ name: some Sequence<UInt8>, _ value: some Sequence<UInt8>) {
      let start = text.count
      for byte in name { text.append(byte.lowercased) }
      let middle = text.count
      text.append(contentsOf: value)
      fields.append((start..<middle, middle..<text.count))
    }
    add(":status".utf8, String(response.status).utf8)
    add("date".utf8, HTTPDate.now.utf8)
    let headers = response.headers
    let ofTheConnection = [
      "content-length", "connection", "transfer-encoding", "keep-alive", "upgrade", "proxy-connection",
    ]
    for field in headers.fields where !ofTheConnection.contains(where: { headers.isNamed(field, $0) }) {
      add(
        headers.text[Int(field.start)..<Int(field.nameEnd)], headers.text[Int(field.nameEnd)..<Int(field.end)])
    }
    if let count, response.status >= 200, response.status != 204, response.status != 304 {
      add("content-length".utf8, String(count).utf8)
    }
    text.withUnsafeMutableBufferPointer { buffer in
      let base = buffer.baseAddress!
      let values = fields.map { field in
        nghttp2_nv(
          name: base + field.name.lowerBound, value: base + field.value.lowerBound, namelen: field.name.count,
          valuelen: field.value.count, flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
      }
      var provider = nghttp2_data_provider()
      provider.read_callback = Self.readBody
      withUnsafePointer(to: &provider) {
        _ = nghttp2_submit_response(session, exchange.id, values, values.count, hasBody ? $0 : nil)
      }
    }
  }

  /// Copies what waits of a response into a frame.
  private static let readBody: nghttp2_data_source_read_callback = { session, id, buffer, length, flags, _, user in
    let this = HTTP2Server.of(user)
    guard let exchange = this.exchanges[id] else { return ssize_t(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    let count = exchange.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
    if exchange.outgoing.isEmpty {
      switch exchange.outgoingEnd {
      case .completed: flags!.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
      case .failed: return ssize_t(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
      case nil: if count == 0 { return ssize_t(NGHTTP2_ERR_DEFERRED.rawValue) }
      }
    }
    if exchange.isBlocked, exchange.outgoingCount <= HTTP2Server.watermarks.low {
      exchange.isBlocked = false
      this.events.append(.room(exchange))
    }
    return count
  }

  // MARK: Ending

  func stop() {
    if exchanges.isEmpty { return sayStop() }
    // A request that is on its way now is still answered: the last one is named when the client has seen the notice.
    nghttp2_submit_shutdown_notice(session)
    nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
    flush()
  }

  private func sayStop() {
    if hasSaidStop || !connection.isStopping && !exchanges.isEmpty { return }
    hasSaidStop = true
    nghttp2_submit_goaway(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nghttp2_session_get_last_proc_stream_id(session),
      NGHTTP2_NO_ERROR.rawValue, nil, 0)
    flush()
  }

  func cancel(_ error: HTTPError) {
    let all = exchanges.values.sorted { $0.id < $1.id }
    exchanges = [:]
    events = []
    for exchange in all { exchange.end(error) }
  }

  // MARK: Callbacks

  fileprivate static func of(_ user: UnsafeMutableRawPointer?) -> HTTP2Server {
    Unmanaged<HTTP2Server>.fromOpaque(user!).takeUnretainedValue()
  }

  fileprivate func begin(_ id: Int32) { exchanges[id] = HTTP2Exchange(connection, id) }

  fileprivate func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ id: Int32) -> Int32 {
    guard let exchange = exchanges[id] else { return 0 }
    exchange.headerBytes += name.count + value.count + 32
    if exchange.headerBytes > connection.limits.headerBytes { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue }
    exchange.add(name, value)
    return 0
  }

  fileprivate func didReceive(_ header: nghttp2_frame_hd) {
    if UInt32(header.type) == NGHTTP2_PING.rawValue, header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 {
      return events.append(.pong)
    }
    if UInt32(header.type) == NGHTTP2_RST_STREAM.rawValue { events.append(.reset) }
    guard let exchange = exchanges[header.stream_id] else { return }
    let isHeader = UInt32(header.type) == NGHTTP2_HEADERS.rawValue
    if isHeader, !exchange.hasHeader {
      exchange.hasHeader = true
      events.append(.header(exchange))
    }
    if isHeader || UInt32(header.type) == NGHTTP2_DATA.rawValue, isEnd(header) { events.append(.bodyEnd(exchange)) }
  }

  fileprivate func didSend(_ header: nghttp2_frame_hd) {
    guard let exchange = exchanges[header.stream_id], isEnd(header) else { return }
    exchange.hasSentEnd = true
    events.append(.responseEnd(exchange))
  }

  private func isEnd(_ header: nghttp2_frame_hd) -> Bool {
    (UInt32(header.type) == NGHTTP2_HEADERS.rawValue || UInt32(header.type) == NGHTTP2_DATA.rawValue)
      && header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
  }

  /// Made once and never freed.
  nonisolated(unsafe) private static let callbacks: OpaquePointer = {
    var callbacks: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
      HTTP2Server.of(user).begin(frame!.pointee.hd.stream_id)
      return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, nameCount, value, count, _, user in
      HTTP2Server.of(user).add(
        UnsafeBufferPointer(start: name, count: nameCount), UnsafeBufferPointer(start: value, count: count),
        frame!.pointee.hd.stream_id)
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      HTTP2Server.of(user).didReceive(frame!.pointee.hd)
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, data, count, user in
      let this = HTTP2Server.of(user)
      guard let exchange = this.exchanges[id] else { return 0 }
      let start = UnsafeRawPointer(data!) - this.base!
      this.events.append(.data(exchange, start..<start + count))
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
      HTTP2Server.of(user).didSend(frame!.pointee.hd)
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, user in
      let this = HTTP2Server.of(user)
      if let exchange = this.exchanges.removeValue(forKey: id) { this.events.append(.closed(exchange, code)) }
      return 0
    }
    return callbacks!
  }()
}

/// A request of HTTP/2 and its response.
final class HTTP2Exchange: Exchange {
  enum End {
    case completed
    case failed
  }

  let id: Int32
  private(set) var method = ""
  private(set) var target = ""
  private var headers = HTTPHeaders()
  private var authority: String?
  var headerBytes = 0
  var hasHeader = false
  var hasSentEnd = false

  /// What waits of the response, and how much of its first part has been sent.
  var outgoing: [Bytes] = []
  var outgoingCount = 0
  var outgoingEnd: End?
  /// True while the response waits for the client.
  var isBlocked = false

  init(_ connection: ServerConnection, _ id: Int32) {
    self.id = id
    super.init(connection)
  }

  func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    // Fields after the body are dropped.
    if hasHeader { return }
    if name.first != UInt8(ascii: ":") {
      headers.addName(name)
      headers.addValue(value)
      return headers.endField()
    }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: name, as: UTF8.self) {
    case ":method": method = text
    case ":path": target = text
    case ":authority": authority = text
    default: break
    }
  }

  func takeHeaders() -> HTTPHeaders {
    if let authority, headers["host"] == nil { headers.add("host", authority) }
    if target.isEmpty { target = authority ?? "" }
    let all = headers
    headers = HTTPHeaders()
    return all
  }

  /// Moves bytes that wait to a frame.
  func read(into frame: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while let first = outgoing.first, count < frame.count {
      let part = first.prefix(frame.count - count)
      part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: frame[count...]).copyMemory(from: $0) }
      count += part.count
      if part.count == first.count { outgoing.removeFirst() } else { outgoing[0] = first.dropFirst(part.count) }
    }
    outgoingCount -= count
    return count
  }
}
