import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Loop", .noLiveResources)
struct LoopTests {
  @Test func `run returns when nothing is left that keeps the loop alive`() async throws {
    let order = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var order: [String] = []
      let timer = try TimerHandle()
      timer.start(after: .milliseconds(1)) {
        order.append("timer")
        timer.dispose()
      }
      loop.run()
      order.append("returned")
      loop.run()
      return order
    }
    #expect(order == ["timer", "returned"])
  }

  @Test func `a job that stops the loop before its first iteration lets that take place`() async throws {
    let iterations = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var iterations = 0
      let check = try CheckHandle()
      check.start { iterations += 1 }
      for _ in 0..<3 {
        _ = loop.mailbox.post { Loop.current.stop() }
        loop.run()
      }
      check.dispose()
      return iterations
    }
    #expect(iterations == 3)
  }

  @Test func `a task whose run was stopped does not end the next run`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      for _ in 0..<20 {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let first = Task { for await _ in gate {} }
        _ = loop.mailbox.post { Loop.current.stop() }
        #expect(throws: LoopClosed.self) { try loop.run(until: first) }
        opener.finish()
        let second = Task {
          await first.value
          // Meanwhile, the loop learns that the first task has ended.
          for _ in 0..<100 { await Task.yield() }
          return 2
        }
        let value = try loop.run(until: second)
        #expect(value == 2)
      }
    }
  }

  @Test func `a connection that is being made or written keeps the loop alive, and is described`() async throws {
    try await withLoop { loop, bag in
      let listener = try TCPListener(on: .loopback(port: 0))
      listener.dispose(in: bag)
      listener.keepsLoopAlive = false
      var connection: TCPHandle?
      Operation.connect(to: listener.address).observeNext {
        connection = $0
        loop.stop()
      }.dispose(in: bag)
      #expect(loop.describeWhatKeepsItAlive().contains(", connecting to \(listener.address)"))
      loop.run()
      #expect(loop.describeWhatKeepsItAlive() == "Nothing keeps the loop alive.")
      // More than the system accepts while the peer does not read.
      connection?.write(Bytes(repeating: 7, count: 32 << 20))
      #expect(loop.describeWhatKeepsItAlive().contains(", connected to \(listener.address), writing"))
      connection?.dispose()
    }
  }

  @Test func `a source that emits keeps its loop alive also while it emits`() async throws {
    let text = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var text = ""
      let bag = DisposeBag()
      Stream.interval(.milliseconds(1)).take(2).observeNext { if $0 == 0 { text = loop.describeWhatKeepsItAlive() } }
        .dispose(in: bag)
      loop.run()
      return text
    }
    #expect(text == "The loop is kept alive by:\n- a timer or a time-based operator that is emitting")
  }

  @Test func `stop ends run after the current turn, and does nothing to a later run`() async throws {
    let fired = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var fired = 0
      loop.stop()
      let timer = try TimerHandle()
      timer.start(after: .zero, every: .milliseconds(1)) {
        fired += 1
        loop.stop()
      }
      loop.run()
      loop.run()
      return fired
    }
    #expect(fired == 2)
  }

  @Test func `shutdown closes handles in any state and is idempotent`() async throws {
    let closed = try await onOwnThread {
      let loop = Loop()
      var closed: [String] = []
      let fresh = try TimerHandle()
      let running = try TimerHandle()
      running.start(after: .seconds(100)) {}
      let stopped = try TimerHandle()
      stopped.start(after: .seconds(100)) {}
      stopped.stop()
      let disposed = try TimerHandle()
      disposed.dispose()
      disposed.dispose()
      let inCallback = try TimerHandle()
      inCallback.start(after: .zero) {
        inCallback.dispose()
        loop.stop()
      }
      let signal = try SignalHandle()
      try signal.start(.user1) { _ in }
      for (name, handle) in [
        ("fresh", fresh), ("running", running), ("stopped", stopped), ("disposed", disposed),
        ("inCallback", inCallback), ("signal", signal),
      ] as [(String, Handle)] {
        handle.onClosed { closed.append(name) }
      }
      loop.run()
      loop.shutdown()
      loop.shutdown()
      running.dispose()
      #expect(running.isDisposed)
      running.onClosed { closed.append("late") }
      return closed.sorted()
    }
    #expect(closed == ["disposed", "fresh", "inCallback", "late", "running", "signal", "stopped"])
  }

  @Test func `handles that are made while the loop shuts down are closed, too`() async throws {
    try await onOwnThread {
      let loop = Loop()
      let first = try TimerHandle()
      first.onClosed { _ = try? TimerHandle(on: loop) }
      loop.shutdown()
    }
  }

  @Test func `a loop that is let go of without shutdown closes itself`() async throws {
    try await onOwnThread {
      do { _ = Loop() }
      let second = Loop()
      second.shutdown()
    }
  }

  @Test func `a value from Loop.current that is used in a detached task traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        let own = Loop()
        let timer = try TimerHandle()
        timer.start(after: .seconds(60)) {}
        let loop = Loop.current
        Task.detached { loop.stop() }
        own.run()
      }
    }
    expect(result, says: "have the work done there with Queue.async")
  }

  @Test func `a loop's scheduler that is used in a detached task traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        let own = Loop()
        let guardian = deadline(own, .seconds(20))
        guardian.keepsLoopAlive = true
        let scheduler = Loop.current.scheduler
        Task.detached { _ = scheduler.schedule(after: .seconds(1)) {} }
        own.run()
      }
    }
    expect(result, says: "have the work done there with Queue.async")
  }

  @Test func `a loop that is used after its shutdown traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        let loop = Loop()
        loop.shutdown()
        loop.run()
      }
    }
    expect(result, says: "This loop has been shut down: make another.")
  }

  @Test func `a second loop on one thread traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        let first = Loop()
        _ = Loop()
        first.shutdown()
      }
    }
    expect(result, says: "use Loop.current, or shut that loop down first")
  }

  @Test func `running a loop from its own callback traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        let loop = Loop()
        let timer = try TimerHandle()
        timer.start(after: .zero) { loop.run() }
        loop.run()
      }
    }
    expect(result, says: "Return from the callback instead")
  }

  @Test func `Loop.current on a thread without a loop traps with the ways out`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread { _ = Loop.current }
    }
    expect(result, says: "Use it on the main thread")
  }

  @Test func `a stream that stands on a loop traps where there is none, and never falls back to the main loop`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread { _ = Operation.signal(.user1).observeNext { _ in } }
    }
    expect(result, says: "This thread has no loop")
  }

  @Test func `a connection that is accepted later is counted for the test, and so is what observers make then`()
    async throws
  {
    #if DEBUG
    let tracker = LiveResources()
    let accepted = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let bag = DisposeBag()
      let kept = PushStream<Void>()
      let listener = try LiveResources.$current.withValue(tracker) {
        let listener = try TCPListener(on: .loopback(port: 0))
        listener.connections.observeNext { connection in
          kept.observeNext { _ in }.dispose(in: bag)
          bag.add(connection)
          loop.stop()
        }.dispose(in: bag)
        return listener
      }
      let before = tracker.alive
      let client = Operation<TCPHandle, UVError>.connect(to: listener.address)
      client.observe(next: { bag.add($0) }, termination: { _ in }).dispose(in: bag)
      loop.run()
      let after = tracker.alive
      bag.dispose()
      listener.dispose()
      return after.merging(before) { $0 - $1 }
    }
    #expect(accepted == ["handle": 1, "subscription": 1])
    #expect(tracker.alive.isEmpty)
    #endif
  }
}

func expect(_ result: ExitTest.Result?, says sentence: String) {
  let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  #expect(text.contains(sentence))
}
