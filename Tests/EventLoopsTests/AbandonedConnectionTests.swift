import Glibc
import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

/// Connections that are not retained.
@Suite("Abandoned connections", .noLiveResources, .timeLimit(.minutes(15)))
struct AbandonedConnectionTests {
  /// The ways in which a server uses a connection that it does not retain.
  enum Service: CaseIterable {
    /// Writes back what it reads, and does nothing at the end.
    case echo
    /// Reads once.
    case readOnce
    /// Writes more than the system accepts at a time, and reads nothing.
    case write
    /// Finishes, and writes nothing.
    case finish

    var count: Int { if case .write = self { 4 << 20 } else { 5 } }

    func serve(_ connection: TCPHandle, _ bag: DisposeBag) {
      switch self {
      case .echo: connection.bytes.observeNext { connection.write($0) }.dispose(in: bag)
      case .readOnce: connection.bytes.take(1).observeNext { connection.write($0) }.dispose(in: bag)
      case .write: connection.write(Bytes(copying: [UInt8](repeating: 7, count: count).span.bytes))
      case .finish: connection.finish()
      }
    }
  }

  /// A server that passes each connection to `serve` and does not retain it.
  fileprivate final class Server {
    let listener: TCPListener
    let bag = DisposeBag()
    weak var served: TCPHandle?
    /// True when a watched connection has received its end.
    private(set) var hasEnded = false

    init(_ serve: @escaping (TCPHandle, DisposeBag) -> Void) throws {
      listener = try TCPListener(on: .loopback(port: 0))
      listener.connections.observeNext { [unowned self] connection in
        served = connection
        serve(connection, bag)
      }.dispose(in: bag)
    }

    /// Sets `hasEnded` when `connection` receives its end.
    func watch(_ connection: ByteStreamHandle) {
      connection.bytes.observe(next: { _ in }, termination: { [unowned self] _ in hasEnded = true }).dispose(in: bag)
    }

    func close() {
      bag.dispose()
      listener.dispose()
    }
  }

  @Test(arguments: Service.allCases)
  func `a connection to which there is no reference is closed when nothing is under way`(_ service: Service)
    async throws
  {
    try await onLoop { _ in
      let server = try Server(service.serve)
      let client = try await Operation.connect(to: server.listener.address).value
      var count = 0
      var hasEnded = false
      client.bytes.observe(next: { count += $0.count }, termination: { _ in hasEnded = true }).dispose(in: server.bag)
      client.write("hello")
      if case .echo = service { client.finish() }
      await untilTrue { hasEnded }
      #expect(count == (service == .finish ? 0 : service.count))
      // A connection that has written waits until this side closes, too.
      client.dispose()
      await untilTrue { server.served == nil }
      #expect(server.served == nil)
      server.close()
    }
  }

  @Test(arguments: [false, true])
  func `what has been written arrives although something has not been read`(finishes: Bool) async throws {
    try await onLoop { _ in
      let count = 4 << 20
      let server = try Server { connection, _ in
        connection.write(Bytes(copying: [UInt8](repeating: 7, count: count).span.bytes))
        if finishes { connection.finish() }
      }
      let client = try await Operation.connect(to: server.listener.address).value
      client.write("nobody reads this")
      var (received, end): (Int, Termination<UVError>?) = (0, nil)
      var subscription: Subscription?
      // The client reads more slowly than the server writes.
      subscription = client.bytes.observe(
        next: {
          received += $0.count
          subscription?.pause()
          Stream.timer((), after: .milliseconds(1)).observeNext { subscription?.resume() }.dispose(in: server.bag)
        }, termination: { end = $0 })
      await untilTrue { end != nil }
      #expect(received == count && end?.failure == nil)
      client.dispose()
      await untilTrue { server.served == nil }
      #expect(server.served == nil)
      server.close()
    }
  }

  /// The peer writes back what it reads, so it would stop reading if its answers were not read.
  @Test func `a peer that answers while the queue is written receives everything`() async throws {
    try await onLoop { _ in
      let tcp = try TCPListener(on: .loopback(port: 0))
      await answered(tcp.connections, Operation.connect(to: tcp.address))
      tcp.dispose()
      let local = try PipeListener(on: SocketAddress(abstract: "headwater-abandoned-\(getpid())"))
      await answered(local.connections, Operation.connect(toPipe: local.address))
      local.dispose()
    }
  }

  private func answered<Connection: ByteStreamHandle>(
    _ accepted: some StreamProtocol<Connection, UVError>, _ connecting: Operation<Connection, UVError>
  ) async {
    let count = 16 << 20
    let bag = DisposeBag()
    var received = 0
    var hasEnded = false
    accepted.flatMap(.merge) { peer in
      peer.bytes.doOn(next: { received += $0.count }).pipe(to: peer).toStream(logError: false)
        .setFailureType(to: UVError.self)
    }.observeNext { _ in hasEnded = true }.dispose(in: bag)
    connecting.observeNext { connection in
      connection.write(Bytes(copying: [UInt8](repeating: 7, count: count).span.bytes))
    }.dispose(in: bag)
    await untilTrue { hasEnded }
    #expect(received == count)
    bag.dispose()
  }

