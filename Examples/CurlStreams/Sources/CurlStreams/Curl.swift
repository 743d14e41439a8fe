import EventLoops
public import Streams

/// A client for HTTP transfers on the loop: any number at the same time, on one thread.
///
/// ```swift
/// let curl = Curl()
/// curl.response(CurlRequest("https://example.org")).observe(
///   next: { print($0.status, $0.body.count) }, termination: { print($0) }
/// ).dispose(in: bag)
/// ```
///
/// The loop serves curl's sockets and its timer. Open connections are reused by later transfers.
///
/// Confined to the loop on which its first transfer is observed.
public final class Curl {
  private var multi: Multi?
  private var isClosed = false
  // Closes at home if the last reference is released in another domain.
  private let bag = DisposeBag()

  /// Creates a client without connections.
  public init() {}

  /// Returns a transfer as a cold stream: the head of the response, then its bytes as they are received.
  ///
  /// Observing starts the transfer, and disposing cancels it. While the observer is paused, curl does not read, so the server
  /// can send only until the system's buffers are full. Completes at the end of the response. Fails if no complete response is
  /// received, and with `CurlError.closed` if the client is closed. A status such as 404 is not a failure. Events are delivered
  /// after curl has returned, so an observer can start and cancel transfers.
  public func events(_ request: CurlRequest) -> Operation<CurlEvent, CurlError> {
    Operation { [self] observer in
      do throws(CurlError) {
        let multi = try open()
        let transfer = try Transfer(request, multi, observer)
        return BlockDisposable(
          { transfer.cancel() }, pause: { transfer.pause() }, resume: { transfer.resume() })
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }

  /// Returns a transfer as a cold stream that emits the complete response and completes.
  ///
  /// Holds the whole body in memory. Fails if no complete response is received, and with `CurlError.closed` if the client is
  /// closed. A status such as 404 is not a failure.
  public func response(_ request: CurlRequest) -> Operation<CurlResponse, CurlError> {
    events(request).reduce(CurlResponse()) { response, event in
      var response = response
      switch event {
      case .head(let status, let headers):
        response.status = status
        response.headers = headers
      case .body(let bytes): response.body += bytes
      }
      return response
    }
  }

  /// The number of transfers that have not ended.
  public var transferCount: Int { multi?.transfers.count ?? 0 }

  /// The number of sockets that the loop watches for curl.
  public var watchedSocketCount: Int { multi?.driver.watchedDescriptors.count ?? 0 }

  /// Fails all transfers with `CurlError.closed` and closes the connections: immediately, or after the running call of curl.
  /// Later transfers fail. A second call does nothing.
  public func close() {
    isClosed = true
    bag.dispose()
  }

  func open() throws(CurlError) -> Multi {
    if isClosed { throw .closed }
    if let multi { return multi }
    let multi = try Multi()
    self.multi = multi
    BlockDisposable { multi.close() }.dispose(in: bag)
    return multi
  }
}

@available(*, unavailable)
extension Curl: Sendable {}
