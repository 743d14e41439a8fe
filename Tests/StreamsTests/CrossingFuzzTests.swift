import Streams
import StreamsTesting
import TestSupport
import Testing

/// Crossing points, compared with models. Here, the domains are two mailboxes of one thread, whose jobs run when the script
/// says so. Each case is therefore the same in each run.
@Suite("Crossing points, fuzzed", .noLiveResources, .timeLimit(.minutes(60)))
struct CrossingFuzzTests {
  private func fuzz(_ run: @escaping @Sendable (Int) -> String?) async throws {
    try await onOwnThread {
      for seed in Effort.seeds {
        if let problem = run(seed) {
          Issue.record("seed \(seed): \(problem)")
          return
        }
      }
    }
  }

  @Test func `an inlet delivers what it has accepted, in order, and pressure calls alternate`() async throws {
    try await fuzz { InletRun($0).run() }
  }

  @Test func `observe(on: queue) delivers everything in order, and ends the source when either side goes`() async throws
  { try await fuzz { CrossingRun($0).run() } }

  @Test func `execute(on:) delivers what was produced, as the policy says`() async throws {
    try await fuzz { ExecuteRun($0).run() }
  }

  @Test @MainActor func `values() gives what was sent, as the policy says`() async {
    for seed in Effort.seeds {
      if let problem = await ValuesRun(seed).run() {
        Issue.record("seed \(seed): \(problem)")
        return
      }
    }
  }
}

/// One inlet, its sender, and its observer.
private final class InletRun {
  private let home = ThreadMailbox()
  private var random: SeededGenerator
  private let inlet: Inlet<Int>
  private let policy: OverflowPolicy
  private let pressures = Lock<[InletPressure]>([])
  private var subscription: Subscription?
  private var sent = 0
  private var accepted: [Int] = []
  private var received: [Int] = []
  private var isFinished = false
  private var isPaused = false
  private var isDisposed = false
  private var ends = 0
  private var depth = 0
  private var problem: String?

  init(_ seed: Int) {
    random = SeededGenerator(UInt64(seed))
    policy = Bool.random(using: &random) ? .dropNewest : .dropOldest
    inlet = Inlet(capacity: Int.random(in: 1...6, using: &random), whenFull: policy, isolation: nil)
  }

  deinit { home.discard() }

  func run() -> String? {
    home.at {
      let pressures = pressures
      if Bool.random(using: &random) { inlet.onPressure { pressure in pressures.withLock { $0.append(pressure) } } }
      subscription = inlet.stream.observe(
        next: { [unowned self] in receive($0) }, termination: { [unowned self] _ in ends += 1 })
      for _ in 0..<Int.random(in: 0..<40, using: &random) { act() }
      isFinished = true
      if isPaused { resume() }
      inlet.finish()
      for _ in 0..<4 { home.run() }
    }
    home.at {
      subscription?.dispose()
      home.run()
    }
    return verdict()
  }

  private func verdict() -> String? {
    if let problem { return problem }
    if ends != (isDisposed ? 0 : 1) { return "ended \(ends) times" }
    if policy == .dropNewest {
      let expected = isDisposed ? Array(accepted.prefix(received.count)) : accepted
      if received != expected { return "\(received) instead of \(expected)" }
    } else if received != received.sorted() || (!isDisposed && received.count + inlet.dropped != sent) {
      return "\(received) of \(sent), \(inlet.dropped) dropped"
    }
    let calls = pressures.withLock { $0 }
    for (index, call) in calls.enumerated() where call != (index % 2 == 0 ? .high : .low) { return "calls \(calls)" }
    if !isDisposed, calls.last == .high { return "the sender still waits" }
    return nil
  }

  private func receive(_ number: Int) {
    if depth > 0 { problem = "delivered inside of a delivery" }
    if isPaused || isDisposed { problem = "delivered to one that pauses or has left" }
    depth += 1
    received.append(number)
    if !isFinished, Int.random(in: 0..<3, using: &random) == 0 { act() }
    depth -= 1
  }

  private func act() {
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<8:
      if inlet.send(sent), policy == .dropNewest { accepted.append(sent) }
      sent += 1
    case 8, 9:
      isPaused = !isDisposed
      subscription?.pause()
    case 10, 11: resume()
    case 12, 13, 14: if depth == 0 { home.run() }
    default:
      if Int.random(in: 0..<10, using: &random) > 0 { break }
      isDisposed = true
      isPaused = false
      subscription?.dispose()
    }
  }

  private func resume() {
    isPaused = false
    subscription?.resume()
  }
}

