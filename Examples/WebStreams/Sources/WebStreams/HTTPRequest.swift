public import EventLoops
public import Streams

/// A version of HTTP.
public enum HTTPVersion: Hashable, Sendable {
  case http10
  case http11
  case http2
}

/// A request of a client that waits for its response.
///
/// Respond once, at once or later. If you release the request without a response, the client gets the status 500, and
/// `Diagnostics` reports it.
///
/// Confined to the loop of its connection.
public final class HTTPRequest {
  /// The method, such as `GET`.
  public let method: String
  /// The path and the query as the client has written them, such as `/search?q=a%20b`.
  public let target: String
  /// The fields of the header. The host is always there as `Host`.
  public let headers: HTTPHeaders
  /// The version that the client speaks.
  public let version: HTTPVersion
  let exchange: Exchange

  init(_ exchange: Exchange, method: String, target: String, headers: HTTPHeaders, version: HTTPVersion) {
    self.exchange = exchange
    self.method = method
    self.target = target
    self.headers = headers
    self.version = version
  }

  deinit {
    if !exchange.isAnswered, exchange.connection != nil {
      Diagnostics.report("The request \(method) \(target) was released without a response. Call respond(_:).")
      exchange.respond(HTTPResponse(500))
    }
  }

  /// The path, without the query and with percent escapes decoded, such as `/a b`.
  ///
  /// It can contain `..` and escaped slashes. Do not use it as the path of a file: `HTTPFiles` does that safely.
  public var path: String { text(target.utf8.prefix { $0 != questionMark && $0 != hash }).percentDecoded }

  /// The query as the client has written it, without the question mark; nil if there is none.
  public var query: String? {
    let rest = target.utf8.prefix { $0 != hash }.drop { $0 != questionMark }
    return rest.isEmpty ? nil : text(rest.dropFirst())
  }

  /// The names and values of the query, decoded, in their order.
  public var queryItems: [(name: String, value: String)] {
    (query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { item in
      let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map { part in
        String(decoding: part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self).percentDecoded
      }
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
  }

  /// The address of the client; nil if it is not connected by TCP.
  public var remoteAddress: SocketAddress? {
    guard let tcp = exchange.connection?.wire.carrier as? TCPHandle else { return nil }
    return try? tcp.remoteAddress()
  }

  /// Emits the body as it arrives, and completes at its end. Can be observed once.
  ///
  /// The client is paused while the observer is paused, and before there is one: at most 64 KiB are pending, or with
  /// HTTP/2 256 KiB for each request. Fails with `disconnected` if the client disconnects before the end of the body.
  /// Disposing drops the rest.
  public var body: Operation<Bytes, HTTPError> { exchange.body }

  /// Sends the response. Does nothing if there is one already, or if the client has disconnected.
  ///
  /// The stream of its body is observed at once, paused while the client does not take it, and disposed if the client
  /// disconnects.
  public func respond(_ response: HTTPResponse) { exchange.respond(response) }
}

@available(*, unavailable)
extension HTTPRequest: Sendable {}

// A client may send an accent after a separator, which makes both one character.
private let questionMark = UInt8(ascii: "?")
private let hash = UInt8(ascii: "#")

private func text(_ bytes: Substring.UTF8View) -> String { String(Substring(bytes)) }

extension String {
  /// The text with its percent escapes decoded. Escapes that are none stay.
  var percentDecoded: String {
    guard utf8.contains(UInt8(ascii: "%")) else { return self }
    var decoded: [UInt8] = []
    let bytes = Array(utf8)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = bytes[index + 1].hexDigit,
        let low = bytes[index + 2].hexDigit
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var hexDigit: UInt8? {
    switch self {
    case 48...57: self - 48
    case 65...70: self - 55
    case 97...102: self - 87
    default: nil
    }
  }
}
