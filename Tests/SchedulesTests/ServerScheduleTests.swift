#if canImport(Glibc)
import Glibc
import Schedules
import Streams
import Testing

@testable import EventLoops

/// Servers on several loops, in every order.
@Suite(.serialized) struct ServerScheduleTests {
  /// What the loops have done.
  private final class Log: @unchecked Sendable {
    // Sendable: only the thread that has the turn uses it.
    var server: LoopServer?
    var served = 0
    /// The numbers of connections that the loops serve, or that are on their way.
    var loads: [Load] = []
    var ends: [Bool] = []
    /// What a connection has left to its loop, and whether that is done, at any time and when the server ended.
    var work: AsyncHandle?
    var isWorkDone = false
    var isWorkDoneAtEnd = false
    /// True if the server ended while its loops served connections.
    var isEarly = false
    var dispose: (() -> Void)?

    func forget() { (server, dispose, work) = (nil, nil, nil) }
  }

  /// Two sockets that are connected: one for the server, and one for the test.
  private struct Connection {
    let accepted: Int32
    private let peer: Int32

    init() {
      var pair: [Int32] = [-1, -1]
      // A child process that another test starts must not keep the socket open.
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
      (accepted, peer) = (pair[0], pair[1])
    }

    /// Whether the server has closed its socket.
    func isClosed() -> Bool {
      defer { close(peer) }
      // A child process that another test is starting has the server's socket until it is replaced by its program.
      var waiting = pollfd(fd: peer, events: Int16(POLLIN), revents: 0)
      _ = poll(&waiting, 1, 5000)
      var byte: UInt8 = 0
      return recv(peer, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }
  }

  /// Adds a server, which accepts `count` connections at home before `then` runs. Returns the connections.
  private func serve(
    _ schedule: Schedule, _ log: Log, _ count: Int, loops: Int, then: @escaping (PushStream<Void>) -> Void,
    _ body: @escaping @Sendable (TCPHandle, Stream<Void>) -> Stream<Void>
  ) -> [Connection] {
    let connections = (0..<count).map { _ in Connection() }
    var queues = (1...loops).map { number in
      Queue(label: "server \(number)") { schedule.thread("server \(number)", $0) }
    }
    var stop: PushStream<Void>?
    let home = ScheduledHome("home", in: schedule) { _ in
      for connection in connections { log.server?.take(connection.accepted, from: nil) }
      if let stop = stop.take() { then(stop) }
    }
    home.whenPrepared = {
      let stopping = PushStream<Void>()
      stop = stopping
      let subscription = Operation<Never, UVError>.unguarded { observer in
        guard let listener = try? TCPListener(on: .loopback(port: 0)) else { return .none }
        let server = LoopServer(listener, loops, observer, makeQueue: { _ in queues.removeFirst() }) { load, ended in
          log.loads.append(load)
          return ServingLoop(load, ended, body)
        }
        log.server = server
        return server.start(stopping.toStream())
      }.observe { end in
        if case .completed = end { log.ends.append(true) } else { log.ends.append(false) }
        log.isWorkDoneAtEnd = log.isWorkDone
        log.isEarly = log.loads.contains { $0.withLock { $0 } > 0 }
      }
      log.dispose = { subscription.dispose() }
    }
    return connections
  }

  private func expectAllClosed(_ schedule: Schedule, _ log: Log, _ connections: [Connection]) {
    let closed = connections.map { $0.isClosed() }
    schedule.expect(!closed.contains(false), "\(closed.count { !$0 }) connections stay open.")
  }

  @Test(arguments: 1...2)
  func `a server that stops serves what it has accepted, and completes once, after the last connection`(_ loops: Int)
    async throws
  {
    try await expectNothingFound(preemptions: fewPreemptions - loops + 1) { schedule in
      let log = Log()
      let connections = serve(schedule, log, 2, loops: loops) {
        $0.completed()
      } _: { _, stop in
        log.served += 1
        // Served until the server stops.
        return stop
      }
      schedule.run()
      let loads = log.loads.map { $0.withLock { $0 } }
      schedule.expect(
        log.served == 2 && log.ends == [true] && !log.isEarly && loads.allSatisfy { $0 == 0 },
        "\(log.served) were served, \(loads) are served at the end, and the server has ended: \(log.ends).")
      expectAllClosed(schedule, log, connections)
      log.forget()
    }
  }

  @Test
  func `a server that stops completes after the work that its connections have left to their loop`() async throws {
    try await expectNothingFound(preemptions: fewPreemptions) { schedule in
      let log = Log()
      let connections = serve(schedule, log, 1, loops: 1) {
        $0.completed()
      } _: { _, stop in
        stop.doOn(completed: {
          // It keeps the loop alive until another thread wakes it.
          log.work = try? AsyncHandle {
            log.isWorkDone = true
            log.work?.dispose()
          }
          Schedule.access(log)
        })
      }
      schedule.thread("worker") {
        schedule.wait(for: log) { log.work != nil }
        log.work?.sender.send()
      }
      schedule.run()
      schedule.expect(
        log.ends == [true] && log.isWorkDoneAtEnd,
        "The server has ended: \(log.ends), and the work was done then: \(log.isWorkDoneAtEnd).")
      expectAllClosed(schedule, log, connections)
      log.forget()
    }
  }

  @Test(arguments: 1...2)
  func `a server that is disposed closes what it has accepted, and does not end`(_ loops: Int) async throws {
    try await expectNothingFound(preemptions: fewPreemptions - loops + 1) { schedule in
      let log = Log()
      let connections = serve(schedule, log, 2, loops: loops) { _ in
        log.dispose?()
      } _: { connection, _ in
        log.served += 1
        return connection.bytes.map { _ in }.toStream(logError: false)
      }
      schedule.run()
      schedule.expect(log.served <= 2 && log.ends.isEmpty, "The server has ended: \(log.ends).")
      expectAllClosed(schedule, log, connections)
      log.forget()
    }
  }

  @Test
  func `a loop that ends by itself serves no more, and closes what was on its way; the server fails after the last`()
    async throws
  {
    try await expectNothingFound(preemptions: fewPreemptions - 1) { schedule in
      let log = Log()
      let connections = serve(schedule, log, 3, loops: 2) { _ in
      } _: { _, _ in
        log.served += 1
        Queue.current?.stop()
        return .just(())
      }
      schedule.run()
      schedule.expect(
        (2...3).contains(log.served) && log.ends == [false],
        "\(log.served) were served, and the server has ended: \(log.ends).")
      expectAllClosed(schedule, log, connections)
      log.forget()
    }
  }
}
#endif