/// One stream that is observed in another domain.
private final class CrossingRun: @unchecked Sendable {
  // Sendable, because both domains are on one thread.
  private let near = ThreadMailbox()
  private let far = ThreadMailbox()
  private var random: SeededGenerator
  private let pushed = PushStream<Int>()
  private let isSequence: Bool
  private let length: Int
  private var sent = 0
  private var received: [Int] = []
  private var crossing: (any Disposable)?
  private var subscription: Subscription?
  private var isFarPaused = false
  private var isOver = false
  private var isClosed = false
  /// True when the script has ended, and the rest is delivered.
  private var isEnding = false
  private var ends = 0
  private var sourceEnds = 0
  private var depth = 0
  private var problem: String?

  init(_ seed: Int) {
    random = SeededGenerator(UInt64(seed))
    isSequence = Bool.random(using: &random)
    length = Int.random(in: 0..<40, using: &random)
  }

  deinit {
    near.discard()
    far.discard()
  }

  func run() -> String? {
    near.at {
      let source: Stream<Int> = isSequence ? .sequence(0..<length) : pushed.toStream()
      let marks = Watermarks(high: Int.random(in: 1...6, using: &random))
      crossing = source.doOn(disposed: { [unowned self] in sourceEnds += 1 })
        .observe(on: far, watermarks: marks) { [unowned self] stream, bag in
          subscription = stream.observe(
            next: { [unowned self] in receive($0) }, termination: { [unowned self] _ in ends += 1 })
          subscription?.dispose(in: bag)
        }
    }
    for _ in 0..<Int.random(in: 0..<60, using: &random) { act() }
    isEnding = true
    far.at { resumeFar() }
    near.at { crossing?.resume() }
    if !isOver, !isSequence {
      near.at { pushed.completed() }
    }
    for _ in 0..<120 {
      near.at { near.run() }
      if !isClosed { far.at { far.run() } }
    }
    let result = verdict()
    near.at { crossing?.dispose() }
    if !isClosed { far.at { far.run() } }
    near.at { near.run() }
    crossing = nil
    subscription = nil
    return result
  }

  private func verdict() -> String? {
    if let problem { return problem }
    let all = Array(0..<(isSequence ? length : sent))
    if isOver {
      if received != Array(all.prefix(received.count)) { return "\(received)" }
      if sourceEnds != 1 { return "the source has ended \(sourceEnds) times" }
      return nil
    }
    return received == all && ends == 1 ? nil : "\(received), ended \(ends) times, instead of \(all)"
  }

  private func receive(_ number: Int) {
    if depth > 0 { problem = "delivered inside of a delivery" }
    if isFarPaused || isClosed { problem = "delivered to one that pauses or has closed" }
    depth += 1
    received.append(number)
    switch isEnding ? 9 : Int.random(in: 0..<8, using: &random) {
    case 0: pauseFar()
    case 1:
      pauseFar()
      resumeFar()
    // The other thread acts at the same time.
    case 2: near.at { send() }
    case 3: near.at { near.run() }
    default: break
    }
    depth -= 1
  }

  private func act() {
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<8: near.at { send() }
    case 8..<11: near.at { near.run() }
    case 11..<16: if !isClosed { far.at { far.run() } }
    case 16: far.at { pauseFar() }
    case 17, 18: far.at { resumeFar() }
    case 19: near.at { crossing?.pause() }
    case 20, 21: near.at { crossing?.resume() }
    case 22:
      if isOver || Int.random(in: 0..<6, using: &random) > 0 { break }
      isOver = true
      near.at { crossing?.dispose() }
    default:
      if isOver || Int.random(in: 0..<6, using: &random) > 0 { break }
      far.at {
        // A loop runs all posted jobs before it closes.
        for _ in 0..<3 { far.run() }
        isOver = true
        isClosed = true
        far.close()
      }
    }
  }

  private func send() {
    if isSequence || isOver { return }
    pushed.next(sent)
    sent += 1
  }

  private func pauseFar() {
    guard !isClosed, let subscription else { return }
    isFarPaused = true
    subscription.pause()
  }

  private func resumeFar() {
    if isClosed { return }
    isFarPaused = false
    subscription?.resume()
  }
}

/// One job in a separate context.
private final class ExecuteRun {
  private let home = ThreadMailbox()
  private let jobs = ThreadMailbox()
  private var random: SeededGenerator

