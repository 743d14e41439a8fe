import DBusStreams
import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

/// All tests. They run one after the other.
@Suite("D-Bus", .serialized, .noLiveResources)
enum DBusTests {}

/// Runs `body` on its own thread, with a loop, a message bus of its own, and a bag.
func withBus<Result: Sendable>(_ body: @escaping @Sendable (TestBus, DisposeBag) throws -> Result) async throws
  -> Result
{
  try await onOwnThread {
    let loop = Loop()
    let bag = DisposeBag()
    defer { loop.shutdown() }
    let bus = try TestBus(loop)
    defer {
      bag.dispose()
      bus.remove()
    }
    return try body(bus, bag)
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

/// A dbus-daemon at an address that stays the same when it is restarted.
final class TestBus {
  let loop: Loop
  let folder: String
  private var daemon: Peer?

  var address: DBusAddress { .address("unix:path=\(folder)/bus") }
  /// What makes other programs use this bus, as the session's and as the system's.
  var environment: [String] {
    ["DBUS_SESSION_BUS_ADDRESS=unix:path=\(folder)/bus", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=\(folder)/bus"]
  }

  init(_ loop: Loop) throws {
    self.loop = loop
    var template = Array("/tmp/dbus-streams-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestError("mkdtemp") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try start()
  }

  func start() throws {
    let daemon = try Peer([
      "dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/bus", "--print-address=1",
    ])
    self.daemon = daemon
    for handle in [daemon.process, daemon.process.output, daemon.process.errorOutput] as [Handle?] {
      handle?.keepsLoopAlive = false
    }
    try loop.run(until: "the bus listens: \(daemon.errors)") { daemon.output.contains("\n") }
  }

  /// Ends the daemon like a crash.
  func kill() throws {
    guard let daemon else { return }
    try daemon.process.kill(.kill)
    try loop.run(until: "the bus ends") { daemon.hasEnded }
    unlink("\(folder)/bus")
    self.daemon = nil
  }

  /// Stops the daemon, which still listens, or lets it go on.
  func pause(_ isPaused: Bool) throws { try daemon?.process.kill(isPaused ? .stop : .continue) }

  func remove() {
    try? kill()
    rmdir(folder)
  }

  func connect(in bag: DisposeBag) throws -> DBusConnection {
    let connection = try DBusConnection(to: address, retryingAfter: .milliseconds(20))
    BlockDisposable { connection.close() }.dispose(in: bag)
    return connection
  }

  /// Starts a program of the D-Bus world on this bus.
  func run(_ command: [String]) throws -> Peer { try Peer(["env"] + environment + command) }

  /// Runs a program until it ends, and returns what it has printed.
  func output(of command: [String]) throws -> (text: String, status: ProcessExit?) {
    let peer = try Peer(["env"] + environment + command)
    try loop.run(until: "\(command) ends: \(peer.output)\(peer.errors)") { peer.hasEnded }
    return (peer.output + peer.errors, peer.process.status)
  }

  /// Owns a name until the bag is disposed.
  func own(_ name: String, _ connection: DBusConnection, in bag: DisposeBag) throws {
    var isOwned = false
    connection.owning(name).observe(next: { isOwned = $0 == .owned }, termination: { _ in }).dispose(in: bag)
    try loop.run(until: "the name") { isOwned }
  }

  /// The element of an operation that emits one.
  func value<Element>(_ operation: Operation<Element, DBusError>) throws -> Element {
    let recorder = operation.first().record()
    try loop.run(until: "a value") { recorder.termination != nil }
    if let error = recorder.failure { throw error }
    guard let element = recorder.elements.first else { throw TestError("completed without a value") }
    return element
  }

  /// The error of an operation that fails.
  func failure<Element>(_ operation: Operation<Element, DBusError>) throws -> DBusError? {
    let recorder = operation.record()
    try loop.run(until: "a failure") { recorder.termination != nil }
    return recorder.failure
  }
}

/// Another program, with its output.
final class Peer {
  let process: ProcessHandle
  private let received: Recorder<Bytes, UVError>
  private let complaints: Recorder<Bytes, UVError>

  init(_ command: [String]) throws {
    var command = ProcessCommand(command[0], Array(command.dropFirst()))
    (command.output, command.errorOutput) = (.pipe, .pipe)
    process = try ProcessHandle(command)
    received = process.output!.bytes.record()
    complaints = process.errorOutput!.bytes.record()
  }

  var output: String { received.elements.map(\.description).joined() }
  var errors: String { complaints.elements.map(\.description).joined() }
  var hasEnded: Bool { process.status != nil && received.termination != nil && complaints.termination != nil }
}

/// A generator of random numbers whose numbers depend on nothing but its seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