  @Test func `the program does not wait for a peer that has everything`() async throws {
    try await onOwnThread {
      let loop = Loop()
      weak var served: TCPHandle?
      let client = try plainPeer(
        {
          served = $0
          $0.write("hello")
        }, on: loop)
      loop.run()
      // The loop did not wait for the deadline of the connection.
      #expect(served?.isDisposed == false)
      var bytes = [UInt8](repeating: 0, count: 16)
      #expect(recv(client, &bytes, 16, 0) == 5 && recv(client, &bytes, 16, 0) == 0)
      close(client)
      loop.shutdown()
    }
  }

  @Test func `a connection that is reset behind its last bytes has failed, also if it is read afterwards`() async throws
  {
    try await onLoop { _ in
      var served: TCPHandle?
      let server = try Server { connection, _ in served = connection }
      let client = try await Operation.connect(to: server.listener.address).value
      await untilTrue { served != nil }
      served?.write("last words")
      served?.reset()
      var end: Termination<UVError>?
      client.bytes.observe(next: { _ in }, termination: { end = $0 }).dispose(in: server.bag)
      await untilTrue { end != nil }
      #expect(end?.failure?.code == .connectionReset)
      server.close()
    }
  }

  /// How an operation that waits for room in a connection releases the connection.
  enum LettingGo: CaseIterable {
    /// The source of a `pipe(to:)` fails.
    case failure
    /// A `pipe(to:)` is disposed.
    case disposal
    /// An observer of `readiness` is disposed.
    case readiness
  }

  @Test(arguments: LettingGo.allCases)
  func `a connection that only a writer referred to is closed when the writer lets go of it`(_ lettingGo: LettingGo)
    async throws
  {
    try await onLoop { _ in
      let bag = DisposeBag()
      weak var watching: Server?
      let server = try Server { connection, _ in watching?.watch(connection) }
      watching = server
      let source = PushOperation<Bytes, UVError>()
      var writing: Subscription?
      Operation.connect(to: server.listener.address).observeNext { connection in
        writing =
          lettingGo == .readiness
          ? connection.readiness.observeNext { connection.write("x") }
          : source.pipe(to: connection).observe { _ in }
      }.dispose(in: bag)
      await untilTrue { writing != nil && server.served != nil }
      #expect(!server.hasEnded)
      if lettingGo == .failure {
        source.failed(UVError(code: .messageTooLong, call: "test"))
      } else {
        writing?.dispose()
      }
      writing = nil
      await untilTrue { server.hasEnded }
      #expect(server.hasEnded)
      bag.dispose()
      server.close()
    }
  }

  /// How a function uses a connection before it returns.
  enum ShortUse: CaseIterable {
    case connect
    case connectAndWrite
    case accept
    case receiveDescriptor

    fileprivate func run(_ server: Server) async throws {
      switch self {
      case .connect:
        _ = try await Operation.connect(to: server.listener.address).value
      case .connectAndWrite:
        try await Operation.connect(to: server.listener.address).value.write("hello")
      case .accept:
        let listener = try TCPListener(on: .loopback(port: 0))
        defer { listener.dispose() }
        Operation.connect(to: listener.address).observeNext { server.watch($0) }.dispose(in: server.bag)
        for try await connection in listener.connections.values() {
          #expect(!connection.isDisposed)
          return
        }
      case .receiveDescriptor:
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        server.watch(try PipeHandle(descriptor: ends[0]))
        _ = try PipeHandle(descriptor: ends[1])
      }
    }
  }

  @Test(arguments: ShortUse.allCases)
  func `a connection is closed after the function that used it has returned`(_ use: ShortUse) async throws {
    try await onLoop { _ in
      weak var watching: Server?
      let server = try Server { connection, _ in watching?.watch(connection) }
      watching = server
      try await use.run(server)
      await untilTrue { server.hasEnded }
      #expect(server.hasEnded)
      server.close()
    }
  }

  @Test func `a connection that somebody keeps stays open, whether or not anything is under way`() async throws {
    try await onLoop { _ in
      var kept: TCPHandle?
      let server = try Server { connection, bag in
        kept = connection
        connection.bytes.take(1).observeNext { connection.write($0) }.dispose(in: bag)
      }
      let client = try await Operation.connect(to: server.listener.address).value
      var received: [UInt8] = []
      client.bytes.observeNext { $0.withUnsafeBytes { received += $0 } }.dispose(in: server.bag)
      client.write("a")
      await untilTrue { received.count == 1 }
      for _ in 0..<100 { await Task.yield() }
      kept?.write("b")
      await untilTrue { received.count == 2 }
      #expect(received == Array("ab".utf8) && kept?.isDisposed == false)
      kept?.dispose()
      client.dispose()
      server.close()
    }
  }
}
