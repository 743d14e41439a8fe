import CHTTPParser
import EventLoops

/// http_parser: it turns the bytes of a connection into parts, one message at a time.
///
/// It calls only inside `http_parser_execute`, so its callbacks note the parts, and the server uses them afterwards.
final class HTTP1Parser {
  enum Part {
    case header
    case body(Range<Int>)
    case end
  }

  private let parser = UnsafeMutablePointer<http_parser>.allocate(capacity: 1)
  fileprivate var parts: [Part] = []
  fileprivate var target: [UInt8] = []
  fileprivate var headers = HTTPHeaders()
  fileprivate var isInHeader = false
  /// The number of bytes of the header that is read, with those that http_parser skips.
  private var headerBytes = 0
  private let most: Int
  /// Present until the end of a header.
  private var lines: Lines? = Lines()
  /// Present during a chunked body.
  private var chunks: Chunks?
  /// The bytes that are being parsed.
  fileprivate var base: UnsafePointer<CChar>?
  /// True if the response has no body whatever its header says, because the request was HEAD.
  var isHead = false

  init(_ type: http_parser_type, headerBytes most: Int) {
    self.most = most
    parser.initialize(to: http_parser())
    http_parser_init(parser, type)
    parser.pointee.data = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit { parser.deallocate() }

  /// True if the header of a request has begun and is not complete.
  var hasPartialHeader: Bool { isInHeader }

  /// Tells that there are no more bytes, which ends a body without a length. Returns its end, or what is wrong.
  func end() -> (parts: [Part], isComplete: Bool) {
    http_parser_pause(parser, 0)
    parts.removeAll(keepingCapacity: true)
    http_parser_execute(parser, Self.settings, nil, 0)
    return (parts, !parts.isEmpty)
  }

  /// Reads the lines of a header: http_parser accepts some returns that no line feed follows, and lines that continue the one before,
  /// and a proxy may not.
  private struct Lines {
    private var previous: UInt8 = 0
    private var isEmpty = true
    private var hasBegun = false

    enum End {
      /// The number of bytes up to it.
      case after(Int)
      /// It does not end in these bytes.
      case later
      /// It has such a line.
      case never
    }

    /// Returns where the header ends.
    mutating func end(in bytes: UnsafeRawBufferPointer) -> End {
      for (index, byte) in bytes.enumerated() {
        if previous == 0x0D, byte != 0x0A { return .never }
        if previous == 0x0A, hasBegun, byte == 0x20 || byte == 0x09 { return .never }
        previous = byte
        switch byte {
        case 0x0D: break
        case 0x0A:
          if isEmpty, hasBegun { return .after(index + 1) }
          isEmpty = true
        default:
          isEmpty = false
          hasBegun = true
        }
      }
      return .later
    }
  }

  /// Reads the lines between the parts of a chunked body. http_parser skips what it does not expect there, and a proxy may take it for
  /// a part of the body, or for a request.
  private struct Chunks {
    private enum State { case size, sizeEnd, data, dataEnd, trailer }

    private var state = State.size
    private var size = 0
    private var digits = 0
    private var previous: UInt8 = 0
    private var isExtension = false
    /// The number of bytes of all extensions and trailers, which nothing uses. Without a limit, a peer could send them
    /// forever.
    private var unusedBytes = 0
    private static let mostUnusedBytes = 16_384

    /// Returns false if a line is wrong.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        switch state {
        case .size:
          if byte == 0x0D {
            if digits == 0 { return false }
            state = .sizeEnd
          } else if isExtension || byte == UInt8(ascii: ";") && digits > 0 {
            isExtension = true
            unusedBytes += 1
            if unusedBytes > Self.mostUnusedBytes { return false }
            if byte < 0x20 && byte != 0x09 || byte == 0x7F { return false }
          } else {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue, digits < 15 else { return false }
            size = size * 16 + digit
            digits += 1
          }
        case .sizeEnd:
          if byte != 0x0A { return false }
          state = size == 0 ? .trailer : .data
        case .data:
          let count = min(size, bytes.count - index + 1)
          index += count - 1
          size -= count
          if size == 0 { state = .dataEnd }
        case .dataEnd:
          if byte != (previous == 0x0D ? 0x0A : 0x0D) { return false }
          previous = byte
          if byte == 0x0A {
            let count = unusedBytes
            self = Chunks()
            unusedBytes = count
          }
        case .trailer:
          if (previous == 0x0D) != (byte == 0x0A) { return false }
          previous = byte
          unusedBytes += 1
          if unusedBytes > Self.mostUnusedBytes { return false }
        }
      }
      return true
    }
  }

  /// Parses until the end of a message or of `bytes`. Returns how many were used, or what is wrong.
  func parse(_ bytes: Bytes) -> (count: Int, parts: [Part], error: Failure?) {
    http_parser_pause(parser, 0)
    parts.removeAll(keepingCapacity: true)
    var start = 0
    if lines != nil {
      switch bytes.withUnsafeBytes({ lines!.end(in: $0) }) {
      case .after(let end):
        start = end
        lines = nil
      case .later: start = bytes.count
      case .never:
        return (0, parts, .malformed("the header has a return without a line feed, or a line that begins with a space"))
      }
      headerBytes += start
      if headerBytes > most { return (0, parts, .headerTooLarge) }
    }
    let count = bytes.withUnsafeBytes { buffer in
      base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      return http_parser_execute(parser, Self.settings, base, buffer.count)
    }
    base = nil
    let isChunked = UInt32(parser.pointee.flags) & F_CHUNKED.rawValue != 0
    if isChunked, parts.contains(where: { if case .header = $0 { true } else { false } }) { chunks = Chunks() }
    if chunks != nil, start < count,
      !bytes.withUnsafeBytes({ chunks!.read(UnsafeRawBufferPointer(rebasing: $0[start..<count])) })
    {
      return (0, [], .malformed("the body has a chunk that is wrong"))
    }
    if case .end? = parts.last {
      lines = Lines()
      headerBytes = 0
      chunks = nil
    }
    let code = http_errno(parser.pointee.http_errno)
    if code == HPE_OK || code == HPE_PAUSED { return (count, parts, nil) }
    return (count, parts, .malformed(String(cString: http_errno_description(code))))
  }

  enum Failure {
    case headerTooLarge
    case malformed(String)
    case unknownVersion
    case unknownEncoding

    /// The status of a response to such a request, and the error.
    func answer(_ limits: HTTPLimits) -> (status: Int, text: String) {
      switch self {
      case .headerTooLarge: (431, "the header has more than \(limits.headerBytes) bytes")
      case .malformed(let what): (400, what)
      case .unknownVersion: (505, "its version is neither 1.0 nor 1.1")
      case .unknownEncoding: (501, "a transfer encoding is not chunked")
      }
    }
  }

  /// Returns the error of a header that http_parser accepts. Headers that two programs understand differently are refused,
  /// because a proxy between the peers may take a part of a body for a message.
  func problem(with headers: HTTPHeaders) -> Failure? {
    if parser.pointee.http_major != 1 || parser.pointee.http_minor > 1 { return .unknownVersion }
    if !headers.isValid { return .malformed("a field of the header has characters that are not allowed there") }
    let encodings = headers.values(of: "Transfer-Encoding")
    if encodings.isEmpty { return nil }
    if version == .http10 { return .malformed("HTTP/1.0 has no transfer encodings") }
    return encodings.count == 1 && encodings[0].isSame("chunked") ? nil : .unknownEncoding
  }

  /// Returns the error of the header of a request.
  func problem(withRequest headers: HTTPHeaders) -> Failure? {
    if let problem = problem(with: headers) { return problem }
    if http_method(UInt32(parser.pointee.method)) == HTTP_CONNECT,
      headers.count(of: "Content-Length") + headers.count(of: "Transfer-Encoding") > 0
    {
      return .malformed("CONNECT has no body")
    }
    if version == .http11, headers.count(of: "Host") != 1 { return .malformed("a request has not exactly one Host") }
    return nil
  }

  /// Returns the error of the header of a response.
  func problem(withResponse headers: HTTPHeaders) -> Failure? {
    status < 100 ? .malformed("its status is less than 100") : problem(with: headers)
  }

  /// The first line of the request whose header is complete.
  var requestLine: (method: String, target: String) {
    (
      String(cString: http_method_str(http_method(UInt32(parser.pointee.method)))),
      String(decoding: target, as: UTF8.self)
    )
  }

  /// The status of the response whose header is complete.
  var status: Int { Int(parser.pointee.status_code) }

  var version: HTTPVersion {
    parser.pointee.http_major == 1 && parser.pointee.http_minor >= 1 ? .http11 : .http10
  }

  /// Takes the fields of the header that is complete.
  func takeHeaders() -> HTTPHeaders {
    let all = headers
    target.removeAll(keepingCapacity: true)
    headers = HTTPHeaders()
    return all
  }

  var shouldKeepAlive: Bool { http_should_keep_alive(parser) != 0 }

  private static func of(_ parser: UnsafeMutablePointer<http_parser>?) -> HTTP1Parser {
    Unmanaged<HTTP1Parser>.fromOpaque(parser!.pointee.data).takeUnretainedValue()
  }

  /// Made once and never freed.
  nonisolated(unsafe) private static let settings: UnsafePointer<http_parser_settings> = {
    let settings = UnsafeMutablePointer<http_parser_settings>.allocate(capacity: 1)
    settings.initialize(to: http_parser_settings())
    // The limit of http_parser is one for the whole program.
    http_parser_set_max_header_size(UInt32(Int32.max))
    settings.pointee.on_message_begin = { parser in
      HTTP1Parser.of(parser).isInHeader = true
      return 0
    }
    settings.pointee.on_url = { parser, text, count in
      let this = HTTP1Parser.of(parser)
      this.target.append(contentsOf: UnsafeRawBufferPointer(start: text, count: count))
      return 0
    }
    settings.pointee.on_header_field = { parser, text, count in
      let this = HTTP1Parser.of(parser)
      // Fields after a chunked body are dropped.
      if !this.isInHeader { return 0 }
      if this.headers.isInValue { this.headers.endField() }
      this.headers.addName(UnsafeRawBufferPointer(start: text, count: count))
      return 0
    }
    settings.pointee.on_header_value = { parser, text, count in
      let this = HTTP1Parser.of(parser)
      if this.isInHeader { this.headers.addValue(UnsafeRawBufferPointer(start: text, count: count)) }
      return 0
    }
    settings.pointee.on_headers_complete = { parser in
      let this = HTTP1Parser.of(parser)
      this.headers.endField()
      this.isInHeader = false
      this.parts.append(.header)
      // These statuses have no body, whatever length the header names (RFC 9112, 6.3). That of a request is 0.
      let status = parser!.pointee.status_code
      return this.isHead || status == 204 || status == 304 || (100..<200).contains(status) ? 1 : 0
    }
    settings.pointee.on_body = { parser, text, count in
      let this = HTTP1Parser.of(parser)
      let start = text! - this.base!
      // The pieces of small chunks are not joined: each has its own range.
      this.parts.append(.body(start..<start + count))
      return 0
    }
    settings.pointee.on_message_complete = { parser in
      HTTP1Parser.of(parser).parts.append(.end)
      http_parser_pause(parser, 1)
      return 0
    }
    return UnsafePointer(settings)
  }()
}
