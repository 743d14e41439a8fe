import EventLoops
import Glibc
import Streams
import StreamsTesting

/// A Redis server for one test. Its socket is in a temporary directory, and it uses no network and stores nothing.
///
/// The system kills it when the thread that has started it ends.
final class Server {
  let directory: String
  private let loop: Loop
  private var process: ProcessHandle?

  /// Creates the directory, starts the server, and waits until it accepts connections.
  init(on loop: Loop) throws {
    self.loop = loop
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/redis-streams-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestError("mkdtemp") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try start()
  }

  /// The path of the socket.
  var path: String { directory + "/socket" }

  /// Starts the server, at the beginning or after `kill()`.
  func start() throws {
    var command = ProcessCommand(
      "setpriv",
      [
        "--pdeathsig", "KILL", "--", "redis-server", "--port", "0", "--unixsocket", path, "--dir", directory, "--save",
        "",
        "--appendonly", "no",
      ])
    command.output = .null
    command.errorOutput = .null
    let process = try ProcessHandle(command)
    process.keepsLoopAlive = false
    self.process = process
    let address = try SocketAddress(path: path)
    var isAnswering = false
    var attempt: Subscription?
    try loop.run(until: "the server answers") {
      if attempt?.isDisposed != false {
        attempt = Operation.connect(toPipe: address).observe(
          next: { connection in
            isAnswering = true
            connection.dispose()
          }, termination: { _ in })
      }
      return isAnswering || process.status != nil
    }
    attempt?.dispose()
    if let status = process.status { throw TestError("redis-server has ended: \(status)") }
  }

  /// Kills the server with SIGKILL, so that the system and not the server closes its connections.
  func kill() throws {
    guard let process else { return }
    process.keepsLoopAlive = true
    try process.kill(.kill)
    try loop.run(until: "the server has ended") { process.status != nil }
    self.process = nil
  }

  /// Kills the server and removes its directory.
  func remove() throws {
    try kill()
    unlink(path)
    rmdir(directory)
  }
}
