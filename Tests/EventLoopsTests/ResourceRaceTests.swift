import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

/// Connections and files that no consumer takes.
@Suite("Untaken connections and files", .noLiveResources, .timeLimit(.minutes(60)))
struct ResourceRaceTests {
  /// A server that counts its connections and how many of them have ended.
  private final class Server {
    let listener: TCPListener
    let bag = DisposeBag()
    var accepted = 0
    var ended = 0
    /// The client ports of the connections that have ended.
    var endedPorts: Set<UInt16> = []

    init() throws {
      listener = try TCPListener(on: .loopback(port: 0))
      listener.connections.observeNext { [unowned self] connection in
        accepted += 1
        let port = try? connection.remoteAddress().port
        connection.bytes.observe(
          next: { _ in },
          termination: { [unowned self] _ in
            ended += 1
            if let port { endedPorts.insert(port) }
            connection.dispose()
          }
        ).dispose(in: bag)
      }.dispose(in: bag)
    }

    func close() {
      bag.dispose()
      listener.dispose()
    }
  }

  @Test func `connecting: the peer sees the end, whenever the task is cancelled`() async throws {
    try await onLoop { actor in
      let server = try Server()
      let address = server.listener.address
      var random = SeededGenerator(3)
      for _ in 0..<2 * Effort.rounds {
        let task = Task {
          _ = actor
          if let connection = try? await Operation.connect(to: address).value { connection.dispose() }
        }
        for _ in 0..<Int.random(in: 0..<60, using: &random) { await Task.yield() }
        task.cancel()
        await task.value
      }
      // Connections that wait in an iterator when the iterator is released.
      for _ in 0..<20 {
        let iterator = Operation.connect(to: address).values().makeAsyncIterator()
        for _ in 0..<Int.random(in: 0..<60, using: &random) { await Task.yield() }
        withExtendedLifetime(iterator) {}
      }
      // The last connection in the backlog.
      let last = try await Operation.connect(to: address).value
      let port = try last.localAddress().port
      last.dispose()
      await untilTrue { server.endedPorts.contains(port) && server.accepted == server.ended }
      #expect(server.accepted == server.ended)
      server.close()
    }
  }

  @Test func `accepting: connections that wait in values() are closed when the loop over them is left`() async throws {
    try await onLoop { actor in
      let listener = try TCPListener(on: .loopback(port: 0))
      var ended = 0
      let bag = DisposeBag()
      for _ in 0..<20 {
        Operation.connect(to: listener.address).observeNext { connection in
          connection.bytes.observe(next: { _ in }, termination: { _ in ended += 1 }).dispose(in: bag)
        }.dispose(in: bag)
      }
      var taken = 0
      for try await connection in listener.connections.values() {
        taken += 1
        for _ in 0..<200 { await Task.yield() }
        connection.dispose()
        if taken == 3 { break }
      }
      listener.dispose()
      await untilTrue { ended == 20 }
      #expect(ended == 20)
      bag.dispose()
      withExtendedLifetime(actor) {}
    }
  }

  @Test func `a shared connection is not closed under the observer that has it`() async throws {
    try await onLoop { _ in
      let server = try Server()
      let connections = PushStream<TCPHandle>()
      var iterator: AsyncValues<TCPHandle, Never>.Iterator? = connections.values().makeAsyncIterator()
      var taken: TCPHandle?
      connections.observeNext { taken = $0 }.dispose(in: server.bag)
      let subscription = Operation.connect(to: server.listener.address).observeNext { connections.next($0) }
      await untilTrue { taken != nil }
      iterator = nil
      #expect(iterator == nil && taken?.isDisposed == false)
      taken?.dispose()
      await untilTrue { server.ended == 1 }
      subscription.dispose()
      server.close()
    }
  }

  @Test func `opening: no descriptor stays open, whenever the task is cancelled`() async throws {
    let scratch = Scratch()
    FileStreamTests.write("x", to: scratch("a"))
    try await onLoop { actor in
      var random = SeededGenerator(4)
      for _ in 0..<2 * Effort.rounds {
        let task = Task {
          _ = actor
          if let file = try? await Files.open(scratch("a")).value { file.dispose() }
        }
        for _ in 0..<Int.random(in: 0..<60, using: &random) { await Task.yield() }
        task.cancel()
        await task.value
      }
      for _ in 0..<20 {
        let iterator = Files.open(scratch("a")).values().makeAsyncIterator()
        for _ in 0..<Int.random(in: 0..<60, using: &random) { await Task.yield() }
        withExtendedLifetime(iterator) {}
      }
      // Opened for an observer that does not retain it.
      _ = Files.open(scratch("a")).observeNext { _ in }
      let loop = Loop.current
      // A file that a thread of the pool has not opened yet is not in `scratch.open`, so the requests must end first.
      await untilTrue { loop.firstResource == nil && scratch.open.isEmpty }
      #expect(scratch.open.isEmpty)
    }
  }
}

/// Yields until `condition` holds, for at most 600 seconds.
func untilTrue(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async {
  let deadline = ContinuousClock.now + .seconds(840)
  while !condition(), ContinuousClock.now < deadline { await Task.yield() }
}
