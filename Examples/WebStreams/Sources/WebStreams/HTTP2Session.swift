import CNghttp2
import EventLoops
import Streams

/// One side of a connection that speaks HTTP/2, by nghttp2: many requests at the same time.
///
/// nghttp2 calls only inside `nghttp2_session_mem_recv` and `nghttp2_session_mem_send`. Its callbacks note
/// events, and the session acts on them afterwards, so that the program's code does not run inside nghttp2.
class HTTP2Session {
  /// The first bytes of a client.
  static let preface: Bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

  enum Event {
    case header(HTTP2Exchange)
    case data(HTTP2Exchange, Range<Int>)
    case bodyEnd(HTTP2Exchange)
    /// The other body has been sent.
    case sent(HTTP2Exchange)
    case room(HTTP2Exchange)
    case reset
    case pong
    /// The peer has said what it allows.
    case settings
    /// The last request that the peer takes, and why it ends the connection, if it says so.
    case goAway(Int32, HTTPError?)
    case closed(HTTP2Exchange, UInt32)
  }

  let connection: HTTPConnection
  private(set) var session: OpaquePointer?
  var exchanges: [Int32: HTTP2Exchange] = [:]
  private var events: [Event] = []
  private var base: UnsafeRawPointer?
  private var output: [UInt8] = []
  private var isBusy = false
  /// What the peer does wrong, for which nghttp2 ends the connection, or why a server says that it ends it.
  var problem: HTTPError?
  /// The bytes of bodies that have arrived since the peer was last told.
  private var arrived = 0

