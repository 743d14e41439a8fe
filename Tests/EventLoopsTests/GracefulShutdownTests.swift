import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("GracefulShutdown", .noLiveResources)
struct GracefulShutdownTests {
  /// Runs `body` on a thread with a loop. The signals of the test process are not watched.
  private static func withShutdown<Result: Sendable>(
    grace: Duration?, _ body: @escaping @Sendable (Loop, GracefulShutdown, DisposeBag) throws -> Result
  ) async throws -> Result {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      defer { guardian.dispose() }
      let bag = DisposeBag()
      defer { bag.dispose() }
      return try body(loop, try GracefulShutdown(on: [], grace: grace), bag)
    }
  }

  @Test func `run() returns immediately after the cut-off`() async throws {
    try await onOwnThread {
      let loop = Loop()
      let bag = DisposeBag()
      let shutdown = try GracefulShutdown(on: [], grace: .zero, loop: loop)
      Stream<Int>.interval(.milliseconds(1)).observeNext { _ in }.dispose(in: bag)
      shutdown.begin()
      for _ in 0..<2 { #expect(shutdown.run() == 0) }
      bag.dispose()
      loop.shutdown()
    }
  }

  @Test func `it accepts no more, what is under way finishes, and the loop ends; who comes late learns of it at once`()
    async throws
  {
    let log = try await Self.withShutdown(grace: .seconds(600)) { loop, shutdown, bag in
      var log: [String] = []
      let listener = try TCPListener(on: .loopback(port: 0))
      Operation.connect(to: listener.address).observe(
        next: { client in
          client.write("one\n")
          client.bytes.lines().observe(
            next: { line in
              log.append("client: \(line)")
              if line == "one" {
                shutdown.begin()
                shutdown.begin()
                #expect(shutdown.hasBegun)
                // Sent on a connection that existed before.
                client.write("two\n")
                client.finish()
              }
            }, termination: { _ in log.append("client: end") }
          ).dispose(in: bag)
        }, termination: { _ in }
      ).dispose(in: bag)
      shutdown.begins.observe(next: { log.append("begins") }, termination: { log.append("begins: \($0)") }).dispose(
        in: bag)
      listener.connections.doOn(disposed: { log.append("accepts no more") })
        .serving(until: shutdown) { $0.bytes.pipe(to: $0).toStream(logError: false) }
        .observe(next: { log.append("\($0) bytes") }, termination: { log.append("served: \($0)") })
        .dispose(in: bag)
      listener.keepsLoopAlive = true
      shutdown.begins.observeNext { listener.dispose() }.dispose(in: bag)
      #expect(shutdown.run() == 0)
      shutdown.begins.observeNext { log.append("late") }.dispose(in: bag)
      return log
    }
    #expect(log.first == "client: one")
    #expect(Set(log.prefix(4)) == ["client: one", "begins", "begins: completed", "accepts no more"])
    #expect(log.filter { $0 == "begins" }.count == 1)
    #expect(log.contains("8 bytes") && log.contains("served: completed") && log.contains("client: two"))
    #expect(log.last == "late")
  }

  @Test func `what takes too long is disposed when time is up, and the loop is stopped whatever else keeps it alive`()
    async throws
  {
    let log = try await Self.withShutdown(grace: .milliseconds(20)) { loop, shutdown, bag in
      var log: [String] = []
      Stream.sequence([1, 2]).concat(with: .never())
        .serving(until: shutdown) { number in Stream<Int>.never().doOn(disposed: { log.append("\(number) disposed") }) }
        .observeCompleted { log.append("completed") }
        .dispose(in: bag)
      Stream.interval(.milliseconds(1)).observeNext { _ in shutdown.begin() }.dispose(in: bag)
      shutdown.cutsOff.observeNext { log.append("cut off") }.dispose(in: bag)
      #expect(shutdown.run() == 0)
      return log
    }
    #expect(log == ["1 disposed", "2 disposed", "completed", "cut off"])
  }

  @Test func `connections that are still open are disposed when time is up, also one that writes or that is retained`()
    async throws
  {
    try await Self.withShutdown(grace: .milliseconds(20)) { loop, shutdown, bag in
      let later = try GracefulShutdown(on: [], grace: nil)
      let (writers, idle, others) = (PushStream<TCPHandle>(), PushStream<TCPHandle>(), PushStream<TCPHandle>())
      weak var writer: TCPHandle?
      var (served, retained, clients): ([String], [TCPHandle], [TCPHandle]) = ([], [], [])
      writers.serving(until: shutdown) { connection in
        writer = connection
        // More than the system buffers for a connection. The peer never reads.
        connection.write(Bytes(repeating: 1, count: 30_000_000))
        return Stream.just("writer")
      }.observeNext { served.append($0) }.dispose(in: bag)
      idle.serving(until: shutdown) { connection in
        retained.append(connection)
        return connection.bytes.map { _ in "" }.toStream(logError: false)
          .doOn(completed: { Issue.record("the stream must be disposed before its connection") })
      }.observeNext { served.append($0) }.dispose(in: bag)
      others.serving(until: later) { connection in
        retained.append(connection)
        return Stream.just("other")
      }.observeNext { served.append($0) }.dispose(in: bag)
      func beginWhenConnected() { if retained.count == 2 && clients.count == 3 { shutdown.begin() } }
      Operation.listen(
        on: .loopback(port: 0), keepsLoopAlive: false,
        bound: { address in
          for _ in 0..<3 {
            Operation.connect(to: address).observeNext { client in
              clients.append(client)
              beginWhenConnected()
            }.dispose(in: bag)
          }
        }
      ).observeNext { connection in
        if writer == nil { writers.next(connection) } else { (retained.isEmpty ? idle : others).next(connection) }
        beginWhenConnected()
      }.dispose(in: bag)
      #expect(shutdown.run() == 0)
      #expect(served == ["writer", "other"])
      #expect(writer?.isDisposed != false)
      #expect(retained.map(\.isDisposed) == [true, false])
      for open in retained + clients { open.dispose() }
      loop.run()
      #expect(writer == nil)
    }
  }

  @Test func `without a limit it waits for what is under way`() async throws {
    let log = try await Self.withShutdown(grace: nil) { loop, shutdown, bag in
      var log: [String] = []
      Stream.just(1).concat(with: .never())
        .serving(until: shutdown) { _ in Stream.timer("done", after: .milliseconds(30)) }
        .observe(next: { log.append($0) }, termination: { log.append("\($0)") })
        .dispose(in: bag)
      shutdown.begin()
      #expect(shutdown.run() == 0)
      return log
    }
    #expect(log == ["done", "completed"])
  }

  @Test func `a failure of the stream ends what is being served`() async throws {
    let log = try await Self.withShutdown(grace: nil) { _, shutdown, bag in
      var log: [String] = []
      let source = PushOperation<Int, TestError>()
      source.serving(until: shutdown) { _ in Stream<Int>.never().doOn(disposed: { log.append("disposed") }) }
        .observe(next: { _ in }, termination: { log.append("\($0)") })
        .dispose(in: bag)
      source.next(1)
      source.failed(TestError("listen"))
      return log
    }
    #expect(log.count == 2 && log.contains("disposed"))
  }

  @Test func `a signal that cannot be caught is refused`() async throws {
    let name = try await onOwnThread { () -> String? in
      let loop = Loop()
      defer { loop.shutdown() }
      do throws(UVError) {
        _ = try GracefulShutdown(on: [.kill])
        return nil
      } catch {
        return error.name
      }
    }
    #expect(name == "EINVAL")
  }

  @Test(arguments: ["", "-at-top-level", "-unawaited"])
  func `in an async main, the second signal ends the program at once, awaited or not`(_ suffix: String) async throws {
    let result = try await probe("graceful" + suffix, in: "async-probe")
    #expect(result.output == (suffix == "-unawaited" ? "begins\n" : "begins\nreturned\n"))
    #expect(result.status == .exited(143))
  }
}
