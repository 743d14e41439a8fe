/// What to fetch.
public struct CurlRequest: Hashable, Sendable {
  /// The address: `http` or `https`.
  public var url: String
  /// `GET` unless told, or `POST` where there is a body.
  public var method: String?
  /// Lines like `Accept: text/plain`.
  public var headers: [String] = []
  /// What to send along.
  public var body: [UInt8]?
  /// Whether to go where the server says.
  public var followsRedirects = true
  /// For the whole transfer, pauses included; nil for none.
  public var timeout: Duration?

  /// Makes a request for an address.
  public init(_ url: String, method: String? = nil, body: [UInt8]? = nil, timeout: Duration? = nil) {
    self.url = url
    self.method = method
    self.body = body
    self.timeout = timeout
  }
}

/// What comes of a request.
public enum CurlEvent: Hashable, Sendable {
  /// The status and the header lines of the answer, before its first byte.
  case head(status: Int, headers: [String])
  /// The next bytes.
  case body([UInt8])
}

/// A whole answer.
public struct CurlResponse: Hashable, Sendable {
  /// Such as 200.
  public var status = 0
  /// The header lines.
  public var headers: [String] = []
  /// All bytes.
  public var body: [UInt8] = []
}
