import CCurl
import Callbacks
import EventLoops
import Streams

/// One transfer: curl's easy handle and the events that have not been delivered.
///
/// Ownership: Multi and the callback table ===> Transfer, until `release()`; curl has the context of the table, a number.
final class Transfer {
  private let multi: Multi
  private let observer: Observer<CurlEvent, CurlError>
  private var easy: UnsafeMutableRawPointer?
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var table: CallbackTable<Transfer>?
  private var lines: [String] = []
  /// True after the empty line that ends a head. Later lines are fields after a chunked body, which are dropped.
  private var isHeadComplete = false
  /// True after the first bytes of the body, before which there is no other response.
  private var hasBody = false
  private var waiting: [CurlEvent] = []
  private var termination: Termination<CurlError>?
  private var isPaused: Bool
  /// Whether the write callback has paused curl.
  private var isCurlPaused = false
  private var isFlushing = false

  init(_ request: CurlRequest, _ multi: Multi, _ observer: Observer<CurlEvent, CurlError>) throws(CurlError) {
    self.multi = multi
    self.observer = observer
    isPaused = observer.isPaused
    guard let easy = curl_easy_init() else { throw CurlError(CURLE_OUT_OF_MEMORY) }
    self.easy = easy
    do throws(CurlError) {
      try set(request, easy)
      let table = CallbackTable(self)
      self.table = table
      try setCallbacks(easy, table.context)
      let code = multi.driver.during { curl_multi_add_handle(multi.pointer, easy) }
      if code != CURLM_OK { throw CurlError(code) }
    } catch {
      release()
      throw error
    }
    multi.transfers[ObjectIdentifier(self)] = self
  }

  private func set(_ request: CurlRequest, _ easy: UnsafeMutableRawPointer) throws(CurlError) {
    try EasyOption.url.set(request.url, of: easy)
    try EasyOption.protocols.set("http,https", of: easy)
    try EasyOption.noSignal.set(1, of: easy)
    // Otherwise curl waits for its thread that resolves the name, which blocks the loop while the name server is silent.
    try EasyOption.quickExit.set(1, of: easy)
    try EasyOption.followsRedirects.set(request.followsRedirects ? 1 : 0, of: easy)
    if let timeout = request.timeout {
      let milliseconds = Int(min(max(1, timeout / .milliseconds(1)), Double(Int32.max)))
      try EasyOption.timeout.set(milliseconds, of: easy)
    }
    // curl would read the body of a POST that has none from standard input.
    if let body = request.body ?? (request.method == "POST" ? [] : nil) {
      try EasyOption.bodySize.set(curl_off_t(body.count), of: easy)
      // An empty array may have no address, and curl treats a null pointer as no body.
      var bytes = body.isEmpty ? [0] : body
      let code = bytes.withUnsafeMutableBytes { bytes in
        EasyOption.copiedBody.set(easy, EasyOption.copiedBody.option, bytes.baseAddress)
      }
      if code != CURLE_OK { throw CurlError(code) }
    }
    // curl would send what follows a line break as other lines.
    if [[request.method ?? ""], request.headers].joined().contains(where: {
      $0.utf8.contains { [0, 10, 13].contains($0) }
    })
      || request.method?.utf8.contains(32) == true || request.method == ""
    {
      throw CurlError(CURLE_BAD_FUNCTION_ARGUMENT)
    }
    try setMethod(of: request, easy)
    for header in request.headers {
      guard let list = curl_slist_append(headers, header) else { throw CurlError(CURLE_OUT_OF_MEMORY) }
      headers = list
    }
    try EasyOption.headers.set(headers, of: easy)
  }

  /// Lets curl choose the methods `GET`, `POST`, and `HEAD`, because it keeps a method of the program at every redirect.
  private func setMethod(of request: CurlRequest, _ easy: UnsafeMutableRawPointer) throws(CurlError) {
    switch request.method {
    case nil, "POST": break
    case "GET" where request.body == nil: break
    case "HEAD": try EasyOption.noBody.set(1, of: easy)
    case let method?:
      try EasyOption.method.set(method, of: easy)
      // curl takes every body for that of a POST, which would become a GET.
      try EasyOption.keptPosts.set(headwater_keep_301_and_302(), of: easy)
    }
  }

