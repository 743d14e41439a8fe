import EventLoops
import Glibc
import Streams
import StreamsTesting

/// A Redis server of the test's own: a socket in a directory of its own, no network, no file. It dies with the thread that starts it.
final class Server {
  let directory: String
  private let loop: Loop
  private var process: ProcessHandle?

  /// Starts it and waits until it answers.
  init(on loop: Loop) throws {
    self.loop = loop
    var template = Array("/tmp/redis-streams-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestError("mkdtemp") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try start()
  }

  /// What a client connects to.
  var path: String { directory + "/socket" }

  /// Starts it, also again.
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

  /// Kills it: clients are told by the system alone.
  func kill() throws {
    guard let process else { return }
    process.keepsLoopAlive = true
    try process.kill(.kill)
    try loop.run(until: "the server has ended") { process.status != nil }
    self.process = nil
  }

  /// Kills it and removes what it had.
  func remove() throws {
    try kill()
    unlink(path)
    rmdir(directory)
  }
}
