import Streams
import StreamsTesting
import TestSupport
import Testing

/// A hot stream, compared with a model of its contract, under random operations inside and outside deliveries.
@Suite(.noLiveResources, .timeLimit(.minutes(15))) struct PushStreamStressTests {
  struct Entry: Equatable {
    let observer: Int
    let element: Int
  }

  /// The operations that the stream and its model share.
  private class World {
    var log: [Entry] = []
    var nextObserver = 0
    var nextElement = 0
    let seed: UInt64

    init(_ seed: UInt64) { self.seed = seed }

    func add(_ observer: Int) {}
    func remove(_ observer: Int) {}
    func send(_ element: Int) {}

    /// The reaction depends only on the observer and the element, so that the stream and the model react alike.
    final func receive(_ observer: Int, _ element: Int) {
      log.append(Entry(observer: observer, element: element))
      var random = SeededGenerator(seed ^ UInt64(observer) << 32 ^ UInt64(element))
      for _ in 0..<Int.random(in: 0...2, using: &random) { act(&random) }
    }

    final func act(_ random: inout SeededGenerator) {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<30:
        guard nextObserver < 400 else { return }
        nextObserver += 1
        add(nextObserver - 1)
      case 30..<75:
        if nextObserver > 0 { remove(Int.random(in: 0..<nextObserver, using: &random)) }
      default:
        guard nextElement < 300 else { return }
        nextElement += 1
        send(nextElement - 1)
      }
    }
  }

  private final class Tested: World {
    let push = PushStream<Int>()
    var subscriptions: [Int: Subscription] = [:]

    override func add(_ observer: Int) {
      subscriptions[observer] = push.observeNext { [unowned self] in receive(observer, $0) }
    }

    override func remove(_ observer: Int) { subscriptions[observer]?.dispose() }

    override func send(_ element: Int) { push.next(element) }
  }

  private final class Model: World {
    var observers: [Int] = []
    var alive: Set<Int> = []
    var queue: [Int] = []
    var isDelivering = false

    override func add(_ observer: Int) {
      observers.append(observer)
      alive.insert(observer)
    }

    override func remove(_ observer: Int) { alive.remove(observer) }

    override func send(_ element: Int) {
      queue.append(element)
      if isDelivering { return }
      isDelivering = true
      while !queue.isEmpty {
        let element = queue.removeFirst()
        for observer in observers where alive.contains(observer) { receive(observer, element) }
      }
      isDelivering = false
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `random operations give what the model gives`(_ seed: UInt64) {
    let tested = Tested(seed)
    let model = Model(seed)
    for world in [tested, model] {
      var random = SeededGenerator(seed)
      for _ in 0..<500 { world.act(&random) }
    }
    #expect(tested.log == model.log)
    #expect(!model.log.isEmpty)
    #expect(tested.push.observerCount == model.alive.count)
    // Even if many observers have left, the rest are in order.
    tested.push.completed()
    #expect(tested.push.observerCount == 0)
  }

  @Test func `adding and removing is cheap with a hundred thousand observers`() {
    let push = PushStream<Int>()
    var sum = 0
    var subscriptions = (0..<100_000).map { _ in push.observeNext { sum += $0 } }
    push.next(1)
    #expect(sum == 100_000)
    var random = SeededGenerator(7)
    subscriptions.shuffle(using: &random)
    for subscription in subscriptions.prefix(99_990) { subscription.dispose() }
    #expect(push.observerCount == 10)
    push.next(1)
    #expect(sum == 100_010)
    for subscription in subscriptions { subscription.dispose() }
    #expect(push.observerCount == 0)
  }

  @Test func `a hundred thousand observers may leave during one delivery`() {
    let push = PushStream<Int>()
    let bag = DisposeBag()
    var count = 0
    for _ in 0..<100_000 {
      let own = SerialDisposable()
      own.inner = push.observeNext { _ in
        count += 1
        own.dispose()
      }
      own.dispose(in: bag)
    }
    push.next(1)
    push.next(2)
    #expect(count == 100_000)
    #expect(push.observerCount == 0)
  }
}
