import Streams
import StreamsTesting
import TestSupport
import Testing

/// Operators with several sources that can all wait. However the observer pauses and resumes, inside and outside deliveries,
/// nothing is delivered while it pauses, and everything is delivered in the end.
@Suite(.noLiveResources)
struct PausedSourcesFuzzTests {
  /// An element: the number of its source, and its index there.
  private struct Mark: Equatable {
    let source: Int
    let index: Int
  }

  /// A random tree of operators, and the number of elements of each source.
  private struct Tree {
    private(set) var counts: [Int] = []
    var random: SeededGenerator

    private mutating func source() -> Stream<Mark> {
      let (source, count) = (counts.count, Int.random(in: 0..<6, using: &random))
      counts.append(count)
      return Stream.sequence(0..<count).map { Mark(source: source, index: $0) }
    }

    mutating func stream(depth: Int) -> Stream<Mark> {
      if depth == 0 { return source() }
      let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in stream(depth: depth - 1) }
      let outer = Stream.sequence(parts.indices)
      return switch Int.random(in: 0..<6, using: &random) {
      case 0: parts.dropFirst().reduce(parts[0]) { $0.merge(with: $1) }
      case 1: outer.flatMap(.merge) { parts[$0] }
      case 2: outer.flatMap(.concat) { parts[$0] }
      case 3: outer.flatMap(.concurrent(limit: 2)) { parts[$0] }
      case 4: parts.dropFirst().reduce(parts[0]) { $0.concat(with: $1) }
      default: outer.map { parts[$0] }.merge()
      }
    }
  }

  /// Returns nil if the events were correct.
  private func run(_ seed: Int) -> String? {
    var tree = Tree(random: SeededGenerator(UInt64(seed)))
    let stream = tree.stream(depth: Int.random(in: 1...3, using: &tree.random))
    var random = tree.random
    var seen: [Mark] = []
    var (isPaused, isCompleted, wrong): (Bool, Bool, String?) = (false, false, nil)
    var subscription: Subscription?
    func turn() {
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        isPaused = true
        subscription?.pause()
      case 1:
        isPaused = false
        subscription?.resume()
      default: break
      }
    }
    subscription = stream.observe(
      next: { mark in
        if isPaused { wrong = wrong ?? "\(mark) came while the observer paused" }
        seen.append(mark)
        // The first elements are delivered inside `observe`, when there is no subscription to pause yet.
        if subscription != nil { for _ in 0..<3 { turn() } }
      }, termination: { _ in isCompleted = true })
    for _ in 0..<1000 where !isCompleted {
      turn()
      if isPaused, Bool.random(using: &random) { continue }
      isPaused = false
      subscription?.resume()
    }
    for (source, count) in tree.counts.enumerated() {
      let indices = seen.filter { $0.source == source }.map(\.index)
      if indices != Array(0..<count) { wrong = wrong ?? "source \(source) of \(count): \(indices)" }
    }
    return isCompleted ? wrong : wrong ?? "it did not complete"
  }

  @Test func `nothing comes while the observer pauses, and all comes in the end`() {
    for seed in Effort.seed..<Effort.seed + Effort.cases {
      if let wrong = run(seed) {
        Issue.record("seed \(seed): \(wrong)")
        return
      }
    }
  }

  @Test func `an endless source that is resumed inside of another one's delivery waits for its end`() {
    let (start, other) = (PushStream<Void>(), PushStream<Int>())
    var seen: [Int] = []
    var subscription: Subscription?
    subscription = start.flatMap(.merge) { Stream.sequence(1...) }.merge(with: other).observeNext {
      seen.append($0)
      if $0 == 0 { subscription?.resume() } else { subscription?.pause() }
    }
    start.next()
    #expect(seen == [1])
    other.next(0)
    #expect(seen == [1, 0, 2])
    subscription?.dispose()
  }

  @Test func `a source that was paused while the sources of its operator were observed resumes`() {
    // The subject cannot wait, so it sends while the observer pauses.
    let remembered = ReplaySubject<Int, Never>(bufferSize: 1)
    remembered.next(0)
    for isNested in [false, true] {
      let start = PushStream<Void>()
      let numbers = Stream.sequence(1...3)
      let first = isNested ? numbers.merge(with: Stream<Int>.never()) : numbers
      var seen: [Int] = []
      var subscription: Subscription?
      subscription = start.flatMap(.merge) { first.merge(with: remembered) }.observeNext {
        seen.append($0)
        if $0 == 0 { subscription?.resume() } else { subscription?.pause() }
      }
      start.next()
      #expect(seen == [1, 0, 2])
      subscription?.resume()
      #expect(seen == [1, 0, 2, 3])
      subscription?.dispose()
    }
  }

  @Test func `many sources that are paused and resumed at each element do not recurse`() {
    let start = PushStream<Int>()
    var (count, depth, deepest) = (0, 0, 0)
    /// Sends twice from inside the call that starts or resumes it, and counts how deeply such calls are nested.
    func source(_ number: Int) -> Stream<Int> {
      Stream { observer in
        var left = 2
        func send() {
          depth += 1
          deepest = max(deepest, depth)
          while left > 0, observer.subscription.isOpen {
            left -= 1
            observer.next(number)
          }
          depth -= 1
        }
        send()
        return BlockDisposable({}, resume: send)
      }
    }
    var subscription: Subscription?
    subscription = start.flatMap(.merge) { source($0) }.observeNext { _ in
      count += 1
      subscription?.pause()
      subscription?.resume()
    }
    subscription?.pause()
    for number in 0..<2_000 { start.next(number) }
    subscription?.resume()
    #expect(count == 4_000 && deepest < 4)
    subscription?.dispose()
  }

  @Test(arguments: [false, true])
  func `who resumes while another one is told what is remembered goes on afterwards`(isLazy: Bool) {
    let start = PushStream<Void>()
    let numbers = start.flatMap(.concat) { Stream.sequence(0..<5) }
    let shared = isLazy ? numbers.replayLazily(1) : numbers.shareReplay(1)
    var seen: [String] = []
    var first: Subscription?
    first = shared.observeNext {
      seen.append("a\($0)")
      first?.pause()
    }
    start.next()
    let second = shared.take(1).observeNext {
      seen.append("b\($0)")
      first?.resume()
    }
    #expect(seen == ["a0", "b0", "a1"])
    first?.dispose()
    second.dispose()
  }

  @Test func `a producer that sends when it is resumed does so after the delivery`() {
    var producer: Observer<Int, Never>?
    var seen: [Int] = []
    var subscription: Subscription?
    let stream = Stream<Int> { observer in
      producer = observer
      return BlockDisposable(
        {}, resume: { for number in 10..<13 where observer.subscription.isOpen { observer.next(number) } })
    }
    subscription = stream.observeNext {
      seen.append($0)
      if $0 == 1 { subscription?.resume() } else { subscription?.pause() }
    }
    producer?.next(0)
    producer?.next(1)
    #expect(seen == [0, 1, 10])
    subscription?.dispose()
    producer = nil
  }

  @Test(arguments: [FlattenStrategy.concat, .concurrent(limit: 1), .concurrent(limit: 2)])
  func `what waits for its turn is delivered although its source has gone`(_ strategy: FlattenStrategy) {
    weak var canary: Canary?
    var seen: [Int] = []
    var subscription: Subscription?
    do {
      let (outer, held) = (PushStream<Int>(), Canary())
      canary = held
      subscription = outer.flatMap(strategy) { number in
        _ = held
        return Stream.sequence([number, -number])
      }.observeNext { seen.append($0) }
      subscription?.pause()
      for number in 1...3 { outer.next(number) }
    }
    #expect(seen == [] && canary != nil)
    subscription?.resume()
    #expect(seen.filter { $0 > 0 } == [1, 2, 3] && seen.count == 6)
    #expect(canary == nil)
    subscription?.dispose()
  }
}
