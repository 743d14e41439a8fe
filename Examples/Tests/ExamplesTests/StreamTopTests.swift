import Foundation
import StreamsTesting
import Testing

/// The example `stream-top`, with the events that a recorded program sends.
@Suite("stream-top") struct StreamTopTests {
  @Test func `what a program did is printed when it has ended`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      let run = try Child("stream-top", [folder.path("socket")])
      let descriptor = try connected(to: folder.path("socket"))
      let events = [
        #"{"ph":"M","name":"thread_name","pid":1,"tid":7,"ts":0,"args":{"name":"main thread"}}"#,
        #"{"ph":"M","name":"process_name","pid":1,"tid":7,"ts":0,"args":{"name":"app"}}"#,
        #"{"ph":"b","id":"1","cat":"subscription","name":"App/Main.swift:3","pid":1,"tid":7,"ts":1.5,"args":{"home":1}}"#,
        #"{"ph":"b","id":"2","cat":"subscription","name":"link","pid":1,"tid":7,"ts":2,"args":{"parent":1}}"#,
        #"{"ph":"B","cat":"element","name":"App/Main.swift:3","pid":1,"tid":7,"ts":10,"args":{"s":1,"v":"\"x\""}}"#,
        #"{"ph":"E","pid":1,"tid":7,"ts":12}"#,
        "not an event",
        #"{"ph":"B","cat":"job","name":"observe(on:)","pid":1,"tid":7,"ts":18,"args":{"waited":30}}"#,
        #"{"ph":"B","cat":"element","name":"App/Main.swift:3","pid":1,"tid":7,"ts":20,"args":{"s":1,"v":"y"}}"#,
        #"{"ph":"E","pid":1,"tid":7,"ts":26}"#,
        #"{"ph":"E","pid":1,"tid":7,"ts":28}"#,
        #"{"ph":"n","id":"1","cat":"state","name":"paused","pid":1,"tid":7,"ts":30}"#,
        #"{"ph":"C","cat":"waiting","name":"Inlet<Int> #3","pid":1,"tid":7,"ts":31,"args":{"waiting":12}}"#,
        #"{"ph":"b","id":"4","cat":"subscription","name":"App/Other.swift:9","pid":1,"tid":7,"ts":40,"args":{"home":1}}"#,
        #"{"ph":"e","id":"4","cat":"subscription","name":"App/Other.swift:9","pid":1,"tid":7,"ts":50,"args":{"how":"completed"}}"#,
      ]
      let bytes = Array(events.joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
      #expect(write(descriptor, bytes, bytes.count) == bytes.count)
      close(descriptor)
      try run.wait(forOutput: "Inlet<Int> #3\n")
      let lines = run.lines.map { $0.split(separator: " ").map(String.init) }
      #expect(lines.first?.joined(separator: " ") == "app: 1 subscription is open, the program has ended")
      let place = try #require(lines.first { $0.last == "App/Main.swift:3" })
      // The rate depends on the time.
      #expect(Array(place.dropFirst()) == ["2", "1", "1", "15", "µs", "4", "µs", "6", "µs", "App/Main.swift:3"])
      let other = try #require(lines.first { $0.last == "App/Other.swift:9" })
      #expect(Array(other.dropFirst()) == ["0", "0", "0", "0", "µs", "0", "µs", "0", "µs", "App/Other.swift:9"])
      #expect(lines.contains(["12", "Inlet<Int>", "#3"]))
      #expect(run.errors == "")
    }
  }

  @Test func `a socket that cannot be used ends it with a message`() async throws {
    try await onOwnThread {
      let run = try Child("stream-top", ["/nowhere/socket"])
      try run.wait(for: "the message") { $0.errors.hasPrefix("stream-top: ") }
    }
  }

  /// Connects when the program listens.
  private func connected(to path: String) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let deadline = ContinuousClock.now + Child.patience
    while true {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      if status == 0 { return descriptor }
      close(descriptor)
      if ContinuousClock.now > deadline {
        Issue.record("the program does not listen")
        throw CancellationError()
      }
      usleep(10_000)
    }
  }
}
