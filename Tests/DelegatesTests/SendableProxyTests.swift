import Delegates
import Dispatch
import EventLoops
import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

private struct NotAllowed: Error, Equatable {}

private protocol TransferDelegate: AnyObject, Sendable {
  func transfer(_ name: String, didReceive bytes: Int)
  func transferDidEnd()
  func transfer(_ name: String, shouldRetry attempt: Int) -> Bool
  func check(_ name: String) throws(NotAllowed) -> Int
  func token(for name: String, _ attempt: Int) async throws -> String
  var limit: Int { get set }
}

private final class TransferDelegateProxy: SendableProxy, TransferDelegate {
  let forwarding = Forwarding<any TransferDelegate>()

  let didReceive = SendableProxyMethod<Void, String, Int>()
  func transfer(_ name: String, didReceive bytes: Int) {
    call(didReceive, (name, bytes)) { $0.transfer(name, didReceive: bytes) }
  }

  let didEnd = SendableProxyMethod<Void>()
  func transferDidEnd() { call(didEnd, ()) { $0.transferDidEnd() } }

  let shouldRetry = SendableProxyMethod<Bool, String, Int>("shouldRetry")
  func transfer(_ name: String, shouldRetry attempt: Int) -> Bool {
    call(shouldRetry, (name, attempt), default: false) { $0.transfer(name, shouldRetry: attempt) }
  }

  let checks = SendableProxySlot<NotAllowed, Int, String>()
  func check(_ name: String) throws(NotAllowed) -> Int {
    try call(checks, name) { (delegate) throws(NotAllowed) in try delegate.check(name) }
  }

  let tokens = SendableAsyncThrowingProxyMethod<String, String, Int>()
  func token(for name: String, _ attempt: Int) async throws -> String {
    try await call(tokens, (name, attempt)) { try await $0.token(for: $1.0, $1.1) }
  }

  let limitSlot = SendableProxyProperty<Int>()
  var limit: Int {
    get { call(limitSlot.getter, (), default: 0) { $0.limit } }
    set { call(limitSlot.setter, newValue) { $0.limit = newValue } }
  }
}

private final class Recorder: TransferDelegate {
  let calls = Lock<[String]>([])
  private let stored = Lock(3)

  func transfer(_ name: String, didReceive bytes: Int) { calls.withLock { $0.append("\(name) \(bytes)") } }

  func transferDidEnd() { calls.withLock { $0.append("end") } }

  func transfer(_ name: String, shouldRetry attempt: Int) -> Bool { attempt < 2 }

  func check(_ name: String) throws(NotAllowed) -> Int {
    if name == "bad" { throw NotAllowed() }
    return name.count
  }

  func token(for name: String, _ attempt: Int) async throws -> String {
    if name == "bad" { throw NotAllowed() }
    return "\(name)-\(attempt)"
  }

