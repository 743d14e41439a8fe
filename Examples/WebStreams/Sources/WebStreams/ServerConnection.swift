import EventLoops
import Streams

/// One version of HTTP over a connection of a server.
protocol ServerEngine: AnyObject {
  func receive(_ bytes: Bytes)
  /// The client has closed its side.
  func peerDidFinish()
  /// The connection can take more.
  func proceed()
  /// No request is accepted any more, and the connection is closed when those under way have been answered.
  func stop()
  /// Ends all exchanges.
  func cancel(_ error: HTTPError)
  func send(_ response: HTTPResponse, _ exchange: Exchange)
  func sendContinue(_ exchange: Exchange)
  func bodyWasConsumed(_ exchange: Exchange, _ count: Int)
  /// The event for which the connection waits.
  var wait: Wait { get }
}

/// The event for which a connection waits. It decides the time limit.
enum Wait {
  case header
  case request
  case body
  case room
  /// The program: no limit.
  case response
}

/// A connection of a server. It finds out which version the client speaks, and emits its requests.
///
/// Ownership: the subscription to the requests, the open connection, and exchanges under way ===> connection; connection
/// and engine ===> each other, until the connection ends.
final class ServerConnection: HTTPConnection, Disposable {
  private let observer: Observer<HTTPRequest, HTTPError>
  private(set) var engine: (any ServerEngine)?
  /// Bytes that could become the beginning of HTTP/2.
  private var beginning = Bytes()
  /// Requests that wait because the observer is paused.
  private var waiting: [HTTPRequest] = []
  private var isPaused: Bool
  private(set) var isStopping = false
  private var timer: (any Disposable)?
  private var due = Duration.zero
  private var lastProgress: Duration
  /// The wait and the bytes that waited to be written at the last progress.
  private var noted = (wait: Wait.header, queued: 0)
  /// True if the connection closes when the client has taken most of what is queued.
  private var isFinishing = false
  private var stopping: Subscription?

  init(_ wire: Wire, _ limits: HTTPLimits, _ observer: Observer<HTTPRequest, HTTPError>) {
    self.observer = observer
    isPaused = observer.isPaused
    lastProgress = wire.carrier.loop.now
    super.init(wire, limits)
  }

  func start(until stop: Stream<Void>) {
    open()
    if isDisposed { return }
    arm()
    let stopping = stop.first().observeCompleted { [weak self] in self?.stop() }
    if isDisposed || stopping.isDisposed { stopping.dispose() } else { self.stopping = stopping }
  }

  // MARK: Reading

  override func receive(_ bytes: Bytes) {
    // A header has to be complete in time, however often a byte of it arrives, and an empty line is no request. A client
    // that sends does not take a response.
    let before = wait
    defer {
      if wait != before || wait == .body || wait == .response { progress() }
      arm()
    }
    if let engine {
      engine.receive(bytes)
    } else {
      beginning = beginning.isEmpty ? bytes : beginning + bytes
      let preface = HTTP2Server.preface
      if !beginning.prefix(preface.count).elementsEqual(preface.prefix(beginning.count)) {
        begin(HTTP1Server(self))
      } else if beginning.count >= preface.count {
        begin(HTTP2Server(self))
      }
    }
  }

  private func begin(_ engine: any ServerEngine) {
    self.engine = engine
    let bytes = beginning
    beginning = Bytes()
    engine.receive(bytes)
    if isStopping { engine.stop() }
  }

  override func peerDidFinish() {
    if let engine { engine.peerDidFinish() } else { finish() }
  }

  override func hasRoom() {
    progress()
    if isFinishing { return finish() }
    engine?.proceed()
  }

  override func bodyWasConsumed(_ exchange: Exchange, _ count: Int) { engine?.bodyWasConsumed(exchange, count) }

  override func bodyIsWanted(_ exchange: Exchange) {
    guard exchange.isContinueExpected else { return }
    exchange.isContinueExpected = false
    engine?.sendContinue(exchange)
  }

  // MARK: Requests

  func emit(_ request: HTTPRequest) {
    if isPaused || !waiting.isEmpty { waiting.append(request) } else { observer.next(request) }
  }

  func pause() { isPaused = true }

  func resume() {
    isPaused = false
    while !isPaused, !waiting.isEmpty { observer.next(waiting.removeFirst()) }
  }

  // MARK: Ending

  private func stop() {
    isStopping = true
    if let engine { engine.stop() } else { finish() }
  }

  /// Closes the connection after what has been written.
  override func finish() {
    if isDisposed { return }
    // When it closes, the client has only a few seconds for what is queued.
    isFinishing = wire.isFull
    if isFinishing { return }
    shut()
    wire.close()
    end(.completed, .canceled)
  }

  /// Fails. An error of an idle connection completes it instead.
  override func fail(_ error: HTTPError) {
    if isDisposed { return }
    // First, because a connection that is aborted reports that to its reader at once.
    shut()
    switch error {
    // What was written says why.
    case .malformed, .timedOut: wire.close()
    default: wire.abort()
    }
    if case .connection(let error) = error, isIdle(error is UVError) { return end(.completed, .disconnected) }
    end(.failed(error), error)
  }

  /// True if there is no request. Before the first one, an error of TLS is worth a report.
  private func isIdle(_ isOfSystem: Bool) -> Bool {
    switch engine?.wait {
    case .request: true
    case nil: isOfSystem
    default: false
    }
  }

  func dispose() {
    if isDisposed { return }
    shut()
    wire.abort()
    end(.completed, .canceled)
  }

  private func end(_ termination: Termination<HTTPError>, _ error: HTTPError) {
    timer.take()?.dispose()
    stopping.take()?.dispose()
    let engine = engine.take()
    engine?.cancel(error)
    waiting = []
    observer.terminate(termination)
  }

  // MARK: Time limits

  override func progress() {
    lastProgress = wire.carrier.loop.now
    noted = (wait, wire.carrier.queuedBytes)
  }

  override func peerTakesBytes() { lastProgress = wire.carrier.loop.now }

  private var wait: Wait { engine?.wait ?? .header }

  private var limit: (Duration, String)? {
    switch wait {
    case .header: (limits.headerTime, "the header of a request is not complete")
    case .request: (limits.idleTime, "there is no request")
    case .body: (limits.stallTime, "the body of a request does not go on")
    case .room: (limits.stallTime, "a response is not taken")
    case .response: nil
    }
  }

  /// Makes the timer fire when the limit for what the connection waits for is reached.
  func arm() {
    if isDisposed { return }
    let new = lastProgress + (limit?.0 ?? limits.stallTime)
    if timer != nil, new >= due { return }
    timer?.dispose()
    due = new
    let loop = wire.carrier.loop
    timer = loop.backgroundScheduler.schedule(after: max(new - loop.now, .zero)) { [weak self] in self?.timerDidFire() }
  }

  private func timerDidFire() {
    timer = nil
    guard let (limit, what) = limit else {
      progress()
      return arm()
    }
    let queued = wire.carrier.queuedBytes
    // The wait has begun after the last progress, or the client has taken a part of what is queued.
    if wait != noted.wait || queued > 0 && queued != noted.queued { progress() }
    if wire.carrier.loop.now - lastProgress < limit { return arm() }
    // A client that sends no request has done nothing wrong.
    if case .request = wait { engine?.stop() } else { fail(.timedOut(what)) }
  }
}
