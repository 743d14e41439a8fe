import Streams
import StreamsTesting
import TestSupport
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

  private static var sharing: [(name: String, apply: (Operation<Dying, TestError>) -> Operation<Dying, TestError>)] {
    [
      ("shareReplay", { $0.shareReplay(1) }), ("replay", { $0.replay(1).refCount() }),
      ("replayLazily", { $0.replayLazily(1) }),
    ]
  }

  @Test func `an observer in the deinit of the element that leaves the memory receives the next element once`() {
    for (name, share) in Self.sharing {
      let source = PushOperation<Dying, TestError>()
      let shared = share(source.toOperation())
      var (first, second) = ([Int](), [Int]())
      let bag = DisposeBag()
      shared.observeNext { first.append($0.number) }.dispose(in: bag)
      source.next(Dying(1) { shared.observeNext { second.append($0.number) }.dispose(in: bag) })
      source.next(Dying(2))
      source.next(Dying(3))
      #expect(first == [1, 2, 3] && second == [2, 3], "\(name)")
      bag.dispose()
    }
  }

  /// How a run ends whose remembered element observes the shared stream in its deinit.
  enum Ending: CaseIterable { case leaving, vanishing, failing }

  @Test(arguments: Ending.allCases)
  func `an observer in the deinit of an element of a run that ends is in the next run`(_ ending: Ending) {
    for (name, share) in Self.sharing where ending != .leaving || name != "replayLazily" {
      var input: PushOperation<Dying, TestError>?
      var (runs, open) = (0, 0)
      let source = Operation<Dying, TestError>.deferred {
        runs += 1
        let push = PushOperation<Dying, TestError>()
        input = push
        return push.doOn(start: { open += 1 }, disposed: { open -= 1 })
      }
      let shared = share(source)
      var (first, second) = ([Int](), [Int]())
      let bag = DisposeBag()
      let subscription = shared.observe(next: { first.append($0.number) }, termination: { _ in })
      input?.next(Dying(1) { shared.observeNext { second.append($0.number) }.dispose(in: bag) })
      switch ending {
      case .leaving: subscription.dispose()
      case .vanishing: _ = input.take()
      case .failing: input?.failed("end")
      }
      input?.next(Dying(2))
      #expect(runs == 2 && open == 1, "\(name)")
      #expect(first == [1] && second == [2], "\(name)")
      subscription.dispose()
      bag.dispose()
    }
  }

  @Test func `an element of a run whose source goes meanwhile does not reach the next run`() {
    for (name, share) in Self.sharing {
      var input: PushOperation<Dying, TestError>?
      var onDisposed: (() -> Void)?
      let shared = share(
        .deferred {
          let push = PushOperation<Dying, TestError>()
          input = push
          return push.doOn(disposed: { onDisposed?() })
        })
      let bag = DisposeBag()
      var next: [Int] = []
      shared.observeNext { _ in }.dispose(in: bag)
      input?.next(Dying(1))
      onDisposed = {
        onDisposed = nil
        shared.observeNext { next.append($0.number) }.dispose(in: bag)
      }
      shared.observeNext {
        if $0.number > 1 { return }
        input?.next(Dying(2))
        _ = input.take()
      }.dispose(in: bag)
      input?.next(Dying(3))
      #expect(next == [3], "\(name)")
      bag.dispose()
    }
  }

  @Test func `an element that waits when the last observer leaves does not reach the next run`() {
    for (name, share) in Self.sharing where name != "replayLazily" {
      var inputs: [PushOperation<Dying, TestError>] = []
      let shared = share(
        .deferred {
          let push = PushOperation<Dying, TestError>()
          inputs.append(push)
          return push.toOperation()
        })
      let bag = DisposeBag()
      var next: [Int] = []
      var first: Subscription?
      first = shared.observeNext { _ in
        inputs[0].next(Dying(2))
        first?.dispose()
        shared.observeNext { next.append($0.number) }.dispose(in: bag)
      }
      inputs[0].next(Dying(1))
      inputs[1].next(Dying(3))
      #expect(next == [3], "\(name)")
      bag.dispose()
    }
  }

  @Test func `connecting in the deinit of an element of the run before starts one run`() {
    var inputs: [PushStream<Dying>] = []
    let shared = Stream<Dying>.deferred {
      let push = PushStream<Dying>()
      inputs.append(push)
      return push.toStream()
    }.replay(1)
    let bag = DisposeBag()
    let first = shared.connect()
    inputs[0].next(Dying(1) { shared.connect().dispose(in: bag) })
    first.dispose()
    shared.connect().dispose(in: bag)
    #expect(inputs.count == 2)
    bag.dispose()
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

  @Test(arguments: 0..<3)
  func `the held element of a winner is disposed if the disposal of a loser disposes the subscription`(_ kind: Int) {
    let mailbox = ThreadMailbox()
    mailbox.at {
      let (losing, winning) = (PushStream<Owned>(), PushStream<Owned>())
      let (loser, winner) = (losing.takeLast(1), winning.takeLast(1))
      let race: Stream<Owned> =
        switch kind {
        case 0: loser.amb(with: winner)
        case 1: Stream.sequence([loser, winner]).flatMap(.race) { $0 }
        default: loser.take(untilReplacement: winner)
        }
      var subscription: Subscription?
      subscription = race.observeNext { $0.dispose() }
      do {
        let element = Owned()
        element.onDispose = { subscription?.dispose() }
        losing.next(element)
      }
      winning.next(Owned())
      winning.completed()
    }
    // The operator above refers to the element until this turn.
    mailbox.run()
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
