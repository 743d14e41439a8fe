import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// Runs `body` with a loop on its own thread, and with a bag that is disposed afterwards.
func withLoop<Result: Sendable>(
  _ body: @escaping @Sendable (Loop, DisposeBag) throws -> Result
) async throws -> Result {
  try await onOwnThread {
    let loop = Loop()
    defer { loop.shutdown() }
    let bag = DisposeBag()
    let guardian = deadline(loop)
    defer {
      guardian.dispose()
      bag.dispose()
    }
    return try body(loop, bag)
  }
}

/// Closes a socket so that its peer receives a reset.
func closeWithReset(_ descriptor: Int32) {
  var option = linger(l_onoff: 1, l_linger: 0)
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  close(descriptor)
}

/// Makes two connected peers on the loop of this thread, and runs the loop until they are connected.
func connectedPair(_ loop: Loop) throws -> (TCPHandle, TCPHandle) {
  let bag = DisposeBag()
  defer { bag.dispose() }
  var near: TCPHandle?
  var far: TCPHandle?
  let listener = try TCPListener(on: .loopback(port: 0), loop: loop)
  defer { listener.dispose() }
  listener.connections.observeNext {
    near = $0
    if far != nil { loop.stop() }
  }.dispose(in: bag)
  Operation.connect(to: listener.address).observeNext {
    far = $0
    if near != nil { loop.stop() }
  }.dispose(in: bag)
  loop.run()
  return (try #require(near), try #require(far))
}

/// Connects a descriptor without the loop, to be read and written by hand. `connection` receives its peer.
func plainPeer(_ connection: (TCPHandle) -> Void, on loop: Loop) throws -> Int32 {
  let bag = DisposeBag()
  defer { bag.dispose() }
  let listener = try TCPListener(on: .loopback(port: 0), loop: loop)
  defer { listener.dispose() }
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  let status = listener.address.withSockAddr { Glibc.connect(descriptor, $0, $1) }
  #expect(status == 0)
  withoutActuallyEscaping(connection) { connection in
    listener.connections.observeNext {
      connection($0)
      loop.stop()
    }.dispose(in: bag)
    loop.run()
    bag.dispose()
  }
  return descriptor
}
