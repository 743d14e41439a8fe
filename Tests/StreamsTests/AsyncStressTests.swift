import Streams
import StreamsTesting
import TestSupport
import Testing

/// Many short iterations that end at random.
@Suite("Async stress", .noLiveResources(patience: .seconds(20)), .timeLimit(.minutes(15)))
struct AsyncStressTests {
  static let rounds = 500

  /// The numbers of starts and disposals on all threads.
  final class Balance: Sendable {
    private let counts = Lock((starts: 0, disposals: 0))

    func start() -> BlockDisposable {
      counts.withLock { $0.starts += 1 }
      return BlockDisposable { self.counts.withLock { $0.disposals += 1 } }
    }

    var isEven: Bool { counts.withLock { $0.starts == $0.disposals } }
  }

  /// Iterates over `push`, and stops after a random number of elements, unless it is canceled before.
  static func iterate(
    _ push: PushStream<Int>, _ balance: Balance, _ seed: Int, isolation: isolated (any Actor)? = #isolation
  ) async {
    var random = SeededGenerator(UInt64(seed))
    let stream = Stream<Int> { observer in
      let disposable = balance.start()
      let subscription = push.observeNext { observer.next($0) }
      return BlockDisposable {
        subscription.dispose()
        disposable.dispose()
      }
    }
    let policies: [AsyncBuffering] = [
      .pausing, .latest, .unbounded, .bounded(2, .dropOldest), .bounded(2, .dropNewest),
    ]
    var left = Int.random(in: 1...4, using: &random)
    for await _ in stream.values(policies.randomElement(using: &random) ?? .latest) {
      left -= 1
      if left == 0 { break }
    }
  }

  actor Owner {
    let push = PushStream<Int>()

    func iterate(_ balance: Balance, _ seed: Int) async { await AsyncStressTests.iterate(push, balance, seed) }
    func send(_ element: Int) { push.next(element) }
    var observers: Int { push.observerCount }
  }

  @Test func `in an actor`() async {
    let owner = Owner()
    let balance = Balance()
    await withTaskGroup { group in
      for seed in 0..<Self.rounds {
        let task = Task { await owner.iterate(balance, seed) }
        if seed % 3 != 0 {
          group.addTask {
            for _ in 0..<(seed % 17) { await Task.yield() }
            task.cancel()
          }
        }
        group.addTask { await task.value }
        if seed % 8 == 7 { await owner.send(seed) }
      }
      let sender = Task {
        while !Task.isCancelled {
          await owner.send(0)
          await Task.yield()
        }
      }
      await group.waitForAll()
      sender.cancel()
    }
    await eventually { balance.isEven }
    #expect(await owner.observers == 0)
  }

  @Test @MainActor func `on the main actor`() async {
    let push = PushStream<Int>()
    let balance = Balance()
    var tasks: [Task<Void, Never>] = []
    for seed in 0..<Self.rounds {
      let task = Task { await Self.iterate(push, balance, seed) }
      tasks.append(task)
      if seed % 3 != 0 {
        Task.detached {
          for _ in 0..<(seed % 17) { await Task.yield() }
          task.cancel()
        }
      }
      push.next(seed)
      await Task.yield()
    }
    let sender = Task {
      while !Task.isCancelled {
        push.next(0)
        await Task.yield()
      }
    }
    for task in tasks { await task.value }
    sender.cancel()
    await eventually { balance.isEven }
    #expect(push.observerCount == 0)
  }

  @Test func `in tasks without an actor`() async {
    let balance = Balance()
    await withTaskGroup { group in
      for seed in 0..<Self.rounds {
        group.addTask {
          let task = Task {
            var sum = 0
            let stream = Stream<Int> { observer in
              let disposable = balance.start()
              if seed.isMultiple(of: 2) { for number in 0..<10 { observer.next(number) } }
              return disposable
            }
            for await value in stream.values() {
              sum += value
              if value == seed % 12 { break }
            }
          }
          for _ in 0..<(seed % 17) { await Task.yield() }
          task.cancel()
          await task.value
        }
      }
    }
    #expect(balance.isEven, "in place: there is no home to post to")
  }
}
