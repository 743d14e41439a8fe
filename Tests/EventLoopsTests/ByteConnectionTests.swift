import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// An error of a protocol above the connection, which includes those of the system.
private enum WrappedError: ConnectionError, Equatable {
  case system(UVError)
  case damaged

  init(_ error: UVError) { self = .system(error) }
}

/// A connection that frames another one, as an encrypted one does.
private final class WrappedConnection: ByteConnection {
  let carrier: ByteStreamHandle
  init(_ carrier: ByteStreamHandle) { self.carrier = carrier }

  var bytes: Operation<Bytes, WrappedError> { carrier.bytes.mapError { WrappedError($0) } }
  var readiness: Operation<Void, WrappedError> { carrier.readiness.mapError { WrappedError($0) } }
  func writing(_ bytes: Bytes) -> Operation<Void, WrappedError> { carrier.writing(bytes).mapError { WrappedError($0) } }
  func finishing() -> Operation<Void, WrappedError> { carrier.finishing().mapError { WrappedError($0) } }
  func write(_ bytes: Bytes) { carrier.write(bytes) }
  func write(copying bytes: RawSpan) { carrier.write(copying: bytes) }
  func finish() { carrier.finish() }
  func close() { carrier.close() }
  func close(within patience: Duration) { carrier.close(within: patience) }
  func dispose() { carrier.dispose() }
  var isDisposed: Bool { carrier.isDisposed }
  var hasReadEnd: Bool { carrier.hasReadEnd }
  var isFull: Bool { carrier.isFull }
  var queuedBytes: Int { carrier.queuedBytes }
  var watermarks: Watermarks {
    get { carrier.watermarks }
    set { carrier.watermarks = newValue }
  }
}

/// Runs the loop until a condition holds. The deadline of the test stops it, too.
private func run(_ loop: Loop, until condition: @escaping () -> Bool) throws {
  let timer = try TimerHandle(on: loop)
  timer.start(after: .zero, every: .milliseconds(1)) { if condition() { loop.stop() } }
  loop.run()
  timer.dispose()
  #expect(condition())
}

@Suite("Byte connections", .noLiveResources)
struct ByteConnectionTests {
  /// A function that serves any connection.
  private static func greet<Connection: ByteConnection>(_ connection: Connection) -> Operation<Int, Connection.Failure>
  {
    connection.write("welcome\n")
    return connection.bytes.pipe(to: connection)
  }

  @Test func `one function serves connections with errors of different types`() async throws {
    try await withLoop { loop, bag in
      for isWrapped in [false, true] {
        let (near, far) = try connectedPair(loop)
        let served: Recorder<Int, WrappedError> =
          isWrapped
          ? Self.greet(WrappedConnection(near)).record() : Self.greet(near).mapError { WrappedError($0) }.record()
        let received = far.bytes.record()
        far.write("abc")
        far.finish()
        try run(loop) { served.termination != nil && received.termination != nil }
        #expect(served.events == [.next(3), .completed])
        #expect(Bytes(joining: received.elements) == Bytes("welcome\nabc"))
      }
    }
  }

  @Test func `bytes go from any kind of connection to any other, and the result has the wider type of error`()
    async throws
  {
    try await withLoop { loop, bag in
      let (first, near) = try connectedPair(loop)
      let (far, last) = try connectedPair(loop)
      let wrapped = WrappedConnection(far)
      let there: Operation<Int, WrappedError> = near.bytes.pipe(to: wrapped)
      let back: Operation<Int, WrappedError> = wrapped.bytes.pipe(to: near)
      let (forth, reply) = (there.record(), back.record())
      let received = last.bytes.record()
      first.write("question")
      try run(loop) { Bytes(joining: received.elements) == Bytes("question") }
      last.reset()
      try run(loop) { forth.termination != nil && reply.termination != nil }
      guard case .system(let error)? = reply.failure else {
        Issue.record("\(reply.events)")
        return
      }
      #expect(error.code == .connectionReset)
      first.dispose()
      near.dispose()
    }
  }

  @Test func `a sink that other code has finished is an error of the sink's type`() async throws {
    try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      let wrapped = WrappedConnection(near)
      wrapped.finish()
      let copying = Stream<Bytes>.never().pipe(to: wrapped).record()
      try run(loop) { copying.termination != nil }
      #expect(copying.failure == .system(UVError(code: .brokenPipe, call: "pipe")))
      let same = Operation<Bytes, WrappedError>.failed(.damaged).pipe(to: wrapped).record()
      #expect(same.failure != nil)
      far.dispose()
      near.dispose()
    }
  }

  @Test func `a shutdown cuts off what carries a connection`() async throws {
    try await withLoop { loop, bag in
      let shutdown = try GracefulShutdown(on: [], grace: .milliseconds(1))
      let (near, far) = try connectedPair(loop)
      let serving = Stream.just(WrappedConnection(near)).concat(with: .never())
        .serving(until: shutdown) { _ in Stream<Void>.never() }
        .record()
      shutdown.begin()
      try run(loop) { serving.termination != nil && near.isDisposed }
      far.dispose()
    }
  }
}
