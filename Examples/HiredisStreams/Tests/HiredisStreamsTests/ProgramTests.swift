import EventLoops
import Glibc
import HiredisStreams
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

extension RedisTests {
  @Test
  static func
    `the program prints what is published, connects again when the server comes back, and ends with Control-C`()
    async throws
  {
    try await withServer { loop, server in
      let program = try Program("redis-listen", [server.path, "news", "other"])
      func say(_ channel: String, _ text: String) throws {
        let sender = try loop.first(.redis(path: server.path))
        try loop.wait(for: 1, subscribedTo: channel, sender)
        _ = try loop.first(sender.command("PUBLISH", channel, text))
        try loop.run(until: "\(text) is printed in \(program.output)") {
          program.output.contains("\(channel): \(text)\n")
        }
        sender.close()
      }
      try say("news", "one")
      try server.kill()
      try loop.run(until: "it tries again") { program.output.contains("trying again") }
      try server.start()
      try say("other", "two")
      try program.process.kill(.interrupt)
      try loop.run(until: "it has ended") { program.process.status != nil }
      #expect(program.process.status == .exited(0))
    }
  }
}
