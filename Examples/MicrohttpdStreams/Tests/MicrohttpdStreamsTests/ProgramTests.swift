import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

/// A program from the directory of the tests. It writes its output and its messages to a temporary file.
private final class Program {
  let process: ProcessHandle
  private let file: UnsafeMutablePointer<FILE>

  init(_ name: String, _ arguments: [String]) throws {
    guard let file = tmpfile() else { throw TestError("tmpfile") }
    self.file = file
    var path = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &path, path.count)
    let tests = String(decoding: path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = tests.prefix(through: tests.lastIndex(of: "/") ?? tests.startIndex)
    // The program's globals live until it exits. The leak checker cannot follow the packed pointers of weakly referenced objects,
    // so it would report them.
    var command = ProcessCommand("env", ["ASAN_OPTIONS=detect_leaks=0", folder + name] + arguments)
    command.output = .descriptor(fileno(file))
    command.errorOutput = .descriptor(fileno(file))
    process = try ProcessHandle(command)
  }

  deinit { fclose(file) }

  /// The output and the messages so far.
  var output: String {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = pread(fileno(file), &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

extension ServerTests {
  @Test
  static func `the program greets curl, and ends when it is told to`() async throws {
    try await withLoop { loop in
      let program = try Program("hello-http", ["0"])
      try loop.run(until: "it listens") { program.output.hasSuffix("\n") }
      let port = program.output.split(separator: " ").last.map { $0.dropLast() } ?? ""
      let clients = try ["world", "you"].map { name in
        var command = ProcessCommand("curl", ["-sf", "http://localhost:\(port)/\(name)"])
        command.output = .null
        return try ProcessHandle(command)
      }
      try loop.run(until: "the clients have ended") { clients.allSatisfy { $0.status != nil } }
      try program.process.kill()
      try loop.run(until: "it has ended") { program.process.status != nil }
      #expect(program.process.status == .exited(0))
      #expect(clients.allSatisfy { $0.status == .exited(0) })
      #expect(Set(program.output.split(separator: "\n").dropFirst()) == ["GET /world", "GET /you"])
    }
  }
}
