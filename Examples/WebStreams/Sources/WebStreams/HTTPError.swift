public import EventLoops

/// The errors of a connection that carries HTTP, and of a request.
public enum HTTPError: ConnectionError, CustomStringConvertible {
  /// The connection has failed: an error of the system, or of TLS.
  case connection(any Error)
  /// The peer breaks the protocol. The text says how.
  case malformed(String)
  /// The peer has closed the connection, or canceled the request, before it was complete.
  case disconnected
  /// The peer has broken off the request or the connection, and has said why: the name of a code of HTTP/2 (RFC 9113, 7), and
  /// the peer's own words, if there are any.
  case aborted(String)
  /// The peer was silent for longer than `HTTPLimits` allow. The text says where.
  case timedOut(String)
  /// This side has closed the connection or canceled the request.
  case canceled
  /// A request that this client cannot send, because of its URL, method, or headers. The text says why.
  case invalidRequest(String)
  /// The body of the request has failed, or has not as many bytes as its count says.
  case bodyFailed(any Error)
  /// A body has more bytes than the limit, which is given.
  case tooLarge(Int)
  /// The body or the messages have been observed before.
  case alreadyObserved

  /// Makes an error of one of the system.
  public init(_ error: UVError) { self = error.code == .canceled ? .canceled : .connection(error) }

  /// A sentence that says what is wrong.
  public var description: String {
    switch self {
    case .connection(let error): "\(error)"
    case .malformed(let what): "The peer does not speak HTTP: \(what)."
    case .disconnected: "The peer has closed the connection or canceled the request."
    case .aborted(let why): "The peer has broken it off: \(why)."
    case .timedOut(let what): "The peer was silent for too long: \(what)."
    case .canceled: "The connection was closed on this side."
    case .invalidRequest(let why): why
    case .bodyFailed(let error): "The body of the request has failed: \(error)"
    case .tooLarge(let limit): "The body has more than \(limit) bytes. Read it as a stream, or give a larger limit."
    case .alreadyObserved: "This stream can be observed once. Share it if there are several observers."
    }
  }
}

/// The limits of one side on the other.
public struct HTTPLimits: Sendable {
  /// The most bytes of a header, 64 KiB.
  public var headerBytes = 65_536
  /// The most requests of a connection that are under way at the same time, 100 (HTTP/2). Of the body of each, at most
  /// 256 KiB wait for the program.
  public var concurrentRequests = 100
  /// The most bytes of a message of a WebSocket, 1 MiB.
  public var messageBytes = 1_048_576
  /// How long a client may take to send the header of its first request, 10 s.
  public var headerTime = Duration.seconds(10)
  /// How long a connection without a request is kept, 60 s.
  public var idleTime = Duration.seconds(60)
  /// How long a client may stop in the middle of a body that is wanted, or take nothing of a response, 60 s. It can take
  /// twice as long until the server notices. For a client with HTTP/2: how long a server may be silent while requests wait
  /// until the client sends a ping, and how long it may then leave that without an answer.
  public var stallTime = Duration.seconds(60)

  /// Makes the limits described at the properties.
  public init() {}
}
