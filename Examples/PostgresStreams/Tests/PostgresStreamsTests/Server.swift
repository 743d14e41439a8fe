import CPostgres
import EventLoops
import Glibc
import Streams
import StreamsTesting

/// A PostgreSQL server of the test's own: a cluster in a directory of its own, reached through a socket there, and by no
/// network. It runs as nobody where the tests are root's, and dies with the thread that starts it.
final class Server {
  let directory: String
  private let loop: Loop
  private var process: ProcessHandle?

  /// Makes a cluster, starts it and waits until it answers.
  init(on loop: Loop) throws {
    self.loop = loop
    var template = Array("/tmp/pg-streams-XXXXXX".utf8CString)
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

  /// What a client connects with.
  var parameters: String { "host=\(directory) user=tester dbname=postgres" }

  /// Starts it, also again.
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

  /// Stops it as an administrator does: clients are sent away at once.
  func stop() throws {
    guard let process else { return }
    try process.kill(.interrupt)
    process.keepsLoopAlive = true
    try loop.run(until: "the server has ended") { process.status != nil }
    self.process = nil
  }

  /// Stops it and removes what it had.
  func remove() throws {
    try stop()
    let handle = try ProcessHandle(ProcessCommand("rm", ["-rf", directory]))
    try loop.run(until: "the directory is removed") { handle.status != nil }
  }

  /// A program of the server's, as somebody who may run it.
  private func command(_ name: String, _ arguments: [String]) throws -> ProcessCommand {
    var matches = glob_t()
    defer { globfree(&matches) }
    // Debian has the programs of each version in a directory of its own.
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