  var limit: Int {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}

@Suite(.noLiveResources)
struct SendableProxyTests {
  @Test func `calls from many threads arrive at home, each once, in order for each thread`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let bag = DisposeBag()
      defer { bag.dispose() }
      let proxy = TransferDelegateProxy()
      var seen: [String: [Int]] = [:]
      var count = 0
      proxy.didReceive.stream(capacity: 10_000, whenFull: .dropNewest).observeNext { name, bytes in
        seen[name, default: []].append(bytes)
        count += 1
        if count == 4_000 { loop.stop() }
      }.dispose(in: bag)
      for thread in 0..<4 {
        DispatchQueue.global().async {
          for number in 0..<1_000 { proxy.transfer("\(thread)", didReceive: number) }
        }
      }
      loop.run()
      #expect(seen == Dictionary(uniqueKeysWithValues: (0..<4).map { ("\($0)", Array(0..<1_000)) }))
    }
  }

  @Test
  func `each observer has its own buffer and home; all complete when the proxy goes, and who comes later at once`()
    async throws
  {
    try await onOwnThread {
      var proxy: TransferDelegateProxy? = TransferDelegateProxy()
      let loop = Loop()
      defer { loop.shutdown() }
      let bag = DisposeBag()
      defer { bag.dispose() }
      let other = Queue(label: "other")
      let (far, isObserved, isToGoOn) = (Log(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      // The stream is passed to the queue and not used here.
      nonisolated(unsafe) let stream = proxy!.didReceive.stream(capacity: 3, whenFull: .dropOldest)
      let observation = Confined(at: other) {
        stream.observe(next: { _, bytes in far.add("\(bytes)") }, termination: { far.add("\($0)") })
      }
      other.async {
        isObserved.signal()
        // The queue is busy until everything has been sent.
        isToGoOn.wait()
      }
      isObserved.wait()
      var near: [String] = []
      proxy?.didReceive.stream(capacity: 100, whenFull: .dropNewest).observe(
        next: { _, bytes in near.append("\(bytes)") }, termination: { near.append("\($0)") }
      ).dispose(in: bag)
      for number in 0..<10 { proxy?.transfer("a", didReceive: number) }
      let late = proxy!.didReceive.stream(capacity: 1, whenFull: .dropNewest)
      proxy = nil
      isToGoOn.signal()
      loop.run()
      late.observe(next: { _ in near.append("late") }, termination: { near.append("late \($0)") }).dispose(in: bag)
      loop.run()
      withExtendedLifetime(observation) { other.shutdown() }
      #expect(near == (0..<10).map { "\($0)" } + ["completed", "late completed"])
      #expect(far.entries == ["7", "8", "9", "completed"])
    }
  }

  @Test func `a method with a result is answered where it is called, by the handler, the forwardee, or the default`()
    async throws
  {
    let proxy = TransferDelegateProxy()
    let delegate: any TransferDelegate = proxy
    #expect(!delegate.transfer("a", shouldRetry: 1))
    let recorder = Recorder()
    proxy.forwardTo = recorder
    #expect(proxy.forwardTo === recorder)
    #expect(delegate.transfer("a", shouldRetry: 1) && !delegate.transfer("a", shouldRetry: 5))
    #expect(try delegate.check("good") == 4)
    #expect(throws: NotAllowed()) { try delegate.check("bad") }
    #expect(try await delegate.token(for: "a", 2) == "a-2")
    await #expect(throws: NotAllowed()) { try await delegate.token(for: "bad", 2) }
    delegate.limit = 7
    #expect(recorder.limit == 7 && delegate.limit == 7)

    let place = try proxy.shouldRetry.answer { _, attempt in attempt == 5 }
    #expect(throws: SlotOccupied(slot: "TransferDelegateProxy.shouldRetry")) {
      try proxy.shouldRetry.answer { _, _ in true }
    }
    try await onOwnThread {
      #expect(delegate.transfer("a", shouldRetry: 5) && !delegate.transfer("a", shouldRetry: 1))
    }
    let second = proxy.shouldRetry.replaceAnswer { name, _ in name == "b" }
    // Disposing the first handler does not remove the second one.
    place.dispose()
    #expect(delegate.transfer("b", shouldRetry: 9))
    second.dispose()
    #expect(delegate.transfer("a", shouldRetry: 1))

    try proxy.tokens.answer { name, attempt in "\(name)+\(attempt)" }
    #expect(try await delegate.token(for: "a", 2) == "a+2")
    try proxy.checks.answer { (_) throws(NotAllowed) in throw NotAllowed() }
    #expect(throws: SlotOccupied(slot: "of TransferDelegateProxy")) {
      try proxy.checks.answer { (_) throws(NotAllowed) in 1 }
    }
    #expect(throws: NotAllowed()) { try delegate.check("good") }
  }

  @Test func `a method without a result goes to the handler and to every forwardee that is there`() throws {
    let proxy = TransferDelegateProxy()
    let (first, handled) = (Recorder(), Log())
    var second: Recorder? = Recorder()
    try proxy.didEnd.answer { handled.add("handler") }
    let place = proxy.addForwardee(first)
    proxy.addForwardee(second!)
    proxy.transferDidEnd()
    #expect(second?.calls.withLock { $0 } == ["end"])
    second = nil
    proxy.transferDidEnd()
    place.dispose()
    proxy.transferDidEnd()
    #expect(first.calls.withLock { $0 } == ["end", "end"])
    #expect(handled.entries.count == 3)
    proxy.setForwardee(Recorder(), retaining: true)
    #expect(proxy.transfer("a", shouldRetry: 1))
    proxy.forwardTo = nil
    #expect(proxy.forwardTo == nil)
  }

  @Test func `a property answers with its latest value, on any thread, until it is taken away`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let proxy = TransferDelegateProxy()
      let limit = Property(2)
      let place = try proxy.shouldRetry.feed(limit) { limit, _, attempt in attempt < limit }
      func answers() throws -> [Bool] {
        let queue = Queue(label: "caller")
        defer { queue.shutdown() }
        return try queue.sync { (0..<4).map { proxy.transfer("a", shouldRetry: $0) } }
      }
      #expect(try answers() == [true, true, false, false])
      limit.value = 3
      #expect(try answers() == [true, true, true, false])
      place.dispose()
      #expect(try answers() == [false, false, false, false])
    }
  }

  @Test(arguments: ["disposed", "replaced", "gone", "gone elsewhere"])
  func `the observation of a property that is fed ends with the handler`(_ way: String) async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let limit = Property(2)
      var proxy: TransferDelegateProxy? = TransferDelegateProxy()
      var slot = proxy?.shouldRetry
      let place = try #require(slot).feed(limit) { limit, _, attempt in attempt < limit }
      #expect(limit.observerCount == 1)
      switch way {
      case "disposed": place.dispose()
      case "replaced": try #require(slot).replaceAnswer { _, _ in false }
      case "gone elsewhere":
        let other = Queue(label: "other")
        let last = Lock(slot.take())
        proxy = nil
        try other.sync { last.withLock { $0 = nil } }
        other.shutdown()
        loop.run()
      default: break
      }
      (proxy, slot) = (nil, nil)
      #expect(limit.observerCount == 0)
      withExtendedLifetime(place) {}
    }
  }

  @Test func `a stream completes with its slot, which code can retain longer than the proxy`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let bag = DisposeBag()
      var proxy: TransferDelegateProxy? = TransferDelegateProxy()
      var slot = proxy?.didReceive
      var log: [String] = []
      slot!.stream(capacity: 4, whenFull: .dropOldest).observe(
        next: { _, bytes in
          log.append("\(bytes)")
          Stream.timer((), after: .milliseconds(1)).observeNext {
            log.append("released")
            slot = nil
          }.dispose(in: bag)
        }, termination: { log.append("\($0)") }
      ).dispose(in: bag)
      proxy?.transfer("a", didReceive: 1)
      proxy = nil
      loop.run()
      #expect(log == ["1", "released", "completed"])
    }
  }

  @Test func `handlers and forwardees come and go while other threads call`() async throws {
    let (proxy, recorder) = (TransferDelegateProxy(), Recorder())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for attempt in 0..<2_000 {
            // The answer comes from any of the handlers and forwardees.
            _ = proxy.transfer("a", shouldRetry: attempt)
            proxy.transferDidEnd()
          }
        }
      }
      group.addTask {
        for round in 0..<2_000 {
          let place = proxy.shouldRetry.replaceAnswer { _, _ in round == 0 }
          proxy.forwardTo = recorder
          let added = proxy.addForwardee(Recorder(), retaining: true)
          place.dispose()
          added.dispose()
          proxy.forwardTo = nil
        }
      }
    }
    #expect(!proxy.transfer("a", shouldRetry: 0))
  }

  @Test func `to forward to oneself traps, and so does a question that nobody answers`() async {
    let circle = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (first, second) = (TransferDelegateProxy(), TransferDelegateProxy())
      first.forwardTo = second
      second.forwardTo = first
    }
    let sentence = String(decoding: circle?.standardErrorContent ?? [], as: UTF8.self)
    #expect(sentence.contains("would forward to itself"))
    let question = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try TransferDelegateProxy().check("a")
    }
    let text = String(decoding: question?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("has no handler, forwardee, or default for check(_:)") && text.contains("answer { … }"))
  }
}
