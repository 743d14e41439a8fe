import EventLoops
import Glibc
import Streams
import StreamsTesting
import TLSStreams
import Testing

/// All tests. They run one after the other.
@Suite("TLS", .serialized, .noLiveResources)
enum TLSTests {}

/// Runs `body` on its own thread, with a loop and a bag.
func withLoop<Result: Sendable>(_ body: @escaping @Sendable (Loop, DisposeBag) throws -> Result) async throws -> Result
{
  try await onOwnThread {
    let loop = Loop()
    let bag = DisposeBag()
    defer {
      bag.dispose()
      loop.shutdown()
    }
    return try body(loop, bag)
  }
}

extension Loop {
  /// Runs until `condition` holds; throws after a minute.
  func run(until what: @autoclosure () -> String, _ condition: @escaping () -> Bool) throws {
    if condition() { return }
    let deadline = ContinuousClock.now + .seconds(60)
    let timer = try TimerHandle()
    defer { timer.dispose() }
    timer.start(after: .milliseconds(1), every: .milliseconds(1)) {
      if condition() || ContinuousClock.now > deadline { Loop.current.stop() }
    }
    run()
    if !condition() { throw TestError("not in time: \(what())") }
  }
}

/// A server on a free port, which records how its connections end.
final class Server {
  let tls: TLSServer
  private(set) var address = SocketAddress.loopback(port: 0)
  private(set) var connections: [TLSConnection] = []
  private(set) var failures: [TLSError] = []

  var port: UInt16 { address.port }

  /// Serves each connection with `serve`, which echoes by default.
  init(
    _ tls: TLSServer, in bag: DisposeBag, _ serve: @escaping (TLSConnection) -> Operation<Int, TLSError> = Server.echo
  ) {
    self.tls = tls
    Operation.listen(on: .loopback(port: 0), bound: { self.address = $0 })
      .flatMap(.merge) { tcp -> Stream<Int> in
        let connection = tls.secure(tcp)
        self.connections.append(connection)
        return serve(connection).doOn(failed: { self.failures.append($0) }).toStream(logError: false)
      }
      .observeFailed { Issue.record("cannot listen: \($0)") }
      .dispose(in: bag)
  }

  static func echo(_ connection: TLSConnection) -> Operation<Int, TLSError> { connection.bytes.pipe(to: connection) }

  static func localhost(in bag: DisposeBag) throws -> Server {
    Server(try TLSServer(Certificates.shared.identity("localhost")), in: bag)
  }
}

/// A client or server that nobody here wrote, with its input and its output.
final class Peer {
  let process: ProcessHandle
  private let received: Recorder<Bytes, UVError>
  private let complaints: Recorder<Bytes, UVError>

  init(_ command: [String], input: String? = nil) throws {
    var command = ProcessCommand(command[0], Array(command.dropFirst()))
    (command.input, command.output, command.errorOutput) = (.pipe, .pipe, .pipe)
    process = try ProcessHandle(command)
    received = process.output!.bytes.record()
    complaints = process.errorOutput!.bytes.record()
    if let input { send(input) }
  }

  func send(_ text: String) { process.input?.write(Bytes(text)) }

  func finish() { process.input?.finish() }

  var output: String { received.elements.map(\.description).joined() }
  var bytes: Bytes { Bytes(joining: received.elements) }
  /// Whether a whole line is `line`: "one" is the end of a line in which openssl describes a session.
  func hasPrinted(_ line: String) -> Bool { output.split(separator: "\n").contains { $0 == line } }
  var errors: String { complaints.elements.map(\.description).joined() }
  var hasEnded: Bool { process.status != nil && received.termination != nil && complaints.termination != nil }

  static func client(_ port: UInt16, _ options: [String] = [], input: String? = nil) throws -> Peer {
    try Peer(
      [
        "openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", Certificates.shared.authority,
        "-verify_return_error",
      ] + options, input: input)
  }
}

extension TLSTests {
  /// Connects a client to a server in this process. Returns the connections after the handshake.
  static func pair(
    _ loop: Loop, _ bag: DisposeBag, server: TLSServer? = nil, client: TLSClient? = nil
  ) throws -> (client: TLSConnection, server: TLSConnection) {
    let accepting = Server(
      try server ?? TLSServer(Certificates.shared.identity("localhost")), in: bag, { _ in .never() })
    let tls = try client ?? TLSClient(trust: .authorityFile(Certificates.shared.authority))
    let made = tls.connect(host: "localhost", port: accepting.port).record()
    try loop.run(until: "the handshake") {
      made.termination != nil && (accepting.connections.first?.session != nil || made.failure != nil)
    }
    guard let first = made.elements.first, let second = accepting.connections.first else {
      throw TestError("no connection: \(made.events)")
    }
    return (first, second)
  }
}
