import Dispatch
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite(.noLiveResources)
struct ServingLoopsTests {
  /// Sends `text` over a new connection, finishes it, and passes everything that it receives to `answer`.
  private static func ask(
    _ address: SocketAddress, _ text: Bytes, _ answer: @escaping (String) -> Void, _ bag: DisposeBag
  ) {
    var received = ""
    Operation.connect(to: address)
      .flatMap(.merge) { connection in
        connection.write(text)
        connection.finish()
        return connection.bytes
      }
      .observe(
        next: { received += String(decoding: $0, as: UTF8.self) },
        termination: { end in answer(end.failure.map { "\($0)" } ?? received) }
      ).dispose(in: bag)
  }

  @Test func `connections are spread evenly, and each one lives on its loop's thread`() async throws {
    let threads = try await withLoop { loop, bag in
      let threads = Lock<[UInt: Int]>([:])
      var left = 60
      Operation.serve(
        on: .loopback(port: 0), loops: 3,
        bound: { address in
          for _ in 0..<60 {
            Self.ask(
              address, "hello\n",
              { answer in
                #expect(answer == "hello\n")
                left -= 1
                if left == 0 { loop.stop() }
              }, bag)
          }
        },
        { connection, _ in
          threads.withLock { $0[UInt(pthread_self()), default: 0] += 1 }
          return connection.bytes.pipe(to: connection).doOn(next: { _ in connection.loop.check() })
            .toStream(logError: false)
        }
      ).observeFailed { Issue.record($0) }.dispose(in: bag)
      loop.run()
      #expect(left == 0)
      #expect(threads.withLock { $0[UInt(pthread_self())] } == nil)
      return threads.withLock { $0 }
    }
    #expect(threads.count == 3)
    #expect(threads.values.allSatisfy { $0 >= 10 }, "\(threads)")
  }

  @Test func `a loop that serves more gets less`() async throws {
    let counts = try await withLoop { loop, bag in
      let labels = Lock<[String]>([])
      var clients: [TCPHandle] = []
      Operation.serve(
        on: .loopback(port: 0), loops: 2,
        bound: { address in
          func connect() {
            Operation.connect(to: address).flatMap(.merge) { client in
              clients.append(client)
              return client.bytes
            }.observeNext { label in
              labels.withLock { $0.append(String(decoding: label, as: UTF8.self)) }
              // The first two connections go to one loop each. The second connection closes, and its loop gets the next ones.
              if clients.count == 2 { clients[1].close() }
              if clients.count == 5 { loop.stop() } else { connect() }
            }.dispose(in: bag)
          }
          connect()
        },
        { connection, _ in
          connection.write(Bytes((Queue.current?.label ?? "none").utf8))
          return connection.bytes.toStream(logError: false).doOn(disposed: { connection.dispose() })
        }
      ).observeFailed { Issue.record($0) }.dispose(in: bag)
      loop.run()
      return labels.withLock { $0 }
    }
    #expect(counts.prefix(2) == ["server 1", "server 2"])
    #expect(Set(counts) == ["server 1", "server 2"])
    #expect(counts.count == 5)
  }

