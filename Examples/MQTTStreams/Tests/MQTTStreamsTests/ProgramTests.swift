import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import MQTTStreams

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

extension MQTTTests {
  @Test
  static func `the program prints what is published, as much as it is asked for`() async throws {
    try await onLoop { loop in
      let broker = try Broker(on: loop)
      defer { try? broker.remove() }
      let program = try Program("mqtt-lines", ["watch", "127.0.0.1", "\(broker.port)", "news/#", "2"])
      // The broker retains the messages, so the program can subscribe before or after they are published.
      let published = Stream.sequence(["one", "two"])
        .map { MQTTMessage("news/\($0)", $0, isRetained: true) }
        .publish(to: broker.address())
        .record()
      try loop.run(until: "it has ended") { program.process.status != nil && published.termination != nil }
      #expect(program.process.status == .exited(0))
      #expect(Set(program.output.split(separator: "\n")) == ["news/one: one", "news/two: two"])
    }
  }
}
