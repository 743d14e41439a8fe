/// A request to an HTTP server.
///
/// A URL with a zero byte, a method with a blank, and a method or header line with a zero byte or a line break fail with the code
/// 43 (`CURLE_BAD_FUNCTION_ARGUMENT`).
public struct CurlRequest: Hashable, Sendable {
  /// The URL, with the scheme `http` or `https`.
  public var url: String
  /// The method. If it is nil, `GET`, or `POST` if there is a body.
  public var method: String?
  /// Header lines, such as `Accept: text/plain`.
  public var headers: [String] = []
  /// The bytes to send; nil for no body.
  public var body: [UInt8]?
  /// Whether to follow redirects.
  ///
  /// After the status 303, the next request is a `GET` without the body, or a `HEAD` if the first one was. After 301 and 302, a
  /// `POST` becomes a `GET` without the body. Otherwise the next request has the same method and body.
  public var followsRedirects = true
  /// The time limit for the whole transfer, including the resolution of the name and pauses; nil for no limit. The shortest limit
  /// is 1 ms.
  public var timeout: Duration?

  /// Creates a request for a URL.
  public init(_ url: String, method: String? = nil, body: [UInt8]? = nil, timeout: Duration? = nil) {
    self.url = url
    self.method = method
    self.body = body
    self.timeout = timeout
  }
}

/// An event of a transfer.
public enum CurlEvent: Hashable, Sendable {
  /// The status and the header lines of the response, before its bytes. Not sent for interim responses and followed redirects.
  /// The fields that can follow a chunked body are dropped.
  case head(status: Int, headers: [String])
  /// The next bytes of the body.
  case body([UInt8])
}

/// A complete response.
public struct CurlResponse: Hashable, Sendable {
  /// The status, such as 200.
  public var status = 0
  /// The header lines, without the status line.
  public var headers: [String] = []
  /// The whole body.
  public var body: [UInt8] = []
}
