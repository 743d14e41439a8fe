import CMicrohttpd
import Streams

/// A request that waits for its answer.
///
/// Answer it once, now or later, on any thread. One that is released without an answer is answered with the status 503: the
/// client never waits in vain.
public final class HTTPExchange: Sendable {
  /// What the client asks.
  public let request: HTTPRequest
  private let pending: PendingRequest

  init(_ request: HTTPRequest, _ pending: PendingRequest) {
    self.request = request
    self.pending = pending
  }

  deinit { pending.answer(HTTPResponse(503)) }

  /// Sends the answer. False if there has been one, or if the server has ended.
  @discardableResult
  public func respond(_ response: HTTPResponse) -> Bool { pending.answer(response) }
}

/// What the server keeps for a request, from its first line to its end. libmicrohttpd has it as the request's own pointer,
/// and releases it when the request is complete.
final class PendingRequest: Sendable {
  private enum Phase {
    /// The header has been read, and the body is being read.
    case receiving(HTTPRequest)
    /// The connection is suspended.
    case waiting(UInt)
    case answered(HTTPResponse)
  }

  /// What the server does with a part of a request.
  enum Step {
    case goOn
    case deliver(HTTPRequest)
    case respond(HTTPResponse)
  }

  private let phase: Lock<Phase>

  init(_ request: HTTPRequest) { phase = Lock(.receiving(request)) }

  /// Adds a part of the body; of what exceeds `limit` nothing is kept.
  func receive(_ bytes: [UInt8], limit: Int) {
    phase.withLock { phase in
      guard case .receiving(var request) = phase else { return }
      if request.body.count + bytes.count > limit {
        phase = .answered(HTTPResponse(413))
      } else {
        // Without a second copy of the body.
        phase = .receiving(HTTPRequest(method: "", path: "", headers: [], query: []))
        request.body += bytes
        phase = .receiving(request)
      }
    }
  }

  /// The request is whole, or its connection has been resumed.
  var next: Step {
    phase.withLock { phase in
      switch phase {
      case .receiving(let request): .deliver(request)
      case .waiting: .goOn
      case .answered(let response): .respond(response)
      }
    }
  }

  /// Suspends the connection until there is an answer.
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
      // libmicrohttpd keeps a suspended connection, whatever its client does, and may be called on any thread.
      MHD_resume_connection(OpaquePointer(bitPattern: connection))
      return true
    }
  }
}