  private func setCallbacks(
    _ easy: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer
  ) throws(CurlError) {
    try EasyOption.privateContext.set(context, of: easy)
    try EasyOption.writeContext.set(context, of: easy)
    try EasyOption.headerContext.set(context, of: easy)
    try EasyOption.writeFunction.set(
      { bytes, size, count, context in
        let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return CallbackTable<Transfer>.with(context, otherwise: 0) { $0.write(bytes) }
      }, of: easy)
    try EasyOption.headerFunction.set(
      { bytes, size, count, context in
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return CallbackTable<Transfer>.with(context, otherwise: 0) { $0.header(line) }
      }, of: easy)
  }

  // MARK: Inside curl

  /// Returns the number of bytes taken, or the code that makes curl keep the bytes and pause (R2).
  private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    if isPaused {
      isCurlPaused = true
      return headwater_write_pause()
    }
    addHead()
    hasBody = true
    add(.body(Array(bytes)))
    return bytes.count
  }

  private func header(_ bytes: UnsafeRawBufferPointer) -> Int {
    var line = String(decoding: bytes, as: UTF8.self)[...]
    while let last = line.last, last.isNewline { line.removeLast() }
    // A new response begins. The previous one was an interim response or a redirect. Fields can begin with the same letters, in
    // a head and after a body.
    if !hasBody, lines.isEmpty || isHeadComplete, let status = Self.status(of: line) {
      lines = []
      isHeadComplete = false
      // The response to any method is elsewhere, and a GET or HEAD asks for it (RFC 9110, 15.4.4).
      if status == "303", let easy { EasyOption.method.reset(of: easy) }
    }
    if line.isEmpty { isHeadComplete = true }
    if !isHeadComplete { lines.append(String(line)) }
    return bytes.count
  }

  /// The digits `200` of `HTTP/1.1 200` and what may follow them; nil for other lines.
  private static func status(of line: Substring) -> Substring? {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count > 1, parts[0].hasPrefix("HTTP/"), parts[1].utf8.count == 3,
      parts[1].utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return parts[1]
  }

  private func addHead() {
    guard let first = lines.first else { return }
    let parts = first.split(separator: " ")
    add(.head(status: parts.count > 1 ? Int(parts[1]) ?? 0 : 0, headers: Array(lines.dropFirst())))
    lines = []
  }

  func didEnd(_ code: CURLcode) {
    if code == CURLE_OK {
      addHead()
      end(.completed)
    } else {
      end(.failed(CurlError(code)))
    }
  }

  func end(_ termination: Termination<CurlError>) {
    if self.termination == nil { self.termination = termination }
    multi.driver.afterCall { [self] in flush() }
  }

  private func add(_ event: CurlEvent) {
    waiting.append(event)
    if waiting.count == 1 { multi.driver.afterCall { [self] in flush() } }
  }

  // MARK: Outside curl

  /// Delivers the pending events, until the observer pauses.
  private func flush() {
    if isFlushing { return }
    isFlushing = true
    defer { isFlushing = false }
    while !isPaused, !waiting.isEmpty { observer.next(waiting.removeFirst()) }
    // Also disposes the subscription, which cancels this transfer.
    if !isPaused, waiting.isEmpty, let termination { observer.terminate(termination) }
  }

  func pause() { isPaused = true }

  func resume() {
    isPaused = false
    multi.driver.afterCall { [self] in
      flush()
      guard isCurlPaused, !isPaused, let easy else { return }
      isCurlPaused = false
      // curl can call back with the bytes that it has kept.
      _ = multi.driver.during { curl_easy_pause(easy, CURLPAUSE_CONT) }
    }
  }

  func cancel() {
    waiting = []
    termination = nil
    multi.driver.afterCall { [self] in release() }
  }

  /// Removes the transfer from curl and frees its handle, headers, and table. A second call does nothing.
  func release() {
    multi.transfers[ObjectIdentifier(self)] = nil
    guard let easy else { return }
    self.easy = nil
    multi.driver.during {
      if let pointer = multi.pointer { curl_multi_remove_handle(pointer, easy) }
      curl_easy_cleanup(easy)
    }
    curl_slist_free_all(headers)
    headers = nil
    table?.cancel()
    table = nil
  }
}
