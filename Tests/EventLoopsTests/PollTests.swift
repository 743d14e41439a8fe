import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Poll", .noLiveResources)
struct PollTests {
  /// Calls `body` with the ends of a pipe, and then closes them.
  private static func withPipe<Result>(_ body: (_ read: Int32, _ write: Int32) throws -> Result) throws -> Result {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    return try body(ends[0], ends[1])
  }

  private static func readAll(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = read(descriptor, &bytes, 100)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test func `bits that stand for no event are an error`() async throws {
    let error = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      return try Self.withPipe { input, _ in
        let handle = try PollHandle(descriptor: input)
        defer { handle.dispose() }
        do throws(UVError) {
          try handle.start(PollEvents(rawValue: 16)) { _ in }
          return nil as UVError?
        } catch {
          return error
        }
      }
    }
    #expect(error == UVError(code: -EINVAL, call: "uv_poll_start"))
  }

  @Test func `an element for each turn on which the descriptor is ready; disposal in the callback ends it`()
    async throws
  {
    let texts = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      return try Self.withPipe { input, output in
        var texts: [String] = []
        let bag = DisposeBag()
        let guardian = deadline(loop)
        Operation.poll(input, for: .readable).observeNext { events in
          #expect(events == .readable)
          texts.append(Self.readAll(input))
          if texts.count == 3 { bag.dispose() } else { write(output, "more", 4) }
        }.dispose(in: bag)
        write(output, "first", 5)
        loop.run()
        guardian.dispose()
        return texts
      }
    }
    #expect(texts == ["first", "more", "more"])
  }

  @Test func `pausing stops the watching, resuming starts it again`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      try Self.withPipe { input, output in
        var log: [String] = []
        let subscription = Operation.poll(input, for: .readable).observeNext { _ in
          log.append(Self.readAll(input))
          loop.stop()
        }
        subscription.pause()
        write(output, "one", 3)
        let timer = try TimerHandle()
        timer.start(after: .milliseconds(5)) {
          log.append("paused")
          subscription.resume()
        }
        let guardian = deadline(loop)
        loop.run()
        #expect(log == ["paused", "one"])
        subscription.dispose()
        guardian.dispose()
      }
    }
  }

  @Test func `a descriptor with an error is ready, and reading and writing tell what has happened`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      // A pipe without a reader.
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      close(ends[0])
      var written: [Int32] = []
      // A connection that was reset after it has sent something.
      let listener = try TCPListener(on: .loopback(port: 0))
      var peer: TCPHandle?
      let accepting = listener.connections.observeNext { connection in
        connection.write("last words")
        peer = connection
        loop.stop()
      }
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let status = listener.address.withUnsafeBytes {
        connect(client, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
      }
      #expect(status == 0)
      loop.run()
      var first: UInt8 = 0
      #expect(recv(client, &first, 1, Int32(MSG_PEEK)) == 1)
      peer?.reset()
      var received: [String] = []
      let writing = Operation.poll(ends[1], for: .writable).observe(
        next: { events in
          #expect(events == .writable)
          written.append(write(ends[1], "x", 1) < 0 ? errno : 0)
          if written.count == 2 { loop.stop() }
        }, termination: { Issue.record("\($0)") }
      )
      loop.run()
      writing.dispose()
      let reading = Operation.poll(client, for: .readable).observe(
        next: { _ in
          let text = Self.readAll(client)
          received.append(text.isEmpty ? String(cString: strerror(errno)) : text)
          if text.isEmpty { loop.stop() }
        }, termination: { Issue.record("\($0)") }
      )
      loop.run()
      reading.dispose()
      #expect(written == [EPIPE, EPIPE])
      #expect(received == ["last words", "Connection reset by peer"])
      accepting.dispose()
      listener.dispose()
      for descriptor in [ends[1], client] { close(descriptor) }
      guardian.dispose()
      loop.run()
    }
  }

  @Test func `a descriptor with an error can be closed in the callback, or when another handle has gone`() async throws
  {
    let log = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var log: [String] = []
      /// The writing end of a pipe without a reader.
      func brokenPipe() -> Int32 {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        return ends[1]
      }
      let first = brokenPipe()
      let polling = Operation.poll(first, for: .writable).observe(
        next: { _ in
          log.append("ready")
          close(first)
        }, termination: { log.append("\($0)") })
      loop.run()
      polling.dispose()
      // More watches than a driver looks at before each wait.
      let driver = try LibraryDriver()
      var others: [Int32] = []
      driver.start(ready: { descriptor, _ in
        if !others.contains(descriptor) { return }
        close(descriptor)
        others.removeAll { $0 == descriptor }
        if others.isEmpty { loop.stop() }
      })
      try driver.during {
        for _ in 0..<100 {
          let descriptor = brokenPipe()
          others.append(descriptor)
          try driver.watch(descriptor, for: .writable)
        }
      }
      loop.run()
      driver.close()
      let second = brokenPipe()
      let handle = try PollHandle(descriptor: second)
      let other = try PollHandle(descriptor: second)
      try handle.start(.writable) { result in
        log.append("\(result)")
        loop.stop()
      }
      loop.run()
      other.dispose()
      close(second)
      loop.run()
      handle.dispose()
      guardian.dispose()
      loop.run()
      return log
    }
    #expect(log.first == "ready" && log.count >= 3, "\(log)")
    #expect(log.contains { $0.contains("EBADF") } && log.contains { $0.contains("success") }, "\(log)")
  }

  @Test func `a descriptor that cannot be watched fails, once, with the system's error`() async throws {
    let errors = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var errors: [UVError] = []
      let file = open("/proc/self/exe", O_RDONLY)
      defer { close(file) }
      for descriptor in [file, -1] {
        _ = Operation.poll(descriptor, for: .readable).observe(
          next: { _ in }, termination: { if let error = $0.failure { errors.append(error) } })
      }
      loop.run()
      return errors
    }
    #expect(errors.map(\.name) == ["EPERM", "EBADF"])
    #expect(errors[0].description == "uv_poll_init: operation not permitted (EPERM)")
  }

  @Test func `a second handle for a descriptor cannot start, and does not stop the first when it closes`() async throws
  {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      try Self.withPipe { input, output in
        let guardian = deadline(loop)
        let first = try PollHandle(descriptor: input)
        let second = try PollHandle(descriptor: input)
        let third = try PollHandle(descriptor: input)
        func expectText(_ text: String, from handle: PollHandle) throws {
          try handle.start(.readable) { _ in
            #expect(Self.readAll(input) == text)
            loop.stop()
          }
        }
        try expectText("first", from: first)
        // The first descriptor is in epoll only after the loop has polled.
        _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(1)))
        #expect(throws: UVError.self) { try second.start(.readable) { _ in } }
        second.stop()
        second.dispose()
        write(output, "first", 5)
        loop.run()
        first.stop()
        try expectText("third", from: third)
        _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(1)))
        first.dispose()
        write(output, "third", 5)
        loop.run()
        third.dispose()
        #expect(!guardian.isDisposed)
        guardian.dispose()
      }
    }
  }
}
