import EventLoops
import Glibc
import MQTTStreams
import Streams
import StreamsTesting

/// A mosquitto broker for one test, with its own directory and port.
///
/// The system kills it when the thread that has started it ends.
final class Broker {
  let directory: String
  let port: UInt16
  private let loop: Loop
  private var process: ProcessHandle?

  /// Creates the directory, starts the broker, and waits until it accepts connections.
  init(on loop: Loop, limit: Int = 0) throws {
    self.loop = loop
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/mqtt-streams-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestError("mkdtemp") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    port = try Self.freePort()
    // If root starts mosquitto, it changes to the user in the configuration.
    try write(
      """
      user nobody
      listener \(port) 127.0.0.1
      allow_anonymous true
      persistence false
      max_queued_messages \(limit)
      max_inflight_messages 0
      set_tcp_nodelay true
      """)
    try start()
  }

  /// Returns the address of the broker for a client.
  func address(name: String? = nil) -> MQTTBroker { MQTTBroker("127.0.0.1", port: Int32(port), name: name) }

  /// Starts the broker, at the beginning or after `kill()`.
  func start() throws {
    let paths = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"]
    guard let path = paths.first(where: { access($0, X_OK) == 0 }) else { throw TestError("mosquitto is missing") }
    // Changing the user clears the signal of --pdeathsig. So mosquitto runs as the user `nobody` from the start.
    let identity = geteuid() == 0 ? ["--reuid=65534", "--regid=65534", "--clear-groups"] : []
    chmod(directory, 0o755)
    var command = ProcessCommand(
      "setpriv", identity + ["--pdeathsig", "KILL", "--", path, "-c", directory + "/mosquitto.conf"])
    command.output = .null
    command.errorOutput = .null
    let process = try ProcessHandle(command)
    process.keepsLoopAlive = false
    self.process = process
    try loop.run(until: "mosquitto answers") { [port] in process.status != nil || Self.answers(port) }
    if let status = process.status { throw TestError("mosquitto has ended: \(status)") }
  }

  /// Kills the broker and waits for its end.
  func kill() throws {
    guard let process else { return }
    try process.kill(.kill)
    process.keepsLoopAlive = true
    try loop.run(until: "mosquitto has ended") { process.status != nil }
    self.process = nil
  }

  /// Kills the broker and removes its directory.
  func remove() throws {
    try kill()
    unlink(directory + "/mosquitto.conf")
    rmdir(directory)
  }

  private func write(_ text: String) throws {
    let file = open(directory + "/mosquitto.conf", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard file >= 0 else { throw TestError("open") }
    defer { close(file) }
    let bytes = Array((text + "\n").utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw TestError("write") }
  }

  private static func withAddress<Result>(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { body($0.baseAddress!, socklen_t(bytes.count)) }
    }
  }

  private static func answers(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return withAddress(port) { connect(descriptor, $0, $1) } == 0
  }

  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    guard withAddress(0, { bind(descriptor, $0, $1) }) == 0 else { throw TestError("bind") }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress!, &length) }
    }
    guard status == 0 else { throw TestError("getsockname") }
    return UInt16(bigEndian: address.sin_port)
  }
}
