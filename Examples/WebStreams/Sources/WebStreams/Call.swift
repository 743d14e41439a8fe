import EventLoops
import Streams

/// A request under way, for one observer.
final class Call: Disposable {
  let request: HTTPClient.Request
  let target: String
  let host: Host
  private var observer: Observer<HTTPClient.Response, HTTPError>?
  /// The connection attempt or the exchange, which is disposed with the observer.
  var work: (any Disposable)?
  /// True if the connection has served another request before.
  var isOnKept = false
  /// A server that loses each request would otherwise get this one forever.
  private var wasRepeated = false
  /// How often servers have refused it, or not taken it since the last response from them, and the number of their responses
  /// then.
  private var refusals = (count: 0, responses: 0)
  private static let mostRefusals = 4

  /// What a server has certainly not done with a request (RFC 9113, 8.7).
  enum Refusal {
    /// It has refused this request, because it has too many.
    case refused
    /// It takes no more requests on the connection.
    case untaken
  }

  init(
    _ request: HTTPClient.Request, _ target: String, _ host: Host, _ observer: Observer<HTTPClient.Response, HTTPError>
  ) {
    self.request = request
    self.target = target
    self.host = host
    self.observer = observer
  }

  var isDisposed: Bool { observer == nil }

  func start() { host.start(self) }

  func dispose() {
    observer = nil
    work.take()?.dispose()
    host.forget(self)
  }

  func receive(_ response: HTTPClient.Response) {
    work = nil
    host.responses += 1
    guard let observer = observer.take() else { return }
    observer.next(response)
    observer.completed()
  }

  /// Fails, or sends the request again.
  func fail(_ error: HTTPError, _ refusal: Refusal? = nil) {
    work = nil
    if isDisposed { return }
    if isLost(error), refusal.map(count) ?? (isOnKept && !wasRepeated && isIdempotent), hasBytes {
      wasRepeated = wasRepeated || refusal == nil
      // The other kept connections may be lost, too.
      return host.startOnNew(self)
    }
    observer.take()?.failed(error)
  }

  /// Returns true if it may be sent again: it has not been refused often, or connections end that have served others.
  private func count(_ refusal: Refusal) -> Bool {
    let hasServedOthers = refusal == .untaken && host.responses > refusals.responses
    refusals = (hasServedOthers ? 1 : refusals.count + 1, host.responses)
    return refusals.count <= Self.mostRefusals
  }

  private func isLost(_ error: HTTPError) -> Bool {
    switch error {
    case .disconnected, .aborted, .connection: true
    default: false
    }
  }

  private var hasBytes: Bool { if case .bytes = request.body { true } else { false } }

  private var isIdempotent: Bool {
    ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(request.method)
  }
}
