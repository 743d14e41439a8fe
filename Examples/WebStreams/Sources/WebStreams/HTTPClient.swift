public import EventLoops
public import Streams
public import TLSStreams

/// A client for HTTP/1.1 and HTTP/2, with and without TLS.
///
/// ```swift
/// let client = try HTTPClient()
/// client.get("https://example.org/")
///   .flatMap(.latest) { response in response.bytes() }
///   .observeNext { print($0) }
///   .dispose(in: bag)
/// ```
///
/// It keeps connections for the next request to the same host, for a minute. They keep no loop alive. With TLS, it uses
/// HTTP/2 if the server does, and sends all requests to a host over one connection. It follows no redirects and keeps no
/// cookies.
///
/// Confined to the loop on which it is first used.
public final class HTTPClient {
  /// A request.
  public struct Request {
    enum Body {
      case bytes(Bytes)
      case stream(Operation<Bytes, any Error>, count: Int64?)
    }

    /// The method, such as `GET`.
    public var method: String
    /// The URL, with `http` or `https`.
    public var url: String
    /// The fields of the header. The client adds `Host`, unless it is given, and the length of the body.
    public var headers: HTTPHeaders
    var body: Body

    /// Makes a request with a body of bytes, which is empty by default.
    public init(_ method: String = "GET", _ url: String, headers: HTTPHeaders = [:], bytes: Bytes = Bytes()) {
      self.method = method
      self.url = url
      self.headers = headers
      body = .bytes(bytes)
    }

    /// Makes a request whose body is a stream. It is observed when the request is sent, and paused while the server does
    /// not take the bytes. If it fails, so does the request, with `bodyFailed`.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL.
    ///   - headers: The fields of the header.
    ///   - body: The bytes.
    ///   - count: The number of bytes, if you know it. The stream must then have as many.
    public init<Source: StreamProtocol>(
      _ method: String = "POST", _ url: String, headers: HTTPHeaders = [:], body: Source, count: Int64? = nil
    ) where Source.Element == Bytes {
      self.method = method
      self.url = url
      self.headers = headers
      self.body = .stream(body.toOperation().mapError { $0 as any Error }, count: count)
    }
  }

  /// A response whose header has arrived.
  ///
  /// Observe its body. If you release the response without that, the rest of it is canceled.
  public final class Response {
    /// The status, such as 200. Each status is a response, and none is an error.
    public let status: Int
    /// The fields of the header.
    public let headers: HTTPHeaders
    /// The version that the server speaks.
    public let version: HTTPVersion
    private let exchange: Exchange

    init(_ exchange: Exchange, _ status: Int, _ headers: HTTPHeaders, _ version: HTTPVersion) {
      self.exchange = exchange
      self.status = status
      self.headers = headers
      self.version = version
    }

    deinit { exchange.abandonBody() }

    /// Emits the body as it arrives, and completes at its end. Can be observed once. The server is slowed down while the
    /// observer is paused. Disposing cancels the rest.
    public var body: Operation<Bytes, HTTPError> { exchange.body }

    /// Emits the whole body when it has arrived, and completes. Fails with `tooLarge` if it has more bytes than `limit`,
    /// 16 MiB by default.
    public func bytes(limit: Int = 16_777_216) -> Operation<Bytes, HTTPError> {
      .deferred { [body] in
        var count = 0
        return body.tryMap { bytes throws(HTTPError) -> Bytes in
          count += bytes.count
          if count > limit { throw .tooLarge(limit) }
          return bytes
        }
        .collect()
        .map { Bytes(joining: $0) }
      }
    }
  }

  let tls: TLSClient
  let limits: HTTPLimits
  private var hosts: [Origin: Host] = [:]

  /// Makes a client that trusts the system's authorities. Throws `configuration` if there are none.
  public convenience init() throws(TLSError) {
    self.init(tls: try TLSClient(applicationProtocols: ["h2", "http/1.1"]))
  }

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - tls: The trust and the identity of the client. Offer `["h2", "http/1.1"]` as its application protocols for HTTP/2.
  ///   - limits: The limits on servers. The size of a header, the time of an idle connection,
  ///     and, with HTTP/2, the time of a server that is silent apply.
  public init(tls: TLSClient, limits: HTTPLimits = HTTPLimits()) {
    self.tls = tls
    self.limits = limits
  }

  deinit { for host in hosts.values { host.release() } }

  /// Sends a GET request when observed.
  public func get(_ url: String, headers: HTTPHeaders = [:]) -> Operation<Response, HTTPError> {
    send(Request("GET", url, headers: headers))
  }

  /// Sends a request when observed. Emits the response when its header has arrived, and completes.
  ///
  /// A response may take any time, unless `timeout` limits it. With HTTP/2, a connection whose server does not answer a ping
  /// fails with `timedOut`.
  ///
  /// Disposing cancels the request, until the response has been emitted. From then on, the observer of its body decides.
  ///
  /// Fails if no response arrives: with the error of connecting, `disconnected`, `malformed`, `bodyFailed`, or
  /// `invalidRequest`. A request that a kept connection has lost, because the server was closing it at the same time, is
  /// sent once more, on a new connection, if its method is idempotent and its body is not a stream. With HTTP/2, a request
  /// that the server refuses before processing it is sent again if its body is not a stream: up to four times, or more
  /// often while the server closes connections that have served other requests.
  public func send(_ request: Request) -> Operation<Response, HTTPError> {
    Operation { observer in
      let origin: Origin
      let target: String
      do throws(HTTPError) {
        (origin, target) = try Origin.parse(request.url)
      } catch {
        observer.failed(error)
        return .none
      }
      guard request.method.utf8.allSatisfy({ $0.isToken }), !request.method.isEmpty else {
        observer.failed(.invalidRequest("'\(request.method)' is no method. A method has letters, digits, and hyphens."))
        return .none
      }
      guard request.headers.isValid else {
        observer.failed(
          .invalidRequest(
            "A field of the request has characters that end it. A name has letters, digits, and hyphens; a value has no control characters."
          ))
        return .none
      }
      let call = Call(request, target, self.host(origin), observer)
      call.start()
      return call
    }
  }

  private func host(_ origin: Origin) -> Host {
    if let host = hosts[origin] { return host }
    let host = Host(origin, tls, limits)
    hosts[origin] = host
    return host
  }
}

@available(*, unavailable)
extension HTTPClient: Sendable {}

@available(*, unavailable)
extension HTTPClient.Request: Sendable {}

@available(*, unavailable)
extension HTTPClient.Response: Sendable {}
