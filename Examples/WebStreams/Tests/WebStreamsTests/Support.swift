import EventLoops
import Foundation
import Glibc
import Streams
import StreamsTesting
import TLSStreams
import Testing
import WebStreams

/// All tests. They run one after the other.
@Suite("Web", .serialized, .noLiveResources)
enum WebTests {}

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
  private(set) var address = SocketAddress.loopback(port: 0)
  private(set) var ends: [Termination<HTTPError>] = []
  private(set) var requests: [String] = []
  private let stopping = PushOperation<Void, Never>()

  var port: UInt16 { address.port }
  var failures: [HTTPError] { ends.compactMap { $0.failure } }
  func url(_ path: String, _ scheme: String = "http") -> String { "\(scheme)://localhost:\(port)\(path)" }

  func stop() { stopping.terminate(.completed) }

  init(
    _ tls: TLSServer? = nil, limits: HTTPLimits = HTTPLimits(), in bag: DisposeBag,
    _ respond: @escaping (HTTPRequest) -> Streams.Stream<HTTPResponse>
  ) {
    let stop = stopping.concat(with: .just(()))
    Streams.Operation<TCPHandle, UVError>.listen(on: .loopback(port: 0), bound: { self.address = $0 })
      .take(until: stop)
      .flatMap(.merge) { [self] tcp -> Streams.Stream<Never> in
        let served =
          if let tls {
            tls.secure(tcp).responding(until: stop, limits: limits) { [self] in answer($0, respond) }
          } else {
            tcp.responding(until: stop, limits: limits) { [self] in answer($0, respond) }
          }
        return served.doOn(completed: { self.ends.append(.completed) }, failed: { self.ends.append(.failed($0)) })
          .toStream(logError: false)
      }
      .observeFailed { Issue.record("cannot listen: \($0)") }
      .dispose(in: bag)
  }

  private func answer(
    _ request: HTTPRequest, _ respond: (HTTPRequest) -> Streams.Stream<HTTPResponse>
  ) -> Streams.Stream<HTTPResponse> {
    requests.append("\(request.method) \(request.target)")
    return respond(request)
  }
}

/// A client or server of another project, with its output.
final class Peer {
  let process: ProcessHandle
  private let received: Recorder<Bytes, UVError>
  private let complaints: Recorder<Bytes, UVError>

  init(_ command: [String]) throws {
    var command = ProcessCommand(command[0], Array(command.dropFirst()))
    (command.input, command.output, command.errorOutput) = (.pipe, .pipe, .pipe)
    process = try ProcessHandle(command)
    received = process.output!.bytes.record()
    complaints = process.errorOutput!.bytes.record()
  }

  var output: String { received.elements.map(\.description).joined() }
  var bytes: Bytes { Bytes(joining: received.elements) }
  var errors: String { complaints.elements.map(\.description).joined() }
  var hasEnded: Bool { process.status != nil && received.termination != nil && complaints.termination != nil }
  var hasSucceeded: Bool { process.status == .exited(0) }

  static func curl(_ options: [String]) throws -> Peer {
    try Peer(["curl", "-sS", "-m", "50", "--cacert", Certificate.shared.file] + options)
  }
}

/// Bytes that a client writes by hand, and what it receives.
final class Raw {
  private(set) var connection: TCPHandle?
  private(set) var received: Recorder<Bytes, UVError>?

  init(_ server: Server, _ parts: [Bytes], in bag: DisposeBag) {
    Streams.Operation<TCPHandle, UVError>.connect(to: server.address).observeNext { [self] tcp in
      connection = tcp
      received = tcp.bytes.record()
      for part in parts { tcp.write(part) }
    }.dispose(in: bag)
  }

  convenience init(_ server: Server, _ text: String, in bag: DisposeBag) { self.init(server, [Bytes(text)], in: bag) }

  var text: String { String(decoding: Bytes(joining: received?.elements ?? []), as: UTF8.self) }
  var hasEnded: Bool { received?.termination != nil }
  var statuses: [String] {
    text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
  }
}

/// A certificate for localhost that openssl has made.
final class Certificate: Sendable {
  static let shared = Certificate()
  let folder: String
  var file: String { "\(folder)/cert.pem" }
  var key: String { "\(folder)/key.pem" }

  var server: TLSServer {
    get throws {
      try TLSServer(
        TLSIdentity(certificateFile: file, keyFile: key), applicationProtocols: ["h2", "http/1.1"])
    }
  }

  private init() {
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/web-streams-XXXXXX".utf8CString)
    folder = mkdtemp(&template).map { String(cString: $0) } ?? "/nowhere"
    atexit { try? FileManager.default.removeItem(atPath: Certificate.shared.folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost"
      .split(separator: " ").map(String.init) + [
        "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", file,
      ]
    process.standardError = FileHandle.nullDevice
    try? process.run()
    process.waitUntilExit()
  }
}

/// A generator that a seed decides (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
