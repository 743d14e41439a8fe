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
  /// The fields of the header; the server adds `Content-Length`, `Connection`, and `Date`. It leaves `Connection: keep-alive` out,
  /// because it decides itself whether the connection stays open.
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

extension HTTPResponse {
  /// Why libmicrohttpd would not send the response as it is; nil if it would.
  var problem: String? {
    if !(200...599).contains(status) { return "\(status) is no status of a response. Choose one from 200 to 599." }
    for field in headers {
      let name = field.name.debugDescription
      if field.name.isEmpty || !field.name.utf8.allSatisfy(\.isTokenCharacter) {
        return "\(name) is no name of a field."
      }
      if field.value.utf8.contains(where: { [0, 10, 13].contains($0) }) {
        return "The value of \(name) has a line break or a zero byte."
      }
      if ["content-length", "transfer-encoding"].contains(field.name.lowercased()) {
        return "The server tells the length of the body itself. Remove the field \(name)."
      }
    }
    // A line has four more characters.
    let size = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    if size > 32_768 { return "The fields have \(size) bytes. Send at most 32,768." }
    return nil
  }
}

extension HTTPField {
  /// True for a `Connection` that asks for nothing but an open connection, which libmicrohttpd refuses.
  var isKeepAlive: Bool {
    name.lowercased() == "connection"
      && value.lowercased().split(separator: ",").allSatisfy {
        $0.allSatisfy { " \t".contains($0) } || $0.split { " \t".contains($0) } == ["keep-alive"]
      }
  }
}

extension UInt8 {
  /// True for a character of a name in HTTP (RFC 9110, 5.6.2).
  fileprivate var isTokenCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}
