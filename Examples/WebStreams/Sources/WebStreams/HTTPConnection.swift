import EventLoops
import Streams

/// A connection that carries exchanges, of a server or of a client.
class HTTPConnection {
  let wire: Wire
  let limits: HTTPLimits
  private(set) var isDisposed = false
  private var reading: Subscription?
  private var isReadingPaused = false
  private var room: Subscription?

  init(_ wire: Wire, _ limits: HTTPLimits) {
    self.wire = wire
    self.limits = limits
  }

  /// Begins to read. The connection can end before this returns.
  func open() {
    let room = wire.readiness.observe(
      next: { [self] in hasRoom() }, termination: { [self] in if let error = $0.failure { writingHasFailed(error) } })
    if isDisposed { return room.dispose() }
    self.room = room
    let reading = wire.bytes.observe(
      next: { [self] in receive($0) },
      termination: { [self] end in
        self.reading = nil
        if isDisposed { return }
        if let error = end.failure { fail(error) } else { peerDidFinish() }
      })
    if isDisposed { return reading.dispose() }
    if !reading.isDisposed { self.reading = reading }
  }

  /// Ends reading and writing.
  func shut() {
    isDisposed = true
    reading.take()?.dispose()
    room.take()?.dispose()
  }

  /// Stops reading while an engine has bytes that it cannot use yet.
  func setReadingPaused(_ isPaused: Bool) {
    if isPaused == isReadingPaused { return }
    isReadingPaused = isPaused
    if isPaused { reading?.pause() } else { reading?.resume() }
  }

  // MARK: Differences between server and client

  func receive(_ bytes: Bytes) {}
  /// The peer has closed its side.
  func peerDidFinish() {}
  /// The connection can take more.
  func hasRoom() {}
  /// Closes the connection after the queued writes.
  func finish() {}
  func fail(_ error: HTTPError) {}
  /// Nothing can be written any more.
  func writingHasFailed(_ error: HTTPError) { fail(error) }
  /// The peer has made progress, so the time limits begin again.
  func progress() {}
  /// The peer has room for bytes of a body, which are sent.
  func peerTakesBytes() {}
  /// The program has taken bytes of a body.
  func bodyWasConsumed(_ exchange: Exchange, _ count: Int) {}
  /// The body has an observer for the first time.
  func bodyIsWanted(_ exchange: Exchange) {}
  /// The observer of a body was disposed before its end.
  func bodyIsDropped(_ exchange: Exchange) {}
}
