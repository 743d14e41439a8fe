import CMicrohttpd
import Streams

/// A request that waits for its response.
///
/// Respond once, immediately or later, on any thread. If you release the exchange without a response, the client gets the
/// response 503.
public final class HTTPExchange: Sendable {
  /// The request of the client.
  public let request: HTTPRequest
  private let pending: PendingRequest

  init(_ request: HTTPRequest, _ pending: PendingRequest) {
    self.request = request
    self.pending = pending
  }

  deinit { pending.answer(HTTPResponse(503)) }

  /// Sends the response. Returns false if the request already has a response, for example because the server has stopped.
  ///
  /// A response that cannot be sent becomes the response 500, and `Diagnostics` reports why: a status that is not between 200 and
  /// 599, a name of a field that is no token, a value with a line break or a zero byte, the length of the body, and fields of more
  /// than 32,768 bytes.
  @discardableResult
  public func respond(_ response: HTTPResponse) -> Bool {
    guard let problem = response.problem else { return pending.answer(response) }
    Diagnostics.report("The response to \(request.method) \(request.path) cannot be sent: \(problem)")
    return pending.answer(HTTPResponse(500))
  }
}

/// The state of a request, from its header to its end. libmicrohttpd stores it in the request's own pointer (E3), and
/// `Service.complete` releases it.
final class PendingRequest: Sendable {
  private enum Phase {
    /// The header has been read, and the body is being read.
    case receiving(HTTPRequest)
    /// The connection is suspended.
    case waiting(UInt)
    case answered(HTTPResponse)
  }

  /// The next step for a request.
  enum Step {
    case goOn
    case deliver(HTTPRequest)
    case respond(HTTPResponse)
  }

  private let phase: Lock<Phase>

  init(_ request: HTTPRequest) { phase = Lock(.receiving(request)) }

  /// Adds a part of the body. If the body exceeds `limit`, drops the request and sets the response 413.
  func receive(_ bytes: [UInt8], limit: Int) {
    phase.withLock { phase in
      guard case .receiving(var request) = phase else { return }
      if request.body.count + bytes.count > limit {
        phase = .answered(HTTPResponse(413))
      } else {
        // Releases the copy in `phase`, so that appending does not copy the body.
        phase = .receiving(HTTPRequest(method: "", path: "", headers: [], query: []))
        request.body += bytes
        phase = .receiving(request)
      }
    }
  }

  /// The next step, after the request has been received or its connection has been resumed.
  var next: Step {
    phase.withLock { phase in
      switch phase {
      case .receiving(let request): .deliver(request)
      case .waiting: .goOn
      case .answered(let response): .respond(response)
      }
    }
  }

  /// Suspends the connection until there is a response.
  func wait(_ connection: OpaquePointer) {
    phase.withLock { phase in
      MHD_suspend_connection(connection)
      phase = .waiting(UInt(bitPattern: connection))
    }
  }

  @discardableResult
  func answer(_ response: HTTPResponse) -> Bool {
    phase.withLock { phase in
      guard case .waiting(let connection) = phase else { return false }
      phase = .answered(response)
      // libmicrohttpd keeps a suspended connection even if its client disconnects. Any thread may resume it.
      MHD_resume_connection(OpaquePointer(bitPattern: connection))
      return true
    }
  }
}
