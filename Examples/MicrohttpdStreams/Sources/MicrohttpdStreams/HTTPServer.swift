import CMicrohttpd
import Callbacks
import Glibc
import Microhttpd
public import Streams

/// The port and the limits of an HTTP server, which runs while `requests()` is observed.
///
/// ```swift
/// let server = HTTPServer(port: 8080)
/// server.requests().observeNext { $0.respond(HTTPResponse(text: "Hello, \($0.request.path)")) }.dispose(in: bag)
/// ```
public struct HTTPServer: Sendable {
  /// The port; zero for one that the system chooses.
  public var port: UInt16
  /// The largest number of requests that wait for the observer. Further requests get the response 503.
  public var capacity = 256
  /// The size of the largest body, in bytes. Larger ones get the response 413.
  public var largestBody = 1 << 20
  /// The number of seconds without traffic after which a client is disconnected; zero for no limit.
  public var timeout: UInt32 = 30

  /// Creates the description of a server on all IPv4 addresses of the machine. Does not start it.
  public init(port: UInt16) { self.port = port }

  /// Returns a cold stream of the requests of all clients. Each is delivered when it has been received completely.
  ///
  /// Observing starts the server. Its own thread reads the requests and writes the responses. Disposing stops the server and closes
  /// the connections. A pending request gets the response 503 if the server's thread can still write it, and otherwise none. Fails
  /// if the server can't start, for example because the port is taken.
  ///
  /// - Parameter listening: Called with the port when the server has started.
  public func requests(listening: @escaping (UInt16) -> Void = { _ in }) -> Operation<HTTPExchange, HTTPServerError> {
    Operation { observer in
      let inlet = Inlet<HTTPExchange>(capacity: capacity, whenFull: .dropNewest, isolation: nil)
      let service = Service(inlet, largestBody)
      let delivery = inlet.stream.observeNext { observer.next($0) }
      do throws(MicrohttpdFailure) {
        // With select or poll, libmicrohttpd drops the response to a client that has ended its side of the connection while
        // the connection was suspended. With epoll, which this flag chooses on Linux, it sends the response.
        let flags =
          MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_AUTO.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
        errno = 0
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
        // libmicrohttpd keeps the error of the system.
        observer.failed(HTTPServerError(port: port, code: errno))
        return .none
      }
    }
  }
}

/// The error of a server that could not start.
public struct HTTPServerError: Error, Hashable, CustomStringConvertible {
  /// The requested port.
  public let port: UInt16
  /// The error of the system, such as `EADDRINUSE` or `EMFILE`; zero if it is unknown.
  public let code: Int32

  /// A description of the error, with a fix if the port is taken.
  public var description: String {
    if code == EADDRINUSE { return "The server can't listen on port \(port). Choose one that is free." }
    return "The server can't listen on port \(port)" + (code == 0 ? "." : ": \(String(cString: strerror(code))).")
  }
}
