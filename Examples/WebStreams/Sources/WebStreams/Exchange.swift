import EventLoops
import Streams

/// A request and its response, as the connection sees them: a body that arrives, and one that is sent.
///
/// Ownership: connection ===> exchange ===> connection, until both bodies are complete; HTTPRequest and
/// HTTPClient.Response ===> exchange.
class Exchange: ReaderOwner {
  /// The connection; nil when the exchange has ended.
  private(set) var connection: HTTPConnection?
  /// The work on the response, which is disposed if the client disconnects.
  var work: (any Disposable)?
  private(set) var isAnswered = false

  // The body that arrives.
  private var parts = PartQueue()
  /// The number of bytes that have arrived and not been delivered.
  var partsCount: Int { parts.count }
  private(set) var incomingEnd: Termination<HTTPError>?
  private var reader: Reader<Bytes>?
  private var wasObserved = false
  private var isDelivering = false
  /// True if the client waits for permission to send the body.
  var isContinueExpected = false

  // The body that is sent.
  var source: Subscription?
  /// The number of bytes that it must still have, if that is known.
  var rest: Int64?

  init(_ connection: HTTPConnection) { self.connection = connection }

  // MARK: The body that arrives

  var body: Operation<Bytes, HTTPError> {
    Operation { observer in
      if self.wasObserved {
        observer.failed(.alreadyObserved)
        return .none
      }
      self.wasObserved = true
      let reader = Reader<Bytes>(self, observer)
      self.reader = reader
      if self.incomingEnd == nil { self.connection?.bodyIsWanted(self) }
      self.deliver()
      return reader
    }
  }

  /// True if the body is wanted, and nothing of it waits here.
  var wantsBody: Bool { incomingEnd == nil && parts.isEmpty && reader?.isPaused == false }

  /// True if the body has lost its observer.
  var dropsBody: Bool { wasObserved && reader == nil }

  /// The body can have no observer any more.
  func abandonBody() {
    if wasObserved { return }
    wasObserved = true
    if incomingEnd == nil { connection?.bodyIsDropped(self) }
    deliver()
  }

  func receive(_ bytes: Bytes) {
    if incomingEnd != nil { return }
    parts.append(bytes)
    deliver()
  }

  func finishBody(_ end: Termination<HTTPError>) {
    if incomingEnd != nil { return }
    incomingEnd = end
    deliver()
  }

  func deliver() {
    if isDelivering { return }
    isDelivering = true
    var consumed = 0
    while dropsBody || reader?.isPaused == false, let bytes = parts.popFirst() {
      consumed += bytes.count
      reader?.next(bytes)
    }
    isDelivering = false
    if consumed > 0 { connection?.bodyWasConsumed(self, consumed) }
    if parts.isEmpty, let incomingEnd { reader.take()?.end(incomingEnd) }
  }

  func stopReading() {
    reader = nil
    if incomingEnd == nil { connection?.bodyIsDropped(self) }
    deliver()
  }

  // MARK: The body that is sent

  func respond(_ response: HTTPResponse) {
    if isAnswered { return }
    isAnswered = true
    guard let server = connection as? ServerConnection else { return }
    if let problem = response.problem {
      Diagnostics.report("A response was replaced by the status 500. \(problem)")
      server.engine?.send(HTTPResponse(500), self)
    } else {
      server.engine?.send(response, self)
    }
  }

  /// Observes the body that is sent. `next` writes, and `end` is called once, with nil if everything has been written.
  func observe(
    _ body: Operation<Bytes, any Error>, _ count: Int64?, next: @escaping (Bytes) -> Void,
    end: @escaping ((any Error)?) -> Void
  ) {
    rest = count
    // Known before the first element, which may already fill the connection.
    let link = Subscription(downstream: nil)
    source = link
    link.attach(
      body.subscribe(
        Observer(
          for: link,
          next: { [self] bytes in
            if bytes.isEmpty || connection == nil { return }
            if let rest {
              if bytes.count > rest { return breakOff(WrongCount(), end) }
              self.rest = rest - Int64(bytes.count)
            }
            next(bytes)
          },
          termination: { [self] termination in
            link.dispose()
            source = nil
            if connection == nil { return }
            switch termination {
            case .failed(let error): breakOff(error, end)
            case .completed: if rest ?? 0 > 0 { breakOff(WrongCount(), end) } else { end(nil) }
            }
          })))
  }

  private struct WrongCount: Error, CustomStringConvertible {
    var description: String { "It has not as many bytes as its count says." }
  }

  private func breakOff(_ error: any Error, _ end: ((any Error)?) -> Void) {
    source.take()?.dispose()
    switch error {
    // The peer's own fault, which it knows.
    case HTTPError.disconnected, HTTPError.aborted, HTTPError.canceled: break
    // The observer of a request gets its error.
    case _ where connection is ClientConnection: break
    default: Diagnostics.report("A body that is being sent has failed, and its message breaks off: \(error)")
    }
    end(error)
  }

  /// Ends the exchange: with nil if the response has been sent, and otherwise with the reason.
  func end(_ error: HTTPError?) {
    guard connection.take() != nil else { return }
    isAnswered = true
    source.take()?.dispose()
    let work = work.take()
    if error != nil { work?.dispose() }
    // Parts that have arrived are still delivered. A body that is not complete never will be.
    finishBody(.failed(error ?? .canceled))
  }
}
