import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// Observers and handles that are disposed in the middle of a batch of datagrams.
@Suite(.noLiveResources, .timeLimit(.minutes(15)))
struct UDPBatchTests {
  @Test func `who observes after another one has left in the middle of a batch can pause`() async throws {
    try await withLoop { loop, bag in
      let (sender, receiver) = (try UDPHandle(), try UDPHandle(batches: true))
      try receiver.bind(to: .loopback(port: 0))
      for _ in 0..<3 { _ = try sender.trySend("a", to: receiver.localAddress()) }
      receiver.datagrams.take(1).observe(next: { _ in }, termination: { _ in loop.stop() }).dispose(in: bag)
      loop.run()
      let second = receiver.datagrams.observeNext { _ in }
      second.pause()
      #expect(loop.describeWhatKeepsItAlive() == "Nothing keeps the loop alive.")
      second.dispose()
      sender.dispose()
      receiver.dispose()
    }
  }

  @Test(arguments: [false, true])
  func `observers that leave in the middle of a batch leave the rest for the next one, in order`(_ isNested: Bool)
    async throws
  {
    try await withLoop { loop, bag in
      let (sender, receiver) = (try UDPHandle(), try UDPHandle(batches: true))
      try receiver.bind(to: .loopback(port: 0))
      for number in 0..<15 { _ = try sender.trySend("\(number)", to: receiver.localAddress()) }
      var log: [String] = []
      // Each observer takes three messages. The next one comes inside the end of the last one, or later.
      func observeNextThree() {
        receiver.datagrams.take(3).observe(
          next: { log.append(String($0.bytes)) },
          termination: { _ in
            if log.count == 15 { return loop.stop() }
            if isNested { return observeNextThree() }
            Stream.timer((), after: .milliseconds(1)).observeNext { observeNextThree() }.dispose(in: bag)
          }
        ).dispose(in: bag)
      }
      observeNextThree()
      loop.run()
      #expect(log == (0..<15).map(String.init))
      sender.dispose()
      receiver.dispose()
    }
  }

  @Test(arguments: [false, true])
  func `a loop that is shut down fails the reception, also while its observer pauses`(pauses: Bool) async throws {
    let failures = try await onOwnThread {
      let loop = Loop()
      let receiver = try UDPHandle()
      try receiver.bind(to: .loopback(port: 0))
      var failures: [String] = []
      let subscription = receiver.datagrams.observeFailed { failures.append($0.name) }
      if pauses { subscription.pause() }
      loop.shutdown()
      return failures
    }
    #expect(failures == ["ECANCELED"])
  }

  @Test func `a handle that is disposed of inside of a batch delivers nothing more`() async throws {
    try await withLoop { loop, bag in
      let (sender, receiver) = (try UDPHandle(), try UDPHandle(batches: true))
      try receiver.bind(to: .loopback(port: 0))
      for _ in 0..<5 { _ = try sender.trySend("a", to: receiver.localAddress()) }
      var log: [String] = []
      receiver.datagrams.observe(
        next: { _ in
          log.append("a")
          receiver.dispose()
        }, termination: { log.append($0.failure?.name ?? "completed") }
      ).dispose(in: bag)
      loop.run()
      #expect(log == ["a", "ECANCELED"])
      sender.dispose()
    }
  }

  @Test(arguments: [true, false])
  func `a handle that is disposed of delivers nothing more that a pause has held up`(_ isInside: Bool) async throws {
    try await withLoop { loop, bag in
      let (sender, receiver) = (try UDPHandle(), try UDPHandle(batches: true))
      try receiver.bind(to: .loopback(port: 0))
      for _ in 0..<5 { _ = try sender.trySend("a", to: receiver.localAddress()) }
      var log: [String] = []
      var subscription: Subscription?
      subscription = receiver.datagrams.observe(
        next: { _ in
          log.append("a")
          if log.count == 1 { subscription?.pause() } else { receiver.dispose() }
        }, termination: { log.append($0.failure?.name ?? "completed") })
      subscription?.dispose(in: bag)
      // While its observer is paused, the handle does not keep the loop running.
      loop.run()
      #expect(log == ["a"])
      if !isInside { receiver.dispose() }
      subscription?.resume()
      loop.run()
      #expect(log == (isInside ? ["a", "a", "ECANCELED"] : ["a", "ECANCELED"]))
      sender.dispose()
    }
  }
}
