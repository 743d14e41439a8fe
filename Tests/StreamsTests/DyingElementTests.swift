import Streams
import StreamsTesting
import Testing

/// Runs `onEnd` when it is deallocated, which can use the stream that has just replaced it.
private final class Dying {
  let number: Int
  private let onEnd: () -> Void

  init(_ number: Int, _ onEnd: @escaping () -> Void = {}) {
    self.number = number
    self.onEnd = onEnd
  }

  deinit { onEnd() }
}

/// The deinit of an element that is replaced finds the new element in its place. Without care, only optimized code breaks this:
/// `swift test -c release -Xswiftc -enable-testing`.
@Suite("Elements that use the stream when they are deallocated", .noLiveResources) struct DyingElementTests {
  enum Kind: CaseIterable { case combineLatest, array, withLatest, sample }

  @Test(arguments: Kind.allCases) func `an element that is being deallocated is not emitted`(_ kind: Kind) {
    let (items, ticks) = (PushStream<Dying>(), PushStream<Int>())
    let stream: Operation<Dying, Never> =
      switch kind {
      case .combineLatest: items.combineLatest(with: ticks).map { $0.0 }
      case .array: Operation.combineLatest([items.toOperation(), ticks.map { Dying($0) }]).map { $0[0] }
      case .withLatest: ticks.withLatest(from: items).map { $0.1 }
      case .sample: items.sample(on: ticks)
      }
    var received: [Int] = []
    let subscription = stream.observeNext { received.append($0.number) }
    items.next(Dying(1) { ticks.next(2) })
    ticks.next(1)
    items.next(Dying(2))
    #expect(received.first == 1 && received.dropFirst().allSatisfy { $0 == 2 })
    subscription.dispose()
  }

  @Test func `a late observer in the deinit of a remembered element receives the elements that are left, in order`() {
    let subject = ReplaySubject<Dying, Never>(bufferSize: 2)
    var received: [Int] = []
    subject.next(Dying(1) { subject.toStream().observeNext { received.append($0.number) }.dispose() })
    subject.next(Dying(2))
    subject.next(Dying(3))
    #expect(received == [2, 3])
    subject.completed()
  }

  @Test func `the last observer of a replaying stream leaves, and an element observes the stream`() {
    let source = PushStream<Dying>()
    var shared: Stream<Dying>?
    shared = source.shareReplay(2)
    var runs = 0
    let subscription = shared!.observeNext { _ in }
    for number in 1...3 {
      source.next(
        Dying(number) {
          runs += 1
          shared?.observeNext { _ in runs += 100 }.dispose()
        })
    }
    subscription.dispose()
    // The first one is dropped while the others are remembered.
    #expect(runs == 203)
    shared = nil
  }

  /// Counts the elements that are neither disposed nor delivered, and calls back when it is disposed or deallocated.
  private final class Owned: Disposable {
    var onDispose: () -> Void = {}
    var onEnd: () -> Void = {}
    private(set) var isDisposed = false

    func dispose() {
      isDisposed = true
      onDispose()
    }

    deinit {
      #expect(isDisposed)
      onEnd()
    }
  }

  @Test func `a delivered element whose deinit disposes the subscription leaves the others to be disposed`() {
    let source = PushStream<Owned>()
    var subscription: Subscription?
    var received = 0
    subscription = source.takeLast(3).observeNext {
      $0.dispose()
      received += 1
    }
    for number in 1...3 {
      let element = Owned()
      if number == 1 { element.onEnd = { subscription?.dispose() } }
      source.next(element)
    }
    source.completed()
    #expect(received == 1)
  }

  @Test(arguments: 0..<4)
  func `a held element whose operator emits it during the disposal of the chain is disposed`(_ kind: Int) {
    let clock = VirtualScheduler()
    let (first, second) = (PushStream<Owned>(), PushStream<Owned>())
    let delayed = first.delay(for: .seconds(1), on: clock)
    let held: Stream<Owned> =
      switch kind {
      case 0: second.sample(for: .seconds(1), on: clock)
      case 1: second.debounce(for: .seconds(1), on: clock)
      case 2: second.throttle(for: .seconds(1), latest: true, on: clock)
      default: second.delay(for: .zero, on: clock)
      }
    let subscription = delayed.merge(with: held).observeNext { $0.dispose() }
    // The disposal of this element makes the other operator emit.
    do {
      let element = Owned()
      element.onDispose = {
        second.completed()
        clock.advance(by: .zero)
      }
      first.next(element)
    }
    for _ in 0..<2 { second.next(Owned()) }
    subscription.dispose()
  }

  @Test func `a held element whose operator is resumed during the disposal of the chain is disposed`() {
    let source = PushStream<Owned>()
    let clock = VirtualScheduler()
    var subscription: Subscription?
    subscription = source.delay(for: .zero, on: clock).share().skipLast(1).observeNext { _ in }
    do {
      let element = Owned()
      element.onDispose = { subscription?.resume() }
      source.next(element)
    }
    clock.advance(by: .seconds(1))
    subscription?.pause()
    source.next(Owned())
    clock.advance(by: .seconds(1))
    subscription?.dispose()
    clock.advance(by: .seconds(1))
  }

  @Test func `a dropped element that sends while zip is being observed is not combined`() {
    final class Resource: Disposable {
      private var onDispose: (() -> Void)?
      init(_ onDispose: (() -> Void)?) { self.onDispose = onDispose }
      var isDisposed: Bool { onDispose == nil }
      func dispose() { onDispose.take()?() }
    }
    let sources = (0..<3).map { _ in PushOperation<Resource, TestError>() }
    let failing = Operation<Resource, TestError>.deferred {
      sources[0].next(Resource { sources[2].next(Resource {}) })
      sources[1].next(Resource {})
      sources[1].failed("broken")
      return .never()
    }
    let recorder = zip(sources[0], sources[1], sources[2].merge(with: failing)).map { _ in 0 }.record()
    #expect(recorder.events == [.failed("broken")])
  }
}
