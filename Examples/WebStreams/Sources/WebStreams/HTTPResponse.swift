public import EventLoops
public import Streams

/// A response to a request.
///
/// ```swift
/// request.respond(.text("hello\n"))
/// request.respond(HTTPResponse(body: request.body))   // sends back what arrives, as it arrives
/// ```
///
/// The server adds `Date`, `Content-Length` or `Transfer-Encoding`, and `Connection`, and ignores the latter three in
/// `headers`.
public struct HTTPResponse {
  enum Body {
    case bytes(Bytes)
    case stream(Operation<Bytes, any Error>, count: Int64?)
    case webSocket(WebSocketOffer)
  }

  /// The status, such as 200.
  public var status: Int
  /// The fields of the header.
  public var headers: HTTPHeaders
  var body: Body

  /// Makes a response with a body of bytes, which is empty by default.
  public init(_ status: Int = 200, headers: HTTPHeaders = [:], bytes: Bytes = Bytes()) {
    self.status = status
    self.headers = headers
    body = .bytes(bytes)
  }

  /// Makes a response whose body is a stream. It is observed when the response is sent, and paused while the client does
  /// not take the bytes.
  ///
  /// If it fails, the response breaks off visibly for the client, and the error is reported through `Diagnostics`.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - headers: The fields of the header.
  ///   - body: The bytes.
  ///   - count: The number of bytes, if you know it. The stream must then have as many.
  public init<Source: StreamProtocol>(
    _ status: Int = 200, headers: HTTPHeaders = [:], body: Source, count: Int64? = nil
  ) where Source.Element == Bytes {
    self.status = status
    self.headers = headers
    self.body = .stream(body.toOperation().mapError { $0 as any Error }, count: count)
  }

  /// False for the statuses whose responses have no body.
  var allowsBody: Bool { status >= 200 && status != 204 && status != 304 }

  /// The problem of a response that cannot be sent, and its remedy; nil if there is none.
  var problem: String? {
    if !headers.isValid { return "Its header has characters that are not allowed there. Remove them:\n\(headers)" }
    if case .webSocket = body { return nil }
    if !(200...999).contains(status) { return "Its status is \(status). Use one from 200 to 999." }
    return nil
  }

  /// Makes a response with a text in UTF-8, of the type `text/plain` unless another one is given.
  public static func text(_ text: String, _ status: Int = 200, type: String = "text/plain; charset=utf-8") -> Self {
    HTTPResponse(status, headers: ["Content-Type": type], bytes: Bytes(text))
  }

  /// Makes a response that redirects the client to another place.
  public static func redirect(to location: String, _ status: Int = 302) -> Self {
    HTTPResponse(status, headers: ["Location": location])
  }

  /// Makes a response that sends each element of a stream as an event, as a browser's `EventSource` expects them
  /// (server-sent events).
  ///
  /// A failure ends the response, and the browser connects again.
  public static func events<Source: StreamProtocol>(_ events: Source) -> Self where Source.Element == ServerSentEvent {
    HTTPResponse(
      headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-cache"], body: events.map { $0.bytes })
  }
}

@available(*, unavailable)
extension HTTPResponse: Sendable {}

/// An event for a browser's `EventSource`.
public struct ServerSentEvent: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// The text. It can have several lines.
  public var data: String
  /// The name under which the page listens; nil for `message`.
  public var name: String?
  /// The identifier that the browser sends as `Last-Event-ID` when it connects again.
  public var id: String?

  /// Makes an event.
  public init(_ data: String, name: String? = nil, id: String? = nil) {
    self.data = data
    self.name = name
    self.id = id
  }

  /// Makes an event of a text.
  public init(stringLiteral text: String) { self.init(text) }

  var bytes: Bytes {
    // A name or an identifier has one line: what follows would be read as other fields.
    func lines(_ text: String) -> [Substring] {
      // Browsers end lines at these alone.
      text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\r" || $0 == "\n" }.map { Substring($0) }
    }
    func line(_ text: String) -> Substring { lines(text)[0] }
    var text = ""
    if let name { text += "event: \(line(name))\n" }
    if let id { text += "id: \(line(id))\n" }
    for line in lines(data.replacing("\r\n", with: "\n")) { text += "data: \(line)\n" }
    return Bytes(text + "\n")
  }
}
