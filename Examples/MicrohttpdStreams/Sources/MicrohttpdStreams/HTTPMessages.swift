/// A request that has been received completely.
public struct HTTPRequest: Sendable, Hashable {
  /// The method, such as `GET`.
  public var method: String
  /// The path, decoded, without the query. A path with `%00` is not decoded.
  public var path: String
  /// The fields of the header, in the order of the request.
  public var headers: [HTTPField]
  /// The fields of the query, decoded. A name or value with `%00` is not decoded.
  public var query: [HTTPField]
  /// The body; empty if there is none.
  public var body: [UInt8] = []

  /// Returns the value of the first header field with this name, ignoring case; nil if there is none.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// A field of a header or a query.
public struct HTTPField: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The value.
  public var value: String

  /// Creates a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A response to a request.
public struct HTTPResponse: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    case pieces(@Sendable (_ offset: Int, _ limit: Int) -> [UInt8]?)
  }

  /// The status, such as 200.
  public var status: Int
  /// The fields of the header; the server adds `Content-Length`, `Connection`, and `Date`.
  public var headers: [HTTPField]
  let body: Body

  /// Creates a response with a body of bytes.
  public init(_ status: Int = 200, headers: [HTTPField] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = .bytes(body)
  }

  /// Creates a response with a text in UTF-8, and the field `Content-Type` for it.
  public init(_ status: Int = 200, headers: [HTTPField] = [], text: String) {
    self.init(
      status, headers: headers + [HTTPField("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
  }

  /// Creates a response whose body is read in pieces, as fast as the client receives it.
  ///
  /// - Parameter read: Receives the number of bytes that have been read before, and the largest number to return. Returns the
  ///   next bytes, or nil at the end; an empty array also ends the body. Runs on the server's thread, which serves no other
  ///   client meanwhile.
  public init(
    _ status: Int = 200, headers: [HTTPField] = [],
    reading read: @escaping @Sendable (_ offset: Int, _ limit: Int) -> [UInt8]?
  ) {
    self.status = status
    self.headers = headers
    body = .pieces(read)
  }
}