  init(_ seed: Int) { random = SeededGenerator(UInt64(seed)) }

  deinit {
    home.discard()
    jobs.discard()
  }

  func run() -> String? {
    let (count, capacity) = (Int.random(in: 0..<8, using: &random), Int.random(in: 1...5, using: &random))
    let policy: OverflowPolicy = Bool.random(using: &random) ? .dropNewest : .dropOldest
    let fails = Bool.random(using: &random)
    let jobs = jobs
    let context = ExecutionContext { _ = jobs.post($0) }
    var received: [Int] = []
    var ends: [Termination<TestError>] = []
    var isDisposed = false
    var hasRun = false
    home.at {
      let subscription = Operation<Int, TestError>.execute(on: context, capacity: capacity, whenFull: policy) {
        (inlet) throws(TestError) in
        for number in 0..<count { inlet.send(number) }
        if fails { throw "failed" }
      }.observe(next: { received.append($0) }, termination: { ends.append($0) })
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1:
          jobs.run()
          hasRun = true
        case 2, 3: home.run()
        case 4: subscription.pause()
        case 5, 6: subscription.resume()
        case 7 where Int.random(in: 0..<4, using: &random) == 0:
          subscription.dispose()
          isDisposed = true
        default: break
        }
      }
      jobs.run()
      hasRun = true
      subscription.resume()
      for _ in 0..<3 { home.run() }
      subscription.dispose()
      home.run()
    }
    let all = Array(policy == .dropNewest ? (0..<count).prefix(capacity) : (0..<count).suffix(capacity))
    if isDisposed { return received == Array(all.prefix(received.count)) && hasRun ? nil : "\(received) of \(all)" }
    if received != all { return "\(received) instead of \(all)" }
    return ends == [fails ? .failed("failed") : .completed] ? nil : "\(ends)"
  }
}

/// One iterator, and elements that are sent meanwhile, also from inside deliveries.
@MainActor
private final class ValuesRun {
  private var random: SeededGenerator
  private let stream = PushStream<Int>()
  private let policy: AsyncBuffering
  private var waiting: [Int] = []
  private var sent = 0

  init(_ seed: Int) {
    random = SeededGenerator(UInt64(seed))
    switch Int.random(in: 0..<5, using: &random) {
    case 0: policy = .unbounded
    case 1: policy = .latest
    case 2: policy = .bounded(Int.random(in: 1...4, using: &random), .dropOldest)
    case 3: policy = .bounded(Int.random(in: 1...4, using: &random), .dropNewest)
    default: policy = .pausing(Watermarks(high: 3, low: 1))
    }
  }

  func run() async -> String? {
    var nested = 0
    let echo = stream.observeNext { [unowned self] number in
      // Each of these elements is delivered after the current one.
      if nested < 3, number % 3 == 0 {
        nested += 1
        stream.next(take())
      } else {
        nested = 0
      }
    }
    defer { echo.dispose() }
    var iterator = stream.values(policy).makeAsyncIterator()
    for _ in 0..<Int.random(in: 0..<24, using: &random) {
      if Int.random(in: 0..<5, using: &random) < 3 {
        stream.next(take())
      } else if !waiting.isEmpty {
        let expected = waiting.removeFirst()
        let element = await iterator.next()
        if element != expected { return "\(element, default: "nil") instead of \(expected)" }
      } else if policy == .unbounded {
        // The iterator asks before the element is sent.
        let task = Task { @MainActor in stream.next(take()) }
        let element = await iterator.next()
        await task.value
        let expected = waiting.removeFirst()
        if element != expected { return "\(element, default: "nil") instead of \(expected)" }
      }
    }
    stream.completed()
    while let element = await iterator.next() {
      let expected = waiting.isEmpty ? -1 : waiting.removeFirst()
      if element != expected { return "\(element) instead of \(expected) at the end" }
    }
    return waiting.isEmpty ? nil : "\(waiting) are missing"
  }

  /// Returns the next number, and records it if the policy has room for it.
  private func take() -> Int {
    defer { sent += 1 }
    switch policy {
    case .latest: waiting = [sent]
    case .bounded(let limit, .dropOldest):
      if waiting.count == limit { waiting.removeFirst() }
      waiting.append(sent)
    case .bounded(let limit, .dropNewest): if waiting.count < limit { waiting.append(sent) }
    default: waiting.append(sent)
    }
    return sent
  }
}
