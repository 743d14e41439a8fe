import CNghttp2
import EventLoops
import Glibc
import Streams

/// A request of HTTP/2 and its response.
final class HTTP2Exchange: Exchange {
  enum End {
    case completed
    case failed
  }

  /// The number of its stream; 0 before a client has sent the request.
  var id: Int32
  var method = ""
  private(set) var target = ""
  private(set) var status = 0
  private var headers = HTTPHeaders()
  private var authority: String?
  var headerBytes = 0
  var hasHeader = false
  var hasSentHeader = false
  var hasSentEnd = false
  /// True if the peer has canceled it.
  var wasReset = false
  /// True if this side has broken it off.
  var isBrokenOff = false
  /// What is wrong with its message, or with the body that this side sends.
  var problem: HTTPError?

  /// The parts of the body that wait to be sent.
  var outgoing = PartQueue()
  var outgoingEnd: End?
  /// True while the response waits for the client.
  var isBlocked = false

  init(_ connection: HTTPConnection, _ id: Int32) {
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
    case ":status": status = Int(text) ?? 0
    default: break
    }
  }

  /// Forgets an interim response (1xx).
  func forgetHeaders() {
    headers = HTTPHeaders()
    status = 0
  }

  /// True if two fields name different hosts, of which a proxy may have used the other one.
  var hasOtherHost: Bool { authority.map { own in headers.values(of: "host").contains { $0 != own } } ?? false }

  func takeHeaders() -> HTTPHeaders {
    if let authority, headers["host"] == nil { headers.add("host", authority) }
    if target.isEmpty { target = authority ?? "" }
    headers.joinCookies()
    let all = headers
    headers = HTTPHeaders()
    return all
  }

  /// Moves bytes that wait to a frame.
  func read(into frame: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while count < frame.count, let part = outgoing.popFirst(frame.count - count) {
      part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: frame[count...]).copyMemory(from: $0) }
      count += part.count
    }
    return count
  }
}

extension HTTPError {
  /// The name of a code in RFC 9113, 7.
  static func name(of code: UInt32) -> String { String(cString: nghttp2_http2_strerror(code)) }

  /// The error of the connection after nghttp2 has failed with a code.
  static func failure(ofSession code: Int) -> HTTPError {
    if code == NGHTTP2_ERR_NOMEM.rawValue { return .connection(UVError(errno: ENOMEM, call: "nghttp2")) }
    return .malformed(String(cString: nghttp2_strerror(Int32(code))))
  }

  /// What the peer says about breaking off. Nil if it has just canceled.
  static func aborted(by code: UInt32, _ reason: String = "") -> HTTPError? {
    if [NGHTTP2_NO_ERROR.rawValue, NGHTTP2_CANCEL.rawValue].contains(code) { return nil }
    return .aborted(name(of: code) + (reason.isEmpty ? "" : " (\(reason))"))
  }

  /// What nghttp2 tells the peer about its fault. Nil if it has none.
  static func malformed(by frame: nghttp2_goaway) -> HTTPError? {
    frame.error_code == NGHTTP2_NO_ERROR.rawValue ? nil : .malformed("\(name(of: frame.error_code)) \(frame.reason)")
  }
}

extension nghttp2_goaway {
  /// The text that the sender has added.
  var reason: String {
    String(decoding: UnsafeBufferPointer(start: opaque_data, count: opaque_data_len), as: UTF8.self)
  }
}
