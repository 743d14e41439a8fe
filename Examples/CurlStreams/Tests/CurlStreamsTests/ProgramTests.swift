import CurlStreams
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

extension CurlTests {
  @Test
  static func `the program fetches all addresses at once, and says what came of each`() async throws {
    try await withServer { loop, server, _ in
      let urls = ["/size/1000", "/absent", "/short"].map { server.url($0) }
      let program = try Program("curl-many", urls)
      try loop.run(until: "it has ended") { program.process.status != nil }
      #expect(program.process.status == .exited(0))
      #expect(server.peak == 3)
      let lines = Set(program.output.split(separator: "\n").map(String.init))
      #expect(lines.contains("\(urls[0]): 200, 1000 bytes"))
      #expect(lines.contains("\(urls[1]): 404, 0 bytes"))
      #expect(lines.contains { $0.hasPrefix("\(urls[2]): ") && $0.hasSuffix("(18)") })
    }
  }
}
