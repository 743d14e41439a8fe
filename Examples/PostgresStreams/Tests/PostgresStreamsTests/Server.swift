import CPostgres
import EventLoops
import Glibc
import Streams
import StreamsTesting

/// A PostgreSQL server for one test. Its cluster and its socket are in a temporary directory, and it uses no network.
///
/// If the tests run as root, it runs as the user `nobody`. The system ends it when the thread that has started it ends.
final class Server {
  let directory: String
  private let loop: Loop
  private var process: ProcessHandle?

  /// Creates a cluster, starts the server, and waits until it responds.
  init(on loop: Loop) throws {
    self.loop = loop
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/pg-streams-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestError("mkdtemp") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if geteuid() == 0 { chown(directory, 65534, 65534) }
    let initdb = try command(
      "initdb", ["-D", directory + "/data", "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
    let handle = try ProcessHandle(initdb)
    try loop.run(until: "initdb has ended") { handle.status != nil }
    guard handle.status == .exited(0) else { throw TestError("initdb: \(String(describing: handle.status))") }
    try start()
  }

  /// The connection parameters for a client.
  var parameters: String { "host=\(directory) user=tester dbname=postgres" }

  /// Starts the server, at the beginning or after `stop()`.
  func start() throws {
    let process = try ProcessHandle(
      command(
        "postgres",
        [
          "-D", directory + "/data", "-k", directory, "-c", "listen_addresses=", "-c", "fsync=off", "-c",
          "max_connections=10",
        ]))
    process.keepsLoopAlive = false
    self.process = process
    try loop.run(until: "the server answers") { [parameters] in
      process.status != nil || PQping(parameters) == PQPING_OK
    }
    if let status = process.status { throw TestError("postgres has ended: \(status)") }
  }

  /// Stops the server with a fast shutdown, which disconnects the clients.
  func stop() throws {
    guard let process else { return }
    try process.kill(.interrupt)
    process.keepsLoopAlive = true
    try loop.run(until: "the server has ended") { process.status != nil }
    self.process = nil
  }

  /// Stops the server and removes its directory.
  func remove() throws {
    try stop()
    let handle = try ProcessHandle(ProcessCommand("rm", ["-rf", directory]))
    try loop.run(until: "the directory is removed") { handle.status != nil }
  }

  /// Returns the command for a program of PostgreSQL. If the tests run as root, it runs as the user `nobody`, because these
  /// programs refuse to run as root.
  private func command(_ name: String, _ arguments: [String]) throws -> ProcessCommand {
    var matches = glob_t()
    defer { globfree(&matches) }
    // Debian installs the programs of each version in a separate directory.
    guard glob("/usr/lib/postgresql/*/bin/\(name)", 0, nil, &matches) == 0, matches.gl_pathc > 0,
      let last = matches.gl_pathv[Int(matches.gl_pathc) - 1]
    else { throw TestError("\(name) is missing") }
    let identity = geteuid() == 0 ? ["--reuid=65534", "--regid=65534", "--clear-groups"] : []
    var command = ProcessCommand(
      "setpriv", identity + ["--pdeathsig", "QUIT", "--", String(cString: last)] + arguments, directory: directory)
    command.output = .null
    command.errorOutput = .null
    return command
  }
}
