import Foundation
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Listeners", .noLiveResources)
struct ListenerTests {
  @Test func `an address in use is an error with the call and the address; with reusePort two loops share it`()
    async throws
  {
    try await withLoop { loop, bag in
      let first = try TCPListener(on: .loopback(port: 0))
      #expect(throws: UVError(code: -EADDRINUSE, call: "bind", path: first.address.description)) {
        try TCPListener(on: first.address)
      }
      var failure: UVError?
      Operation.listen(on: first.address).observeFailed { failure = $0 }.dispose(in: bag)
      #expect(failure?.name == "EADDRINUSE")
      first.dispose()
      // The port is free immediately, unless the system has given it to another process meanwhile.
      var isFree = false
      for _ in 0..<10 where !isFree {
        let listener = try TCPListener(on: .loopback(port: 0))
        listener.dispose()
        if let again = try? TCPListener(on: listener.address) {
          again.dispose()
          isFree = true
        }
      }
      #expect(isFree)

      let shared = try TCPListener(on: .loopback(port: 0), reusePort: true)
      let other = try TCPListener(on: shared.address, reusePort: true)
      var counts = [0, 0]
      shared.connections.observeNext { _ in counts[0] += 1 }.dispose(in: bag)
      other.connections.observeNext { _ in counts[1] += 1 }.dispose(in: bag)
      var left = 60
      for _ in 0..<60 {
        Operation.connect(to: shared.address).flatMap(.merge) { $0.bytes }.observeCompleted {
          left -= 1
          if left == 0 { loop.stop() }
        }.dispose(in: bag)
      }
      loop.run()
      // The system distributes them by a hash of the addresses. All on one listener are as likely as sixty heads in a row.
      #expect(counts[0] + counts[1] == 60 && counts[0] > 0 && counts[1] > 0)
      bag.dispose()
      shared.dispose()
      other.dispose()
    }
  }

  @Test func `listen(on:) tells the port, delivers connections, and stops when disposed of`() async throws {
    let address = try await withLoop { loop, bag in
      var address: SocketAddress?
      var subscription: Subscription?
      subscription = Operation.listen(on: .loopback(port: 0), bound: { address = $0 }).observeNext { connection in
        connection.write("hello")
        connection.close()
        subscription?.dispose()
      }
      let peer = try #require(address)
      #expect(peer.port != 0)
      var text = ""
      Operation.connect(to: peer).observeNext { connection in
        connection.bytes.observe(
          next: { text += String($0) }, termination: { _ in connection.close() }
        ).dispose(in: bag)
      }.dispose(in: bag)
      // Nothing keeps the loop alive when the listener and both connections have closed.
      loop.run()
      #expect(text == "hello")
      return peer
    }
    #expect(address.host == "127.0.0.1")
  }

  @Test func `no child process gets a socket, and none blocks`() async throws {
    try await withLoop { loop, bag in
      let address = try SocketAddress(abstract: "headwater-inheritance-\(getpid())")
      let tcp = try TCPListener(on: .loopback(port: 0))
      let local = try PipeListener(on: address)
      let (near, far) = try connectedPair(loop)
      var pipes: [PipeHandle] = []
      local.connections.observeNext {
        pipes.append($0)
        if pipes.count == 2 { loop.stop() }
      }.dispose(in: bag)
      Operation.connect(toPipe: address).observeNext {
        pipes.append($0)
        if pipes.count == 2 { loop.stop() }
      }.dispose(in: bag)
      if pipes.count < 2 { loop.run() }
      var descriptors = try [tcp, local].map { try $0.withDescriptor { (descriptor: Int32) in descriptor } }
      for handle in [near, far] + pipes as [ByteStreamHandle] { descriptors.append(try handle.descriptor()) }
      #expect(descriptors.count == 6)
      for descriptor in descriptors {
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0 && fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
      }
      tcp.dispose()
      local.dispose()
    }
  }

  @Test func `a connection that nobody keeps is closed, one that somebody keeps is not`() async throws {
    try await withLoop { loop, bag in
      let listener = try TCPListener(on: .loopback(port: 0))
      var kept: [TCPHandle] = []
      var count = 0
      listener.connections.observeNext { connection in
        count += 1
        if count == 2 { kept.append(connection) }
        if count == 3 { connection.bytes.observe { _ in }.dispose(in: bag) }
      }.dispose(in: bag)
      var ended: [Int] = []
      for index in 1...3 {
        // The connections are made one after another, so that they are accepted in this order.
        Operation.connect(to: listener.address).observeNext { connection in
          connection.bytes.observeCompleted {
            ended.append(index)
            connection.close()
            if ended.count == 2 { loop.stop() }
          }.dispose(in: bag)
          if index == 3 { connection.finish() }
          if count == index { loop.stop() }
        }.dispose(in: bag)
        repeat { loop.run() } while count < index
      }
      // The first one ends when it is delivered, and the third one when it has been read. Two sockets report in any order.
      while ended.count < 2 { loop.run() }
      #expect(ended.sorted() == [1, 3])
      #expect(kept.count == 1 && !kept[0].isDisposed)
      kept[0].dispose()
      bag.dispose()
    }
  }

  @Test func `a paused listener accepts nothing; one observer at a time; a closed one says so`() async throws {
    let log = try await withLoop { loop, bag in
      var log: [String] = []
      let listener = try TCPListener(on: .loopback(port: 0))
      let subscription = listener.connections.observe(
        next: { _ in log.append("accepted") }, termination: { log.append($0.failure?.name ?? "-") })
      subscription.pause()
      listener.connections.observeFailed { log.append("second \($0.name)") }.dispose(in: bag)
      let timer = try TimerHandle()
      Operation.connect(to: listener.address).observeNext { connection in
        log.append("connected")
        connection.bytes.observe(next: { _ in }, termination: { _ in listener.dispose() }).dispose(in: bag)
        timer.start(after: .milliseconds(20)) {
          log.append("resumed")
          subscription.resume()
          timer.dispose()
        }
      }.dispose(in: bag)
      loop.run()
      listener.connections.observeFailed { log.append("late \($0.name)") }.dispose(in: bag)
      return log
    }
    #expect(log == ["second EBUSY", "connected", "resumed", "accepted", "ECANCELED", "late ECANCELED"])
  }

  @Test func `no descriptor left: accepting waits, says so once, uses no processor time, and goes on`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try await withLoop { loop, bag in
        let listener = try TCPListener(on: .loopback(port: 0))
        var accepted: [TCPHandle] = []
        listener.connections.observeNext { accepted.append($0) }.dispose(in: bag)
        // libuv opens a descriptor for itself with the first stream.
        try TCPHandle(loop).dispose()
        // The sockets of the clients are made before the limit is lowered, so that they need no descriptor later.
        var clients: [Int32] = []
        for _ in 0..<5 { clients.append(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)) }
        let next = dup(0)
        close(next)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = rlim_t(next + 2)
        precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        for client in clients {
          precondition(listener.address.withSockAddr { Glibc.connect(client, $0, $1) } == 0)
        }
        // A busy loop makes thousands of iterations. This one makes a few for each attempt.
        var turns = 0
        let check = try CheckHandle()
        check.keepsLoopAlive = false
        check.start { turns += 1 }
        let timer = try TimerHandle()
        var ticks = 0
        timer.start(after: .milliseconds(100), every: .milliseconds(100)) {
          // Counts from when the first connections have been accepted, and no descriptor is left.
          if accepted.isEmpty { return }
          ticks += 1
          if ticks == 1 { turns = 0 }
          if ticks < 8 { return }
          precondition(accepted.count < 5, "\(accepted.count) accepted with room for 2")
          precondition(turns < 200, "a busy loop: \(turns) turns")
          timer.start(after: .milliseconds(10), every: .milliseconds(10)) {
            for connection in accepted { connection.dispose() }
            if accepted.count == 5 { loop.stop() }
          }
        }
        loop.run()
        precondition(accepted.count == 5)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let reports = text.split(separator: "\n").filter { $0.contains("connections wait until there is room again") }
    // One report for each time that the descriptors have run out, not for each attempt.
    #expect(reports.count >= 1 && reports.count <= 5)
    #expect(
      reports.first?.contains("accept 127.0.0.1:") == true && reports.first?.contains("EMFILE") == true, "\(text)")
  }

  @Test func `thousands of connections made and dropped: no descriptor and no object is left`() async {
    await #expect(processExitsWith: .success) {
      let tracker = LiveResources()
      try await LiveResources.$current.withValue(tracker) {
        try await withLoop { loop, bag in
          var limit = rlimit()
          getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          limit.rlim_cur = limit.rlim_max
          setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          let isSanitized = ProcessInfo.processInfo.environment["HEADWATER_SANITIZER"] != nil
          let total = isSanitized ? 1_000 : 10_000
          let atOnce = min(isSanitized ? 200 : 4_000, Int(limit.rlim_cur) / 3)
          // Counts only sockets, because the runtime may open other descriptors at any time.
          func sockets() -> Int {
            let manager = FileManager.default
            let names = (try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return names.count {
              (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasPrefix("socket:") == true
            }
          }
          let listener = try TCPListener(on: .loopback(port: 0), backlog: 4_096)
          let before = sockets()
          var (served, servedEnded, ended) = (0, 0, 0)
          // A connection that is reset before the system reports it to the listener is never served.
          let timer = try TimerHandle()
          func stopWhenOver() {
            guard ended == total, served == servedEnded else { return }
            timer.start(after: .milliseconds(100)) { if served == servedEnded { loop.stop() } }
          }
          listener.connections.observeNext { connection in
            served += 1
            connection.onClosed {
              servedEnded += 1
              stopWhenOver()
            }
            connection.bytes.pipe(to: connection).observe { _ in }.dispose(in: bag)
          }.dispose(in: bag)
          var started = 0
          var alive = 0
          var most = 0
          func start() {
            let index = started
            started += 1
            Operation.connect(to: listener.address).observe { event in
              switch event {
              case .next(let connection):
                alive += 1
                most = max(most, alive)
                connection.onClosed {
                  alive -= 1
                  ended += 1
                  if started < total { start() }
                  stopWhenOver()
                }
                connection.write("hello")
                switch index % 4 {
                case 0: connection.finish()
                case 1: break
                case 2: connection.reset()
                default: connection.close()
                }
                if index % 4 < 2 {
                  connection.bytes.observe(
                    next: { _ in if index % 4 == 1 { connection.dispose() } }, termination: { _ in }
                  ).dispose(in: bag)
                }
              case .failed(let error): fatalError("\(error)")
              case .completed: break
              }
            }.dispose(in: bag)
          }
          for _ in 0..<atOnce { start() }
          loop.run()
          bag.dispose()
          timer.dispose()
          listener.dispose()
          loop.run()
          precondition(served > total / 2, "\(served) served")
          // The system decides how many are open at a time: it may let some connections wait.
          precondition(ended == total && most > 20 && most <= atOnce, "\(ended) ended, \(most) at once")
          // The socket of the listener has closed, too.
          precondition(sockets() == before - 1, "\(before) sockets before, \(sockets()) after")
        }
      }
      precondition(tracker.alive.isEmpty, "left alive: \(tracker.alive)")
    }
  }
}
