import CurlStreams
import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

/// Holds up the system's resolver in its own process, without the rights and the network of a name server.
///
/// The resolver looks up each name without a dot in the file `HOSTALIASES`. Here this is a pipe: the resolver reads it until its
/// other end is closed.
private final class SilentResolver {
  private let folder: String
  private var path: String { folder + "/aliases" }
  private var writer: Int32 = -1

  init() throws {
    var template = Array("/tmp/curl-streams-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestError("mkdtemp") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard mkfifo(path, 0o600) == 0, setenv("HOSTALIASES", path, 1) == 0 else { throw TestError("mkfifo") }
  }

  /// True once the resolver reads the pipe. It does so until `remove()`.
  var isAsked: Bool {
    // A pipe without a reader cannot be opened.
    if writer < 0 { writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) }
    return writer >= 0
  }

  func remove() {
    close(writer)
    unlink(path)
    rmdir(folder)
  }
}

extension CurlTests {
  @Test
  static func `while its name is resolved, a transfer ends at once: canceled, late, or with its curl`() async throws {
    await #expect(processExitsWith: .success) {
      // Ends this process if curl waits for the resolver, which would take forever.
      alarm(60)
      try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        let resolver = try SilentResolver()
        defer { resolver.remove() }
        let (curl, other) = (Curl(), Curl())
        let canceled = curl.response(CurlRequest("http://headwater-absent/")).record()
        try loop.run(until: "the resolver is asked: \(canceled.events)") {
          resolver.isAsked || canceled.termination != nil
        }
        let closed = other.response(CurlRequest("http://headwater-absent/")).record()
        let request = CurlRequest("http://headwater-absent/", timeout: .milliseconds(50))
        let late = curl.response(request).record()
        try loop.run(until: "the time limit") { late.termination != nil }
        #expect(late.failure?.code == 28, "CURLE_OPERATION_TIMEDOUT")
        canceled.dispose()
        #expect(curl.transferCount == 0 && canceled.events.isEmpty)
        other.close()
        #expect(closed.failure == .closed)
        curl.close()
        #expect(curl.watchedSocketCount == 0 && other.watchedSocketCount == 0)
      }
    }
  }
}
