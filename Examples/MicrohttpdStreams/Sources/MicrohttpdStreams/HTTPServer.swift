import CMicrohttpd
import Callbacks
import Microhttpd
public import Streams

/// Where a server listens, and how much it takes: what a stream of requests is made from.
///
/// ```swift
/// let server = HTTPServer(port: 8080)
/// server.requests().observeNext { $0.respond(HTTPResponse(text: "Hello, \($0.request.path)")) }.dispose(in: bag)
/// ```
public struct HTTPServer: Sendable {
  /// The port; zero for one that the system chooses.
  public var port: UInt16
  /// How many requests wait for the observer at most. More are answered with 503.
  public var capacity = 256
  /// The size of the largest body in bytes. A larger one is answered with 413.
  public var largestBody = 1 << 20
  /// After so many seconds of silence a client is disconnected.
  public var timeout: UInt32 = 30

  /// Describes a server on all addresses of the machine.
  public init(port: UInt16) { self.port = port }

  /// The requests of all clients, each as soon as it is whole.
  ///
  /// Observing starts the server with a thread of its own, on which requests are read and responses are written; disposing
  /// stops it. Requests that have not been answered then are answered with 503, and connections are closed.
  /// Fails once if the server can't start, for example because the port is taken. `listening` gets the port.
  public func requests(listening: @escaping (UInt16) -> Void = { _ in }) -> Operation<HTTPExchange, HTTPServerError> {
    Operation { observer in
      let inlet = Inlet<HTTPExchange>(capacity: capacity, whenFull: .dropNewest, isolation: nil)
      let service = Service(inlet, largestBody)
      let delivery = inlet.stream.observeNext { observer.next($0) }
      do throws(MicrohttpdFailure) {
        let flags = MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
        let daemon = try MicrohttpdLibrary.startServer(
          flags, port, timeout,
          answer: { connection, path, method, _, bytes, count, place in
            guard let connection, let place else { return .NO }
            return service.answer(connection, method ?? "", path ?? "", bytes, count, place)
          },
          complete: { _, place, _ in service.complete(place) },
          registered: { listening(MHD_server_port($0)) })
        return BlockDisposable(
          {
            delivery.dispose()
            service.end()
            daemon.dispose()
          }, pause: { delivery.pause() }, resume: { delivery.resume() })
      } catch {
        delivery.dispose()
        observer.failed(HTTPServerError(port: port))
        return .none
      }
    }
  }
}

/// A server could not start.
public struct HTTPServerError: Error, Hashable, CustomStringConvertible {
  /// The port that was asked for.
  public let port: UInt16

  /// What is wrong.
  public var description: String { "The server can't listen on port \(port). Choose one that is free." }
}
