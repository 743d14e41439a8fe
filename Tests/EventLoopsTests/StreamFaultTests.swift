import CUV
import Glibc
import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

@Suite("Byte streams: faults", .noLiveResources)
struct StreamFaultTests {
  @Test
  func `a reset in the middle of a write: the reader, the writer and each operation are told, once, with the address`()
    async throws
  {
    let log = try await withLoop { loop, bag in
      var log: [String] = []
      var peer = ""
      let descriptor = try plainPeer(
        { connection in
          peer = (try? connection.remoteAddress().description) ?? ""
          // A small buffer, so that the system cannot take everything, whatever its limits.
          try? connection.setSendBufferSize(65_536)
          connection.bytes.observeFailed { log.append("read \($0.name) \($0.path == peer)") }.dispose(in: bag)
          connection.readiness.observeFailed { log.append("ready \($0.name) \($0.path == peer)") }.dispose(in: bag)
          for index in 0..<3 {
            connection.writing(Bytes(repeating: 1, count: 20_000_000)).observe(
              next: { log.append("written") },
              termination: { log.append("\(index) \($0.failure?.name ?? "-") \($0.failure?.path == peer)") }
            ).dispose(in: bag)
          }
          #expect(connection.isFull)
        }, on: loop)
      closeWithReset(descriptor)
      // The connection closes by itself.
      loop.run()
      return log
    }
    let names = ["0 ECONNRESET true", "1 ECONNRESET true", "2 ECONNRESET true", "ready ECONNRESET true"]
    #expect(log.filter { !$0.hasPrefix("read E") } == names)
    #expect(log.contains("read ECONNRESET true"))
    #expect(log.count == 5)
  }