  @Test func `it ends in peace: nothing is accepted, what is being served ends, and what was written arrives`()
    async throws
  {
    // More than the system buffers for a connection.
    let rest = 16_000_000
    try await withLoop { loop, bag in
      var (beginnings, ends, total) = (0, 0, 0)
      let stop = PushStream<Void>()
      let served = Lock(0)
      Operation.serve(
        on: .loopback(port: 0), loops: 2, until: stop.toStream(),
        bound: { address in
          for _ in 0..<4 {
            var isFirst = true
            Operation.connect(to: address).flatMap(.merge) { client in
              client.write("1")
              return client.bytes
            }.observe(
              next: { bytes in
                total += bytes.count
                if !isFirst { return }
                isFirst = false
                beginnings += 1
                if beginnings < 4 { return }
                stop.completed()
                // This connection is not served. The system may accept it, because a process that another test is starting
                // still has the socket.
                Operation.connect(to: address).observe { _ in }.dispose(in: bag)
              },
              termination: { end in
                #expect(end == .completed)
                ends += 1
              }
            ).dispose(in: bag)
          }
        },
        { connection, stop in
          connection.bytes.take(until: stop)
            .doOn(
              next: { connection.write($0) },
              disposed: {
                served.withLock { $0 += 1 }
                // These bytes are still queued when serving the connection ends.
                connection.write(Bytes(repeating: 10, count: rest))
                connection.close()
              }
            )
            .toStream(logError: false)
        }
      ).observeCompleted { #expect(served.withLock { $0 } == 4) }.dispose(in: bag)
      loop.run()
      #expect(beginnings == 4 && ends == 4)
      #expect(total == 4 + 4 * rest)
    }
  }

  @Test func `connections that still write when the grace of a shutdown is over are disposed`() async throws {
    try await withLoop { loop, bag in
      let shutdown = try GracefulShutdown(on: [], grace: .milliseconds(20))
      let closed = DispatchSemaphore(value: 0)
      var (clients, beginnings): ([TCPHandle], Int) = ([], 0)
      Operation.serve(
        on: .loopback(port: 0), loops: 2, until: shutdown,
        bound: { address in
          for _ in 0..<4 {
            Operation.connect(to: address).flatMap(.merge) { client in
              clients.append(client)
              return client.bytes.take(1)
            }.observeNext { _ in
              beginnings += 1
              if beginnings == 4 { shutdown.begin() }
            }.dispose(in: bag)
          }
        },
        { connection, _ in
          connection.onClosed { closed.signal() }
          // More than the system buffers for a connection. The peer stops reading after the first bytes.
          connection.write(Bytes(repeating: 1, count: 30_000_000))
          return Stream<Never>.completed()
        }
      ).observeFailed { Issue.record($0) }.dispose(in: bag)
      #expect(shutdown.run() == 0)
      for _ in 0..<4 { #expect(closed.wait(timeout: .now() + 60) == .success) }
      for client in clients { client.dispose() }
    }
  }

  @Test func `what cannot listen fails; a second server on one address too`() async throws {
    try await withLoop { loop, bag in
      var failures: [UVError?] = []
      let listener = try TCPListener(on: .loopback(port: 0))
      Operation.serve(on: listener.address, loops: 2) { connection, _ in Stream.just(connection.isDisposed) }
        .observeFailed { failures.append($0) }.dispose(in: bag)
      #expect(failures == [UVError(code: -EADDRINUSE, call: "bind", path: listener.address.description)])
      listener.dispose()
    }
  }

  @Test func `disposal ends every loop and every connection`() async throws {
    let ends = try await withLoop { loop, bag in
      var ends: [String] = []
      let server = SerialDisposable(nil)
      let disposed = Lock(0)
      server.inner = Operation.serve(
        on: .loopback(port: 0), loops: 2,
        bound: { address in
          for _ in 0..<6 {
            Operation.connect(to: address).flatMap(.merge) { $0.bytes }.observe(
              next: { bytes in
                ends.append(String(decoding: bytes, as: UTF8.self))
                if ends.count == 6 { server.dispose() }
              },
              termination: { end in ends.append("\(end)") }
            ).dispose(in: bag)
          }
        },
        { connection, _ in
          connection.write("hello")
          return Stream<Never>.never().doOn(disposed: {
            disposed.withLock { $0 += 1 }
            connection.dispose()
          })
        }
      ).observe { event in Issue.record("\(event)") }
      loop.run()
      #expect(disposed.withLock { $0 } == 6)
      return ends
    }
    #expect(ends == Array(repeating: "hello", count: 6) + Array(repeating: "completed", count: 6))
  }

  @Test func `a loop that ends by itself gets no more; when all have, the server fails`() async throws {
    let (answers, failure) = try await withLoop { loop, bag in
      var answers: [String] = []
      var failure: UVError?
      Operation.serve(
        on: .loopback(port: 0), loops: 2,
        bound: { address in
          func ask(_ text: Bytes) {
            Self.ask(
              address, text,
              { answer in
                answers.append(answer)
                ask(answers.count < 6 ? "hello" : "end")
              }, bag)
          }
          ask("end")
        },
        { connection, _ in
          connection.bytes.flatMap(.concat) { bytes in
            if bytes == "end" { Queue.current?.stop() }
            return connection.writing(bytes)
          }.doOn(disposed: { connection.dispose() }).toStream(logError: false)
        }
      ).observeFailed {
        failure = $0
        loop.stop()
      }.dispose(in: bag)
      loop.run()
      return (answers, failure)
    }
    #expect(answers.filter { $0 == "hello" }.count >= 4)
    #expect(failure?.name == "ECANCELED")
  }

  @Test func `pausing stops accepting, and what is served goes on`() async throws {
    let log = try await withLoop { loop, bag in
      var log: [String] = []
      var subscription: (any Disposable)?
      subscription = Operation.serve(
        on: .loopback(port: 0), loops: 1,
        bound: { address in
          Operation.connect(to: address).flatMap(.merge) { client in
            client.write("first")
            return client.bytes.map { String(decoding: $0, as: UTF8.self) }.doOn(next: { text in
              if text == "first" {
                subscription?.pause()
                Self.ask(
                  address, "second\n",
                  { answer in
                    log.append(answer)
                    loop.stop()
                  }, bag)
                client.write("more")
              } else if text == "more" {
                // The answer was sent although the server is paused.
                subscription?.resume()
              }
            })
          }.observeNext { log.append($0) }.dispose(in: bag)
        },
        { connection, _ in connection.bytes.pipe(to: connection).toStream(logError: false) }
      ).observeFailed { Issue.record($0) }
      subscription?.dispose(in: bag)
      loop.run()
      return log
    }
    #expect(log == ["first", "more", "second\n"])
  }

  @Test func `a number of loops that serves nobody traps with what to give`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Operation.serve(on: .loopback(port: 0), loops: 0) { _, _ in Stream.just(1) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("at least one loop"))
  }
}
