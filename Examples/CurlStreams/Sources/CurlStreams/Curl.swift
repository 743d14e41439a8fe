import EventLoops
public import Streams

/// Transfers over HTTP on the loop, as many at once as you like, on one thread.
///
/// ```swift
/// let curl = Curl()
/// curl.response(CurlRequest("https://example.org")).observe(
///   next: { print($0.status, $0.body.count) }, termination: { print($0) }
/// ).dispose(in: bag)
/// ```
///
/// curl's sockets and its timer are the loop's; connections are kept for the next transfer. Confined: it belongs to the
/// loop on which its first transfer is observed.
public final class Curl {
  private var multi: Multi?
  private var isClosed = false
  // Closes at home where the last reference goes elsewhere.
  private let bag = DisposeBag()

  /// Makes one without connections.
  public init() {}

  /// A transfer as a cold stream: the head, the bytes as they come, completed.
  ///
  /// Observing starts it, disposing cancels it, and pausing stops the reading: the server cannot send more than fits into
  /// the system's buffers. Fails once where the answer does not come to its end; a status such as 404 is no failure. Nothing is
  /// delivered from inside of curl: observers may start and cancel transfers.
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

  /// The same, gathered: one element with the whole answer, then completed. Memory grows with it.
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

  /// The number of sockets that curl has the loop watch.
  public var watchedSocketCount: Int { multi?.driver.watchedDescriptors.count ?? 0 }

  /// Fails all transfers and closes the connections: now, or when the call of curl that is under way has returned. A second
  /// call does nothing.
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