  /// The most bytes of a body that may be on their way or pending.
  private static let window: Int32 = 262_144
  /// The most bytes of bodies that may be on their way. Pending bytes don't count, so an unread body does not stop the others.
  private static let connectionWindow: Int32 = 1_048_576
  /// The watermarks of the pending bytes of a body that is sent.
  private static let watermarks = (high: 65_536, low: 16_384)
  static let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)

  init(_ connection: HTTPConnection, isServer: Bool) {
    self.connection = connection
    var option: OpaquePointer?
    Self.require(nghttp2_option_new(&option))
    nghttp2_option_set_no_auto_window_update(option, 1)
    nghttp2_option_set_max_send_header_block_length(option, 1_048_576)
    let this = Unmanaged.passUnretained(self).toOpaque()
    let make = isServer ? nghttp2_session_server_new2 : nghttp2_session_client_new2
    Self.require(make(&session, Self.callbacks, this, option))
    nghttp2_option_del(option)
    let values = [
      isServer
        ? (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, UInt32(connection.limits.concurrentRequests))
        : (NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
      (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, UInt32(Self.window)),
      (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(connection.limits.headerBytes)),
    ]
    let settings = values.map { nghttp2_settings_entry(settings_id: Int32(bitPattern: $0.0.rawValue), value: $0.1) }
    Self.require(nghttp2_submit_settings(session, Self.noFlags, settings, settings.count))
    Self.require(nghttp2_session_set_local_window_size(session, Self.noFlags, 0, Self.connectionWindow))
  }

  /// Traps if nghttp2 has no memory for a connection, as Swift does if it has none.
  private static func require(_ status: Int32) { if status < 0 { fatalError("There is no memory for HTTP/2.") } }

  deinit { nghttp2_session_del(session) }

  // MARK: Differences between server and client

  /// The peer has begun to send a header.
  func begin(_ id: Int32) {}
  /// The header of a message is complete.
  func headerIsComplete(_ exchange: HTTP2Exchange) {}
  /// The header of a message cannot be sent.
  func headerWasNotSent(_ exchange: HTTP2Exchange, _ reason: String) {}
  /// The body that was sent is complete.
  func bodyWasSent(_ exchange: HTTP2Exchange) {}
  /// The body that is sent has failed.
  func bodyHasFailed(_ exchange: HTTP2Exchange, _ error: any Error) {}
  /// The body that arrives is complete.
  func bodyHasArrived(_ exchange: HTTP2Exchange) {}
  func act(on event: Event) {}

  // MARK: Reading

  func receive(_ bytes: Bytes) {
    let wasBusy = isBusy
    isBusy = true
    let count = bytes.withUnsafeBytes { buffer in
      base = buffer.baseAddress
      return nghttp2_session_mem_recv(session, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count)
    }
    base = nil
    if arrived > 0 { nghttp2_session_consume_connection(session, arrived) }
    arrived = 0
    act(with: bytes)
    isBusy = wasBusy
    if connection.isDisposed { return }
    flush()
    if count < 0 { connection.fail(.failure(ofSession: count)) }
  }

  /// Acts on the events that nghttp2's callbacks have noted.
  private func act(with bytes: Bytes) {
    while !events.isEmpty, !connection.isDisposed {
      let all = events
      events = []
      for event in all where !connection.isDisposed { act(on: event, with: bytes) }
    }
  }

  private func act(on event: Event, with bytes: Bytes) {
    switch event {
    case .header(let exchange): headerIsComplete(exchange)
    case .data(let exchange, let range):
      exchange.receive(bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)])
    case .bodyEnd(let exchange):
      exchange.finishBody(.completed)
      bodyHasArrived(exchange)
    case .sent(let exchange): bodyWasSent(exchange)
    case .room(let exchange): exchange.source?.resume()
    case .closed(let exchange, let code):
      // Not before its other events, so that a connection that ends meanwhile ends it, too.
      exchanges[exchange.id] = nil
      // A peer can also break off a message without an error.
      let isDone = code == NGHTTP2_NO_ERROR.rawValue && exchange.hasSentEnd && !exchange.wasReset
      exchange.end(isDone ? nil : exchange.problem ?? problem ?? .disconnected)
      act(on: event)
      connection.progress()
    case .reset, .pong, .settings, .goAway: act(on: event)
    }
  }

  func bodyWasConsumed(_ exchange: Exchange, _ count: Int) {
    guard let exchange = exchange as? HTTP2Exchange, !connection.isDisposed else { return }
    nghttp2_session_consume_stream(session, exchange.id, count)
    flush()
  }

  // MARK: Writing

  /// Writes the frames that nghttp2 has to send, until the connection is full.
  func flush() {
    if isBusy || connection.isDisposed { return }
    isBusy = true
    repeat {
      writeFrames()
      act(with: Bytes())
    } while !output.isEmpty && !connection.isDisposed
    isBusy = false
    if connection.isDisposed { return }
    if nghttp2_session_want_read(session) != 0 || nghttp2_session_want_write(session) != 0 { return }
    if let problem { connection.fail(problem) } else { connection.finish() }
  }

  /// Writes some of the frames, and leaves their events to the caller.
  func writeFrames() {
    output.removeAll(keepingCapacity: true)
    var data: UnsafePointer<UInt8>?
    while output.count < 65_536, !connection.wire.isFull {
      let count = nghttp2_session_mem_send(session, &data)
      if count < 0 { return connection.fail(.failure(ofSession: count)) }
      if count == 0 { break }
      output.append(contentsOf: UnsafeBufferPointer(start: data, count: count))
    }
    if !output.isEmpty { connection.wire.write(copying: output) }
  }

  /// Sends a body as it is produced. Its header must have been submitted with `readBody`.
  func send(_ body: Operation<Bytes, any Error>, _ count: Int64?, _ exchange: HTTP2Exchange) {
    exchange.observe(
      body, count,
      next: { [self] bytes in
        exchange.outgoing.append(bytes)
        nghttp2_session_resume_data(session, exchange.id)
        flush()
        if exchange.outgoing.count >= Self.watermarks.high {
          exchange.isBlocked = true
          exchange.source?.pause()
        }
      },
      end: { [self] error in
        exchange.outgoingEnd = error == nil ? .completed : .failed
        if let error { bodyHasFailed(exchange, error) }
        nghttp2_session_resume_data(session, exchange.id)
        flush()
      })
  }

  /// Calls `body` with the fields of a header as nghttp2 takes them.
  func withFields(
    _ pseudo: [(String, String)], _ headers: HTTPHeaders, count: Int64?,
    _ body: (UnsafePointer<nghttp2_nv>, Int) -> Void
  ) {
    var text: [UInt8] = []
    text.reserveCapacity(headers.text.count + 128)
    var fields: [(name: Range<Int>, value: Range<Int>)] = []
    fields.reserveCapacity(headers.fields.count + pseudo.count + 1)
    func add(_ name: some Sequence<UInt8>, _ value: some Sequence<UInt8>) {
      let start = text.count
      for byte in name { text.append(byte.lowercased) }
      let middle = text.count
      text.append(contentsOf: value)
      fields.append((start..<middle, middle..<text.count))
    }
    for (name, value) in pseudo { add(name.utf8, value.utf8) }
    for field in headers.fields where !Self.isOfTheConnection(field, headers) {
      add(
        headers.text[Int(field.start)..<Int(field.nameEnd)], headers.text[Int(field.nameEnd)..<Int(field.end)])
    }
    if let count { add("content-length".utf8, String(count).utf8) }
    text.withUnsafeMutableBufferPointer { buffer in
      let base = buffer.baseAddress!
      let values = fields.map { field in
        nghttp2_nv(
          name: base + field.name.lowerBound, value: base + field.value.lowerBound, namelen: field.name.count,
          valuelen: field.value.count, flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
      }
      values.withUnsafeBufferPointer { body($0.baseAddress!, $0.count) }
    }
  }

  /// True for a field that HTTP/2 has no use for (RFC 9113, 8.2.2), or that the session writes itself.
  private static func isOfTheConnection(_ field: HTTPHeaders.Field, _ headers: HTTPHeaders) -> Bool {
    switch field.nameEnd - field.start {
    case 7: headers.isNamed(field, "upgrade")
    case 10: headers.isNamed(field, "connection") || headers.isNamed(field, "keep-alive")
    case 14: headers.isNamed(field, "content-length")
    case 16: headers.isNamed(field, "proxy-connection")
    case 17: headers.isNamed(field, "transfer-encoding")
    default: false
    }
  }

  /// Calls `body` with the source of a message's body, or with nil if there is none.
  func withProvider(_ hasBody: Bool, _ body: (UnsafePointer<nghttp2_data_provider>?) -> Void) {
    if !hasBody { return body(nil) }
    var provider = nghttp2_data_provider()
    provider.read_callback = Self.readBody
    withUnsafePointer(to: &provider) { body($0) }
  }

  /// Copies pending bytes of a body into a frame.
  private static let readBody: nghttp2_data_source_read_callback = { session, id, buffer, length, flags, _, user in
    let this = HTTP2Session.of(user)
    guard let exchange = this.exchanges[id] else { return ssize_t(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    let count = exchange.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
    if exchange.outgoing.isEmpty {
      switch exchange.outgoingEnd {
      case .completed: flags!.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
      case .failed:
        exchange.isBrokenOff = true
        return ssize_t(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
      case nil: if count == 0 { return ssize_t(NGHTTP2_ERR_DEFERRED.rawValue) }
      }
    }
    if exchange.isBlocked, exchange.outgoing.count <= HTTP2Session.watermarks.low {
      exchange.isBlocked = false
      this.events.append(.room(exchange))
    }
    return count
  }

  func cancel(_ error: HTTPError) {
    let all = exchanges.values.sorted { $0.id < $1.id }
    exchanges = [:]
    events = []
    for exchange in all { exchange.end(error) }
  }

  // MARK: Callbacks

  private static func of(_ user: UnsafeMutableRawPointer?) -> HTTP2Session {
    Unmanaged<HTTP2Session>.fromOpaque(user!).takeUnretainedValue()
  }

  private func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ id: Int32) -> Int32 {
    guard let exchange = exchanges[id] else { return 0 }
    exchange.headerBytes += name.count + value.count + 32
    if exchange.headerBytes > connection.limits.headerBytes {
      exchange.problem = .malformed("its header has more than \(connection.limits.headerBytes) bytes")
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    exchange.add(name, value)
    return 0
  }

  private func didReceive(_ frame: nghttp2_frame) {
    let header = frame.hd
    let type = nghttp2_frame_type(UInt32(header.type))
    switch type {
    case NGHTTP2_PING: if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 { events.append(.pong) }
    case NGHTTP2_RST_STREAM:
      if let exchange = exchanges[header.stream_id] {
        exchange.wasReset = true
        exchange.problem = exchange.problem ?? .aborted(by: frame.rst_stream.error_code)
      }
      events.append(.reset)
    case NGHTTP2_GOAWAY:
      let error = HTTPError.aborted(by: frame.goaway.error_code, frame.goaway.reason)
      events.append(.goAway(frame.goaway.last_stream_id, error))
    case NGHTTP2_SETTINGS: if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { events.append(.settings) }
    case NGHTTP2_HEADERS, NGHTTP2_DATA:
      guard let exchange = exchanges[header.stream_id] else { return }
      if type == NGHTTP2_HEADERS, !exchange.hasHeader {
        if exchange.status / 100 == 1 { return exchange.forgetHeaders() }
        exchange.hasHeader = true
        events.append(.header(exchange))
      }
      if isEnd(header) { events.append(.bodyEnd(exchange)) }
    default: break
    }
  }

  private func didSend(_ frame: nghttp2_frame) {
    let header = frame.hd
    switch nghttp2_frame_type(UInt32(header.type)) {
    case NGHTTP2_DATA: connection.peerTakesBytes()
    // nghttp2 says what the peer did wrong by these frames alone.
    case NGHTTP2_GOAWAY: problem = problem ?? .malformed(by: frame.goaway)
    case NGHTTP2_RST_STREAM: didReset(exchanges[header.stream_id], frame.rst_stream.error_code)
    default: break
    }
    guard let exchange = exchanges[header.stream_id] else { return }
    exchange.hasSentHeader = true
    if !isEnd(header) { return }
    exchange.hasSentEnd = true
    events.append(.sent(exchange))
  }

  private func didReset(_ exchange: HTTP2Exchange?, _ code: UInt32) {
    guard let exchange, exchange.problem == nil, !exchange.isBrokenOff, code != NGHTTP2_NO_ERROR.rawValue else {
      return
    }
    exchange.problem = .malformed("\(HTTPError.name(of: code)) in a message")
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
      HTTP2Session.of(user).begin(frame!.pointee.hd.stream_id)
      return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, nameCount, value, count, _, user in
      HTTP2Session.of(user).add(
        UnsafeBufferPointer(start: name, count: nameCount), UnsafeBufferPointer(start: value, count: count),
        frame!.pointee.hd.stream_id)
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      HTTP2Session.of(user).didReceive(frame!.pointee)
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, data, count, user in
      let this = HTTP2Session.of(user)
      this.arrived += count
      guard let exchange = this.exchanges[id] else { return 0 }
      let start = UnsafeRawPointer(data!) - this.base!
      this.events.append(.data(exchange, start..<start + count))
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
      HTTP2Session.of(user).didSend(frame!.pointee)
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, code, user in
      let this = HTTP2Session.of(user)
      // Other errors mean that the connection takes no more requests.
      if code == NGHTTP2_ERR_FRAME_SIZE_ERROR.rawValue || code == NGHTTP2_ERR_HEADER_COMP.rawValue,
        let exchange = this.exchanges[frame!.pointee.hd.stream_id]
      {
        this.headerWasNotSent(exchange, String(cString: nghttp2_strerror(code)))
      }
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, user in
      let this = HTTP2Session.of(user)
      if let exchange = this.exchanges[id] { this.events.append(.closed(exchange, code)) }
      return 0
    }
    return callbacks!
  }()
}
