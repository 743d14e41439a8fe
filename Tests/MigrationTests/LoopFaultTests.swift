import Glibc
import Headwater
import StreamsTesting
import Testing

/// Situations in which event loops have lost callbacks, called back too often, or never ended. Each test has a loop of its own.
@Suite(.noLiveResources) struct LoopFaultTests {
  /// Runs `body`, then the loop until nothing keeps it alive, on a thread of its own. Returns what `body` has logged until then.
  private static func log(
    _ body: @escaping @Sendable (Log, DisposeBag) throws -> Void
  ) async throws -> [String] {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let (log, bag) = (Log(), DisposeBag())
      try body(log, bag)
      loop.run()
      bag.dispose()
      return log.lines
    }
  }

  /// What a test has seen.
  final class Log {
    fileprivate(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
  }

  /// A connection to a listener that closes after it, and the peer that the listener has accepted.
  private static func pair(_ bag: DisposeBag, _ use: @escaping (TCPHandle, TCPHandle) -> Void) throws {
    let listener = try TCPListener(on: .loopback(port: 0))
    listener.connections.take(1).zip(with: Operation.connect(to: listener.address)).observe { event in
      if let (peer, connection) = event.element { use(connection, peer) }
      if event.isTermination { listener.dispose() }
    }.dispose(in: bag)
  }

  @Test func `no deadline is served early, whatever its fraction of a millisecond`() async throws {
    let early = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let bag = DisposeBag()
      var (early, left) = (0, 60)
      func next() {
        guard left > 0 else { return }
        left -= 1
        let delay = Duration.microseconds(left * 37 % 2_000)
        let start = Machine.monotonicTime
        Stream.timer((), after: delay).observeNext {
          if Machine.monotonicTime - start < delay { early += 1 }
          next()
        }.dispose(in: bag)
      }
      next()
      loop.run()
      return early
    }
    #expect(early == 0)
  }

  @Test func `a deadline that is requested after a long callback counts from its request`() async throws {
    let waits = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let bag = DisposeBag()
      var waits: [Duration] = []
      let (outer, inner) = (try TimerHandle(), try TimerHandle())
      outer.start(after: .milliseconds(1)) {
        // The loop knows the time at which this iteration began: the callback makes that time old.
        let start = Machine.monotonicTime
        while Machine.monotonicTime - start < .milliseconds(20) {}
        let request = Machine.monotonicTime
        inner.start(after: .milliseconds(10)) {
          waits.append(Machine.monotonicTime - request)
          inner.dispose()
        }
        Stream.timer((), after: .milliseconds(10)).observeNext { waits.append(Machine.monotonicTime - request) }
          .dispose(in: bag)
        outer.dispose()
      }
      loop.run()
      return waits
    }
    #expect(waits.count == 2 && waits.allSatisfy { $0 >= .milliseconds(9) })
  }

  @Test(arguments: [true, false])
  func `a timer of one kind is not late because a callback of the other kind took long`(_ isHandleLong: Bool)
    async throws
  {
    let least = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var least = Duration.seconds(1)
      // A busy machine can make each late. The fault made each at least 15 ms late.
      for _ in 0..<50 where least > .milliseconds(8) {
        let (bag, start) = (DisposeBag(), Machine.monotonicTime)
        func takeLong() { while Machine.monotonicTime - start < .milliseconds(17) {} }
        func come() { least = min(least, Machine.monotonicTime - start - .milliseconds(20)) }
        let handle = try TimerHandle()
        handle.start(after: .milliseconds(isHandleLong ? 1 : 20)) {
          if isHandleLong { takeLong() } else { come() }
          handle.dispose()
        }
        Stream.timer((), after: .milliseconds(isHandleLong ? 20 : 1)).observeNext {
          if isHandleLong { come() } else { takeLong() }
        }.dispose(in: bag)
        loop.run()
      }
      return least
    }
    #expect(least <= .milliseconds(8))
  }

  @Test func `an interval does not make up for the multiples that a long observer has missed`() async throws {
    let times = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let start = Machine.monotonicTime
      var times: [Duration] = []
      let subscription = Stream.interval(.milliseconds(10)).take(4).observeNext { tick in
        times.append(Machine.monotonicTime - start)
        if tick == 0 { while Machine.monotonicTime - start < .milliseconds(55) {} }
      }
      loop.run()
      subscription.dispose()
      return times
    }
    #expect(times.count == 4)
    #expect(
      zip(times.dropFirst(), 0...).allSatisfy { $0 >= .milliseconds(60 + 10 * $1) }, "one for each multiple, no burst")
  }

  @Test func `a timer that is disposed in its own callback is not called again, even if it is started again`()
    async throws
  {
    let lines = try await Self.log { log, _ in
      let timer = try TimerHandle()
      timer.start(after: .zero, every: .milliseconds(1)) {
        log.add("timer")
        timer.dispose()
        timer.start(after: .zero) { log.add("started after its disposal") }
        timer.stop()
        timer.dispose()
      }
      timer.onClosed { log.add("closed") }
    }
    #expect(lines == ["timer", "closed"])
  }

  @Test func `a connection attempt that is disposed at once reports nothing and ends`() async throws {
    let lines = try await Self.log { log, _ in
      let listener = try TCPListener(on: .loopback(port: 0))
      for _ in 0..<20 { Operation.connect(to: listener.address).observe { log.add("\($0)") }.dispose() }
      listener.dispose()
    }
    #expect(lines == [])
  }

  @Test func `a connection that is closed as soon as it exists delivers each end once, the close last`() async throws {
    let lines = try await Self.log { log, bag in
      let listener = try TCPListener(on: .loopback(port: 0))
      listener.connections.observeNext { $0.finish() }.dispose(in: bag)
      Operation.connect(to: listener.address).observe { event in
        log.add(event.isCompletion ? "completed" : "connected")
        guard let connection = event.element else { return }
        connection.bytes.observeFailed { log.add("bytes: \($0.name)") }.dispose(in: bag)
        connection.onClosed { log.add("closed") }
        for _ in 0..<2 { connection.dispose() }
        connection.write("late")
        connection.finish()
        connection.close()
        listener.dispose()
      }.dispose(in: bag)
    }
    #expect(lines == ["connected", "completed", "bytes: ECANCELED", "closed"])
  }

  @Test func `a write before the end reaches the peer, and the loop ends`() async throws {
    let lines = try await Self.log { log, bag in
      try Self.pair(bag) { connection, peer in
        peer.bytes.collect().map { String(Bytes(joining: $0)) }.observe { log.add("\($0)") }.dispose(in: bag)
        peer.finish()
        connection.bytes.observeCompleted {
          connection.write("hello")
          connection.finish()
        }.dispose(in: bag)
      }
    }
    #expect(lines == ["next(hello)", "completed"])
  }

  @Test func `writes that are under way fail once when their connection is disposed`() async throws {
    let lines = try await Self.log { log, bag in
      try Self.pair(bag) { connection, peer in
        connection.writing("small").observe { log.add("small \($0.isFailure)") }.dispose(in: bag)
        // More than the system buffers, and the peer does not read.
        for number in 0..<2 {
          connection.writing(Bytes(repeating: 1, count: 20_000_000)).observe {
            log.add("\(number) \($0.error?.name ?? "")")
          }
          .dispose(in: bag)
        }
        connection.dispose()
        peer.dispose()
      }
    }
    #expect(lines.filter { $0.hasPrefix("small") } == ["small false", "small false"])
    #expect(lines.filter { !$0.hasPrefix("small") } == ["0 ECANCELED", "1 ECANCELED"])
  }

  @Test func `a write to a peer that has reset fails and does not end the program`() async throws {
    let lines = try await Self.log { log, bag in
      try Self.pair(bag) { connection, peer in
        peer.onClosed {
          for _ in 0..<2 { connection.writing("a").observeFailed { log.add($0.name) }.dispose(in: bag) }
        }
        peer.reset()
      }
    }
    #expect(lines.count == 2 && lines.allSatisfy { $0 == "ECONNRESET" || $0 == "EPIPE" })
  }

  @Test func `a half that the peer has closed does not wake the loop while the other half waits`() async throws {
    let turns = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let bag = DisposeBag()
      var turns = 0
      Operation.afterPolling().observe { _ in turns += 1 }.dispose(in: bag)
      var counts: [Int] = []
      try Self.pair(bag) { connection, peer in
        connection.finish()
        peer.write(Bytes(repeating: 1, count: 20_000_000))
        peer.bytes.observeCompleted {
          // The peer's queue is full, and its reading half has ended: nothing is to be done until somebody reads.
          let before = turns
          Stream.timer((), after: .milliseconds(50)).observeNext {
            counts.append(turns - before)
            connection.dispose()
            peer.dispose()
          }.dispose(in: bag)
        }.dispose(in: bag)
      }
      loop.run()
      return counts
    }
    #expect(turns.count == 1 && turns.allSatisfy { $0 < 20 })
  }

  @Test func `a connection that arrives while its listener closes ends`() async throws {
    let lines = try await Self.log { log, bag in
      for round in 0..<40 {
        let listener = try TCPListener(on: .loopback(port: 0))
        if round % 2 == 0 { listener.connections.observeNext { $0.dispose() }.dispose(in: bag) }
        Operation.connect(to: listener.address).flatMap(.merge) { $0.bytes }.observe { event in
          if event.isTermination { log.add("end") }
        }.dispose(in: bag)
        if round % 3 == 0 {
          listener.dispose()
        } else {
          Stream.timer((), after: .zero).observeNext { listener.dispose() }.dispose(in: bag)
        }
      }
    }
    #expect(lines.count == 40)
  }

  @Test func `a job for a queue that has shut down is refused, and released at once`() async throws {
    final class Held: Sendable {
      let onEnd: @Sendable () -> Void
      init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
      deinit { onEnd() }
    }
    let released = Lock(0)
    let answers = try await onOwnThread {
      let queue = Queue(label: "closed")
      queue.shutdown()
      let held = Held { released.withLock { $0 += 1 } }
      let answers = [queue.async { _ = held }, queue.post { _ = held }, queue.after(.seconds(900)) { _ = held }]
      #expect(throws: LoopClosed.self) { try queue.sync { _ = held } }
      return answers
    }
    #expect(answers == [false, false, false] && released.withLock { $0 } == 1)
  }

  @Test func `a queue that waits for itself runs the job`() async throws {
    let number = try await onOwnThread {
      let queue = Queue(label: "itself")
      defer { queue.shutdown() }
      return try queue.sync { try queue.sync { 42 } }
    }
    #expect(number == 42)
  }

  @Test func `the path of a local socket that is too long is refused, and not cut off`() throws {
    let path = "/tmp/" + String(repeating: "x", count: 103)
    #expect(throws: UVError.self) { try SocketAddress(path: path) }
    let longest = try SocketAddress(path: String(path.dropLast()))
    #expect(longest.path?.utf8.count == 107)
  }
}
