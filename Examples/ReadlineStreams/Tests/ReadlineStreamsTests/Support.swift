import EventLoops
import Glibc
import StreamsTesting
import Testing

/// All tests of readline. They run serially, because readline is global to the process.
@Suite("Readline", .serialized, .noLiveResources)
enum ReadlineTests {
  /// Makes readline ignore the user's settings and type of terminal.
  static let plainSettings: Void = {
    setenv("INPUTRC", "/dev/null", 1)
    setenv("TERM", "dumb", 1)
  }()
}

/// Runs `body` on a thread with a loop. If the loop still runs after two minutes, stops it and records an issue.
func onLoop<Result: Sendable>(_ body: @escaping @Sendable (Loop) throws -> Result) async throws -> Result {
  try await onOwnThread {
    ReadlineTests.plainSettings
    let loop = Loop()
    defer { loop.shutdown() }
    let deadline = try TimerHandle(on: loop)
    deadline.keepsLoopAlive = false
    deadline.start(after: .seconds(120)) {
      Issue.record("what the test waits for has not come within two minutes")
      loop.stop()
    }
    return try body(loop)
  }
}

/// A pipe from which an editor reads lines. Its writing end is closed once.
final class Pipe {
  let input: Int32
  private var output: Int32

  init() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    (input, output) = (ends[0], ends[1])
  }

  deinit {
    end()
    close(input)
  }

  func write(_ text: String) { #expect(Glibc.write(output, text, text.utf8.count) == text.utf8.count) }

  /// Closes the writing end.
  func end() {
    if output >= 0 { close(output) }
    output = -1
  }

  /// The bytes that have not been read, up to 4,096.
  var rest: String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    var ready = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 0) == 1 else { return "" }
    let count = read(input, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

/// A descriptor that discards all output.
final class Nowhere {
  let descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC)
  deinit { close(descriptor) }
}

/// A pseudoterminal. The test types on one side, and readline uses the other.
final class Terminal {
  private let keyboard: Int32
  /// The side that readline uses.
  let descriptor: Int32
  private var bytes: [UInt8] = []

  init() throws {
    keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN. Swift does not import the C functions that use them.
    var lock: Int32 = 0
    var number: UInt32 = 0
    try #require(ioctl(keyboard, 0x4004_5431, &lock) == 0 && ioctl(keyboard, 0x8004_5430, &number) == 0)
    descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(descriptor >= 0)
  }

  deinit {
    close(descriptor)
    close(keyboard)
  }

  /// Types `keys`.
  func type(_ keys: String) { #expect(write(keyboard, keys, keys.utf8.count) == keys.utf8.count) }

  /// The output so far.
  var screen: String {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(keyboard, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// True if the terminal is in canonical mode and echoes its input.
  var isCooked: Bool {
    // TCGETS with the structure of the kernel, whose fourth word contains the local flags.
    var settings = [UInt32](repeating: 0, count: 16)
    #expect(ioctl(descriptor, 0x5401, &settings) == 0)
    let canonicalAndEcho: UInt32 = 0o12
    return settings[3] & canonicalAndEcho == canonicalAndEcho
  }
}