  // Runs in its own process, because the failure that it looks for is a crash.
  @Test
  func `a reset while the word to the other side is under way: the request stays libuv's until libuv has answered it`()
    async
  {
    await #expect(processExitsWith: .success) {
      let log = try await withLoop { loop, bag in
        var log: [String] = []
        var accepted: TCPHandle?
        let descriptor = try plainPeer({ accepted = $0 }, on: loop)
        let connection = try #require(accepted)
        let (near, far) = try connectedPair(loop)
        let size = MemoryLayout<uv_shutdown_t>.size
        var blocks: [UnsafeMutableRawPointer] = []
        defer { for block in blocks { block.deallocate() } }
        // Both sockets are ready in the same loop iteration, this one first.
        near.bytes.observeNext { _ in
          connection.finishing().observeFailed {
            log.append("finishing \($0.name)")
            // Takes the memory of the request if it has been freed.
            for _ in 0..<8 {
              blocks.append(.allocate(byteCount: size, alignment: 1))
              memset(blocks[blocks.count - 1], 0xA5, size)
            }
          }.dispose(in: bag)
          near.dispose()
          far.dispose()
        }.dispose(in: bag)
        connection.bytes.observeFailed { log.append("read \($0.name)") }.dispose(in: bag)
        far.write("now")
        closeWithReset(descriptor)
        loop.run()
        return log
      }
      precondition(log == ["finishing ECONNRESET", "read ECONNRESET"], "\(log)")
    }
  }

  @Test func `what is written to a connection that has failed fails at once, and does not grow its queue`() async throws
  {
    let log = try await withLoop { loop, bag in
      var log: [String] = []
      let descriptor = try plainPeer(
        { connection in
          connection.readiness.observeFailed { error in
            log.append("ready \(error.name)")
            connection.write("dropped")
            connection.writing("refused").observeFailed { log.append("writing \($0.name)") }.dispose(in: bag)
            connection.finishing().observeFailed { log.append("finishing \($0.name)") }.dispose(in: bag)
            #expect(throws: UVError.self) { try connection.tryWrite(Bytes("no").rawSpan) }
            // A loop that writes until the queue is full ends.
            #expect(connection.queuedBytes == 0 && connection.isFull)
            connection.close()
          }.dispose(in: bag)
          try? connection.setSendBufferSize(65_536)
          connection.write(Bytes(repeating: 1, count: 20_000_000))
        }, on: loop)
      closeWithReset(descriptor)
      loop.run()
      return log
    }
    #expect(log.count == 3)
    #expect(log.allSatisfy { $0.hasSuffix("ECONNRESET") || $0.hasSuffix("EPIPE") })
  }

  @Test func `a peer that never reads: the writer waits, others go on, and disposal ends it`() async throws {
    let events = try await withLoop { loop, bag in
      var events: [String] = []
      var slow: TCPHandle?
      let descriptor = try plainPeer({ slow = $0 }, on: loop)
      let connection = try #require(slow)
      connection.writing(Bytes(repeating: 1, count: 20_000_000)).observe(
        next: { events.append("written") }, termination: { events.append($0.failure?.name ?? "-") }
      ).dispose(in: bag)
      let (near, far) = try connectedPair(loop)
      far.bytes.pipe(to: far).observe { _ in }.dispose(in: bag)
      near.write("ping")
      near.bytes.observeNext {
        events.append(String($0))
        near.close()
        // It cannot close gracefully.
        connection.close()
        #expect(!connection.isDisposed)
        connection.dispose()
      }.dispose(in: bag)
      loop.run()
      close(descriptor)
      return events
    }
    #expect(events == ["ping", "ECANCELED"])
  }

  @Test(arguments: 0..<8)
  func `disposal from inside of every callback of a connection`(_ kind: Int) async throws {
    try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      var calls = 0
      func end() {
        calls += 1
        near.dispose()
        near.dispose()
        near.close()
        near.finish()
        near.reset()
      }
      final class Reader: ByteReader {
        let call: () -> Void
        init(_ call: @escaping () -> Void) { self.call = call }
        override func received(_ bytes: RawSpan) { call() }
      }
      let large = Bytes(repeating: 7, count: 20_000_000)
      switch kind {
      case 0: near.bytes.observeNext { _ in end() }.dispose(in: bag)
      case 1: near.bytes.observe(next: { _ in }, termination: { _ in end() }).dispose(in: bag)
      case 2: near.startReading(Reader(end))
      case 3: near.writing(large).observe { _ in end() }.dispose(in: bag)
      case 4:
        near.readiness.observeNext { end() }.dispose(in: bag)
        near.write(large)
      case 5: near.finishing().observe { _ in end() }.dispose(in: bag)
      case 6: near.onClosed { end() }
      default:
        near.bytes.lines().take(1).observe { _ in end() }.dispose(in: bag)
      }
      if kind == 6 { near.dispose() }
      far.bytes.observe(next: { _ in }, termination: { _ in far.dispose() }).dispose(in: bag)
      far.write("some bytes\n")
      if kind == 1 { far.finish() }
      loop.run()
      #expect(calls > 0)
      #expect(near.isDisposed && far.isDisposed)
    }
  }

  @Test func `a second observer is refused, and the first goes on; afterwards another may come`() async throws {
    let log = try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      var log: [String] = []
      let first = near.bytes.observeNext {
        log.append("first \($0)")
        loop.stop()
      }
      near.bytes.observeFailed { log.append("second \($0.name)") }.dispose(in: bag)
      far.write("one")
      loop.run()
      first.dispose()
      far.write("two")
      far.finish()
      near.bytes.observe(next: { log.append("third \($0)") }, termination: { log.append("third \($0)") }).dispose(
        in: bag)
      near.finish()
      loop.run()
      near.bytes.observe { log.append("late \($0.isTermination)") }.dispose(in: bag)
      return log
    }
    #expect(log == ["second EBUSY", "first one", "third two", "third completed", "late true"])
  }

  @Test func `a reader hands over to another from inside of its own call`() async throws {
    let log = try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      var log: [String] = []
      let first = SerialDisposable()
      first.inner = near.bytes.observeNext { bytes in
        log.append("first \(bytes)")
        first.dispose()
        near.bytes.observe(
          next: {
            log.append("second \($0)")
            far.finish()
          },
          termination: { _ in
            log.append("end")
            near.finish()
          }
        ).dispose(in: bag)
        far.write("b")
      }
      far.write("a")
      far.bytes.observe { _ in }.dispose(in: bag)
      loop.run()
      return log
    }
    #expect(log == ["first a", "second b", "end"])
  }

  @Test func `pausing stops reading: nothing comes until it is taken back`() async throws {
    let log = try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      var log: [String] = []
      let subscription = near.bytes.observe(
        next: { log.append(String($0)) },
        termination: { _ in
          log.append("end")
          near.finish()
        })
      subscription.dispose(in: bag)
      subscription.pause()
      far.write("while paused")
      far.finish()
      far.bytes.observe { _ in }.dispose(in: bag)
      let timer = try TimerHandle()
      timer.start(after: .milliseconds(20)) {
        log.append("resumed")
        subscription.resume()
        timer.dispose()
      }
      loop.run()
      return log
    }
    #expect(log == ["resumed", "while paused", "end"])
  }

  @Test func `a loop that is shut down with everything in flight: each is told once, and nothing is left`() async throws
  {
    let log: [String] = try await onOwnThread {
      var log: [String] = []
      let loop = Loop()
      let bag = DisposeBag()
      let (near, far) = try connectedPair(loop)
      let listener = try TCPListener(on: .loopback(port: 0))
      listener.connections.observeFailed { log.append("accept \($0.name)") }.dispose(in: bag)
      // The address does not answer, so the attempt stays in progress.
      Operation.connect(to: try SocketAddress("192.0.2.1:9")).observe { log.append("connect \($0)") }.dispose(in: bag)
      near.bytes.observeFailed { log.append("read \($0.name)") }.dispose(in: bag)
      near.writing(Bytes(repeating: 1, count: 20_000_000)).observeFailed { log.append("write \($0.name)") }
        .dispose(in: bag)
      near.readiness.observeFailed { log.append("ready \($0.name)") }.dispose(in: bag)
      near.finishing().observeFailed { log.append("finish \($0.name)") }.dispose(in: bag)
      _ = far
      loop.shutdown()
      bag.dispose()
      return log
    }
    let told = log.filter { !$0.hasPrefix("connect") }.sorted()
    #expect(told == ["accept ECANCELED", "finish ECANCELED", "read ECANCELED", "ready ECANCELED", "write ECANCELED"])
  }

  @Test func `disposal while connecting gives up silently`() async throws {
    try await withLoop { loop, bag in
      for _ in 0..<10 {
        let listener = try TCPListener(on: .loopback(port: 0))
        let subscription = Operation.connect(to: listener.address).observe { _ in Issue.record("told something") }
        subscription.dispose()
        listener.dispose()
      }
      loop.run()
    }
  }

  @Test func `what is written after finish() is dropped and reported; writing says EPIPE`() async throws {
    let (reports, error) = try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      near.finish()
      near.finish()
      var error: UVError?
      let reports = captureDiagnostics {
        near.write("late")
        near.writing("late").observeFailed { error = $0 }.dispose(in: bag)
      }
      far.bytes.observe(next: { _ in Issue.record("got it") }, termination: { _ in far.close() }).dispose(in: bag)
      near.bytes.observe { _ in }.dispose(in: bag)
      loop.run()
      return (reports, error)
    }
    #expect(reports.count == 1 && reports[0].hasPrefix("A write after finish() was dropped"))
    #expect(error?.name == "EPIPE")
  }

  @Test func `reset() is seen as a reset by the other side`() async throws {
    let name = try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      var name = ""
      far.bytes.observeFailed { name = $0.name }.dispose(in: bag)
      near.reset()
      loop.run()
      return name
    }
    #expect(name == "ECONNRESET")
  }

  @Test(arguments: 0..<4)
  func `random operations on many connections: no crash, no completion lost, nothing left`(_ seed: Int) async throws {
    try await withLoop { loop, bag in
      var random = SeededGenerator(UInt64(seed + 100))
      var asked = 0
      var told = 0
      for _ in 0..<40 {
        let (near, far) = try connectedPair(loop)
        let handles = [near, far]
        func act(_ handle: TCPHandle, _ depth: Int) {
          switch Int.random(in: 0..<9, using: &random) {
          case 0...2:
            asked += 1
            handle.writing(Bytes(repeating: 1, count: Int.random(in: 0..<300_000, using: &random))).observe(
              next: {},
              termination: { _ in
                told += 1
                if depth < 6 { act(handle, depth + 1) }
              }
            ).dispose(in: bag)
          case 3:
            handle.bytes.observe(
              next: { _ in if Int.random(in: 0..<10, using: &random) == 0, depth < 6 { act(handle, depth + 1) } },
              termination: { _ in if depth < 6 { act(handle, depth + 1) } }
            ).dispose(in: bag)
          case 4:
            asked += 1
            handle.finishing().observe(next: {}, termination: { _ in told += 1 }).dispose(in: bag)
          case 5: handle.finish()
          case 6: handle.close()
          case 7: if depth > 0 { handle.dispose() }
          default: if depth > 2 { handle.reset() }
          }
        }
        for _ in 0..<8 { for handle in handles { act(handle, 0) } }
        // All handles end now, whatever their state.
        let timer = try TimerHandle()
        timer.start(after: .milliseconds(5)) {
          for handle in handles { handle.dispose() }
          timer.dispose()
        }
      }
      loop.run()
      #expect(asked > 100 && asked == told)
    }
  }

  @Test(arguments: ["write", "read", "resume"])
  func `a reset of an idle connection shows with the next read or write`(_ action: String) async throws {
    let log = try await withLoop { loop, bag in
      var log: [String] = []
      var near: TCPHandle?
      let peer = try plainPeer({ near = $0 }, on: loop)
      let connection = try #require(near)
      connection.readiness.observeFailed { log.append("ready \($0.name)") }.dispose(in: bag)
      let reader = connection.bytes.observe { _ in }
      if action == "resume" { reader.pause() } else { reader.dispose() }
      closeWithReset(peer)
      // Waits until the system knows of the reset.
      var state = pollfd(fd: try connection.descriptor(), events: 0, revents: 0)
      #expect(poll(&state, 1, -1) == 1 && !connection.isDisposed)
      loop.run()
      #expect(log == [] && !connection.isDisposed)
      if action == "write" { connection.write("x") }
      if action == "read" { connection.bytes.observe { _ in }.dispose(in: bag) }
      reader.resume()
      loop.run()
      return log
    }
    #expect(log == ["ready ECONNRESET"] || (action == "write" && log == ["ready EPIPE"]))
  }
}
