public import EventLoops
public import Streams

extension ByteConnection {
  /// Answers the requests of a client, in HTTP/1.1 or HTTP/2. Completes when the connection has
  /// ended.
  ///
  /// ```swift
  /// Operation.listen(on: .any(port: 8080))
  ///   .serving(until: shutdown) { connection in
  ///     connection.responding(until: shutdown.begins) { request in
  ///       .just(request.path == "/" ? .text("hello\n") : HTTPResponse(404))
  ///     }
  ///     .toStream(logError: false)
  ///   }
  /// ```
  ///
  /// The first element of the stream that `respond` returns is the response. If it completes without one, the client gets
  /// the status 500, which is reported through `Diagnostics`. If the client disconnects, the stream is disposed.
  ///
  /// The first bytes of the client decide the version. With TLS, offer it: `TLSServer(_, applicationProtocols: ["h2",
  /// "http/1.1"])`.
  ///
  /// Fails with `malformed` if the client breaks the protocol, and with `disconnected` if it breaks off a request. A server
  /// usually ignores both. A client that closes its side of the connection cancels its requests.
  ///
  /// - Parameters:
  ///   - stop: Ends the connection gracefully: the requests that have arrived are answered, and the client is
  ///     notified that no more are taken.
  ///   - limits: The limits on the client.
  ///   - respond: Makes the response to a request.
  public func responding(
    until stop: Stream<Void> = .never(), limits: HTTPLimits = HTTPLimits(),
    _ respond: @escaping (HTTPRequest) -> Stream<HTTPResponse>
  ) -> Operation<Never, HTTPError> {
    let requests = requests(until: stop, limits: limits)
    return Operation { observer in
      requests.observe(
        next: { request in
          let exchange = request.exchange
          let work = respond(request).first().observe(
            next: { exchange.respond($0) },
            termination: { _ in
              if exchange.isAnswered { return }
              Diagnostics.report(
                "The stream that responding(_:) got for \(request.method) \(request.target) completed without a response."
              )
              exchange.respond(HTTPResponse(500))
            })
          if !work.isDisposed, !exchange.isAnswered { exchange.work = work }
        }, termination: { observer.terminate($0) })
    }
  }

  /// Emits the requests of a client, in HTTP/1.1 or HTTP/2, and completes when the connection has ended. Cold; it reads
  /// the connection, so observe it once.
  ///
  /// Each request must be answered with `respond(_:)`. While the observer is paused, requests wait: one with HTTP/1.1, and
  /// `HTTPLimits.concurrentRequests` with HTTP/2. Disposing closes the connection at once.
  ///
  /// `responding` is the same with a closure that makes the responses.
  public func requests(
    until stop: Stream<Void> = .never(), limits: HTTPLimits = HTTPLimits()
  ) -> Operation<HTTPRequest, HTTPError> {
    Operation { observer in
      let connection = ServerConnection(.over(self), limits, observer)
      connection.start(until: stop)
      return connection
    }
  }
}
