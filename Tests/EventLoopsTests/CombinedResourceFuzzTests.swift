import EventLoops
import Streams
import StreamsTesting
import TestSupport
import Testing

/// `combineLatest` of sources whose elements own a resource, with sends from inside deliveries.
///
/// The model: each source has a queue for what is sent while it delivers, and the operator has one for what the other sources
/// send during a delivery. An output has the latest element of each source. An element that no output has delivered is disposed.
@Suite(.noLiveResources, .timeLimit(.minutes(15)))
struct CombinedResourceFuzzTests {
  /// Something that a source sends. At the end of a source it has no element.
  private struct Input {
    let source: Int
    let element: Int?
  }

  /// One case: what is sent outside of deliveries, and inside of each delivery.
  private struct Plan {
    let sources: Int
    var outside: [Input] = []
    var inside: [[Input]] = []
    /// The number of outputs after which the observer leaves, and whether it pauses and resumes in each delivery.
    let limit: Int
    let pauses: Bool
    private(set) var elements = 0

    init(_ seed: Int) {
      var generator = SeededGenerator(UInt64(seed))
      sources = Int.random(in: 2...3, using: &generator)
      limit = Int.random(in: 1...8, using: &generator)
      pauses = .random(using: &generator)
      for _ in 0..<Int.random(in: 1...8, using: &generator) { outside.append(input(&generator)) }
      for _ in 0..<8 {
        let count = Int.random(in: 0...3, using: &generator)
        inside.append((0..<count).map { _ in input(&generator) })
      }
    }

    private mutating func input(_ generator: inout SeededGenerator) -> Input {
      let source = Int.random(in: 0..<sources, using: &generator)
      if Int.random(in: 0..<20, using: &generator) == 0 { return Input(source: source, element: nil) }
      defer { elements += 1 }
      return Input(source: source, element: elements)
    }
  }

  private struct Model {
    let plan: Plan
    var outputs: [[Int]] = []
    private var latest: [Int?]
    private var hasEnded: [Bool]
    private var isBusy: [Bool]
    private var isDelivering = false
    private var queues: [[Input]]
    private var nested: [Input] = []
    private var ends = 0
    private var isOver = false

    init(_ plan: Plan) {
      self.plan = plan
      latest = Array(repeating: nil, count: plan.sources)
      hasEnded = Array(repeating: false, count: plan.sources)
      isBusy = hasEnded
      queues = Array(repeating: [], count: plan.sources)
      for input in plan.outside { send(input) }
    }

    private mutating func send(_ input: Input) {
      let source = input.source
      if isBusy[source] { return queues[source].append(input) }
      isBusy[source] = true
      emit(input)
      while !queues[source].isEmpty { emit(queues[source].removeFirst()) }
      isBusy[source] = false
    }

    /// A source emits what it was sent, unless it has ended.
    private mutating func emit(_ input: Input) {
      if hasEnded[input.source] { return }
      if input.element == nil { hasEnded[input.source] = true }
      if isDelivering { return nested.append(input) }
      combine(input)
      while !nested.isEmpty { combine(nested.removeFirst()) }
    }

    private mutating func combine(_ input: Input) {
      if isOver { return }
      guard let element = input.element else {
        ends += 1
        if latest[input.source] == nil || ends == plan.sources { isOver = true }
        return
      }
      latest[input.source] = element
      let output = latest.compactMap { $0 }
      if output.count < plan.sources { return }
      outputs.append(output)
      if outputs.count == plan.limit { isOver = true }
      isDelivering = true
      for input in plan.inside[outputs.count - 1] { send(input) }
      isDelivering = false
    }
  }

  @Test func `an element is disposed if no output with it is delivered`() throws {
    let queue = Queue(label: "home")
    for seed in Effort.seeds {
      let plan = Plan(seed)
      let counter = ResourceCounter()
      let outputs = try queue.sync { Self.run(plan, counter) }
      // The second look at the elements that were dropped in a delivery.
      try queue.sync {}
      let (expected, delivered) = (Model(plan).outputs, Set(outputs.joined()))
      if outputs != expected || counter.count != delivered.count {
        Issue.record(
          "seed \(seed): \(outputs) instead of \(expected), \(counter.count) open, \(delivered.count) delivered")
        break
      }
    }
    queue.shutdown()
  }

  @Test(arguments: [Int.max, 9]) func `a sequence that is resumed in a delivery waits for what was sent in it`(
    _ last: Int
  ) {
    let open = PushStream<Void>()
    let (isOn, mode) = (PushStream<Bool>(), PushStream<Int>())
    var log: [String] = []
    var subscription: Subscription?
    subscription = combineLatest(open.flatMap(.latest) { Stream.sequence(1...last) }, isOn, mode)
      .take(5)
      .observeNext { number, isOn, mode in
        log.append("\(number) \(isOn) \(mode)")
        if isOn, mode == 0 {
          // Sends to a source that cannot wait.
          send(1)
          subscription?.resume()
        } else {
          subscription?.pause()
        }
      }
    func send(_ number: Int) { mode.next(number) }
    isOn.next(false)
    mode.next(0)
    open.next()
    #expect(log == ["1 false 0"])
    isOn.next(true)
    #expect(log == ["1 false 0", "1 true 0", "1 true 1"])
    subscription?.resume()
    #expect(log.last == "2 true 1")
    subscription?.dispose()
  }

  /// Returns the numbers of the elements of each output that the observer has received.
  private static func run(_ plan: Plan, _ counter: ResourceCounter) -> [[Int]] {
    final class Numbered: Disposable {
      let number: Int
      let resource: Resource
      var isDisposed: Bool { resource.isDisposed }

      init(_ number: Int, _ counter: ResourceCounter) {
        self.number = number
        resource = Resource(counter)
      }

      func dispose() { resource.dispose() }
    }
    let sources = (0..<plan.sources).map { _ in PushStream<Numbered>() }
    let combined: Stream<[Numbered]> =
      switch plan.sources {
      case 2: sources[0].combineLatest(with: sources[1]).map { [$0, $1] }
      default: Stream.combineLatest(sources.map { $0.toStream() })
      }
    var outputs: [[Int]] = []
    var isOver = false
    var hasEnded = Array(repeating: false, count: plan.sources)
    let send = { (input: Input) in
      // A source without an observer, or that has ended, would refuse the element.
      if isOver || hasEnded[input.source] { return }
      if let element = input.element {
        sources[input.source].next(Numbered(element, counter))
      } else {
        hasEnded[input.source] = true
        sources[input.source].completed()
      }
    }
    let subscription = SerialDisposable()
    subscription.inner = combined.doOn(disposed: { isOver = true }).observeNext { output in
      outputs.append(output.map(\.number))
      if plan.pauses { subscription.pause() }
      for input in plan.inside[outputs.count - 1] { send(input) }
      if plan.pauses { subscription.resume() }
      if outputs.count == plan.limit { subscription.dispose() }
    }
    for input in plan.outside { send(input) }
    subscription.dispose()
    return outputs
  }
}
