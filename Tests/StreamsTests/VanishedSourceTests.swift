import Streams
import StreamsTesting
import TestSupport
import Testing

/// A hot source that is deallocated without an end: nothing downstream is retained, whether or not it is disposed.
@Suite(.noLiveResources)
struct VanishedSourceTests {
  let scheduler = VirtualScheduler()

  /// All operators except the one that retains itself while it is observed.
  static let cases = OperatorCase.all.filter { $0.name != "take(during:)" }

  /// Whether the captures of `operators` and of the observer are released with the source, although the subscription is
  /// retained.
  private func releases(_ operators: [OperatorCase]) -> Bool {
    weak var first: Canary?
    weak var second: Canary?
    var subscription: Subscription?
    var input: PushOperation<Int, TestError>?
    do {
      let (above, below) = (Canary(), Canary())
      (first, second) = (above, below)
      let pipe = Source.pipe()
      input = pipe.input
      var chain = pipe.stream
      for tested in operators {
        chain = tested.apply(
          chain.map { element in
            _ = above
            return element
          })
      }
      subscription = scheduler.run { chain.observe { _ in _ = below } }
      input?.next(1)
    }
    input = nil
    // Operators with a clock first deliver the elements that they hold.
    scheduler.run()
    let isReleased = first == nil && second == nil
    subscription?.dispose()
    return isReleased
  }

  @Test(arguments: cases)
  func `an operator whose source has gone releases everything`(_ tested: OperatorCase) {
    #expect(releases([tested]))
  }

  @Test(arguments: cases)
  func `a pair of operators whose source has gone releases everything`(_ tested: OperatorCase) {
    let place = Self.cases.firstIndex { $0.name == tested.name } ?? 0
    for (index, other) in Self.cases.enumerated() {
      // Under a sanitizer, a quarter of the pairs, and other ones for each operator.
      if Effort.isSanitized, (index + place) % 4 != 0 { continue }
      #expect(releases([tested, other]), "\(tested.name), then \(other.name)")
    }
  }

  @Test func `an operator with several upstreams waits for the last of them`() {
    let ways: [(Source, Source) -> Source] = [
      { $0.merge(with: $1) }, { $0.combineLatest(with: $1).map { $0.0 + $0.1 } },
      { $0.zip(with: $1).map { $0.0 + $0.1 } }, { Stream.sequence([$0, $1]).merge() },
      { $0.take(until: $1.filter { _ in false }) }, { $0.withLatest(from: $1).map { $0.0 + $0.1 } },
      { $0.take(until: $1) }, { $0.skip(until: $1) }, { $0.take(untilReplacement: $1) },
      { $0.amb(with: $1) }, { $0.sample(on: $1) },
    ]
    for way in ways {
      for order in [[0, 1], [1, 0]] {
        for (lastSends, lastEnds) in [(false, false), (false, true), (true, false), (true, true)] {
          var inputs: [PushOperation<Int, TestError>?] = []
          weak var watched: Canary?
          var subscription: Subscription?
          do {
            let canary = Canary()
            watched = canary
            let (left, right) = (Source.pipe(), Source.pipe())
            inputs = [left.input, right.input]
            subscription = way(left.stream, right.stream).observe { _ in _ = canary }
          }
          inputs[order[0]] = nil
          #expect(watched != nil)
          if lastSends { inputs[order[1]]?.next(1) }
          if lastEnds { inputs[order[1]]?.completed() }
          inputs[order[1]] = nil
          #expect(watched == nil)
          subscription?.dispose()
        }
      }
    }
  }

  @Test func `what the last upstream sends arrives although another one has gone`() {
    let (left, right) = (Source.pipe(), PushOperation<Int, TestError>())
    var input: PushOperation<Int, TestError>? = left.input
    _ = left.input
    let recorder = left.stream.merge(with: right).record()
    input?.next(1)
    input = nil
    right.next(2)
    right.failed("end")
    #expect(recorder.events == [.next(1), .next(2), .failed("end")])
  }

  @Test func `an inner stream that has gone ends nothing while the outer stream goes on`() {
    let outer = PushOperation<Int, TestError>()
    var inner: PushOperation<Int, TestError>?
    let recorder = outer.flatMap(.merge) { _ in
      let pipe = Source.pipe()
      inner = pipe.input
      return pipe.stream
    }.record()
    outer.next(0)
    inner?.next(1)
    outer.next(0)
    inner?.next(2)
    inner = nil
    outer.next(0)
    inner?.next(3)
    #expect(recorder.elements == [1, 2, 3])
    recorder.dispose()
  }

  @Test func `elements that wait for their time arrive after their source has gone`() {
    let ways: [(Source) -> Source] = [
      { $0.delay(for: .seconds(1)) }, { $0.debounce(for: .seconds(1)) }, { $0.sample(for: .seconds(1)) },
      { $0.throttle(for: .seconds(1), latest: true) },
    ]
    for way in ways {
      weak var watched: Canary?
      var elements: [Int] = []
      var subscription: Subscription?
      do {
        let canary = Canary()
        watched = canary
        let push = PushOperation<Int, TestError>()
        subscription = scheduler.run {
          way(push.toOperation()).observeNext {
            _ = canary
            elements.append($0)
          }
        }
        push.next(1)
        push.next(2)
      }
      #expect(watched != nil)
      scheduler.run()
      #expect(elements.last == 2)
      #expect(watched == nil)
      subscription?.dispose()
    }
  }

  @Test func `doOn(disposed:) runs once when the source has gone`() {
    var disposals = 0
    var push: PushStream<Int>? = PushStream()
    let subscription = push?.doOn(disposed: { disposals += 1 }).map { $0 }.take(3).observeNext { _ in }
    push = nil
    #expect(disposals == 1)
    subscription?.dispose()
    #expect(disposals == 1)
  }

  @Test func `a subscription to a shared stream whose source has gone does not count as disposed`() {
    let operators: [(name: String, apply: (Source) -> Source)] = [
      ("share", { $0.share() }), ("shareReplay", { $0.shareReplay(1) }), ("refCount", { $0.publish().refCount() }),
      ("replay", { $0.replay(1).refCount() }), ("replayLazily", { $0.replayLazily(1) }),
      ("split", { $0.split().elements.setFailureType(to: TestError.self) }),
    ]
    for (name, apply) in operators {
      var inputs: [PushOperation<Int, TestError>] = []
      let source = Source.deferred {
        let pipe = Source.pipe()
        inputs.append(pipe.input)
        return pipe.stream
      }
      var elements = 0
      let subscriptions = [apply(source), apply(source).map { $0 }].map { stream in
        stream.observe { _ in elements += 1 }
      }
      for input in inputs { input.next(1) }
      #expect(elements == 2)
      inputs = []
      #expect(subscriptions.allSatisfy { !$0.isDisposed }, "\(name)")
      for subscription in subscriptions { subscription.dispose() }
      #expect(subscriptions.allSatisfy { $0.isDisposed }, "\(name)")
    }
  }

  @Test(arguments: [FlattenStrategy.concat, .concurrent(limit: 2), .merge])
  func `groups whose turn comes after the source has gone send what they hold, and are released`(
    _ strategy: FlattenStrategy
  ) {
    var source: PushStream<Int>? = PushStream()
    var elements: [Int] = []
    var isReleased = false
    let subscription = source?.groupBy { $0 % 10 }.flatMap(strategy) { $0.elements.first() }
      .doOn(disposed: { isReleased = true }).observeNext { elements.append($0) }
    subscription?.pause()
    for number in [11, 22, 33] { source?.next(number) }
    source = nil
    subscription?.resume()
    #expect(elements == [11, 22, 33] && isReleased)
    subscription?.dispose()
  }

  @Test func `a group of a source that was disposed sends nothing, and releases who observes it`() {
    let source = PushStream<Int>()
    var group: Streams.Stream<Int>?
    source.groupBy { $0 }.take(1).observeNext { group = $0.elements }.dispose()
    let subscription = source.groupBy { $0 }.observeNext { group = $0.elements }
    source.next(1)
    subscription.dispose()
    var isReleased = false
    let late = group?.doOn(disposed: { isReleased = true }).observeNext { _ in Issue.record("sent") }
    #expect(isReleased && late?.isDisposed == false)
    late?.dispose()
  }

  @Test func `who observes a stream of withShared after its source has gone is released`() {
    var source: PushStream<Int>? = PushStream()
    let shared = source?.withShared { shared, _ in shared }
    source = nil
    var isReleased = false
    let late = shared?.doOn(disposed: { isReleased = true }).observeNext { _ in }
    #expect(isReleased)
    late?.dispose()
  }

  @Test func `a shared run whose source has gone is followed by a new one`() {
    for way in [{ $0.share() }, { $0.shareReplay(2) }, { $0.publish().refCount() }] as [(Source) -> Source] {
      var inputs: [PushOperation<Int, TestError>] = []
      let shared = way(
        Source.deferred {
          let pipe = Source.pipe()
          inputs.append(pipe.input)
          return pipe.stream
        })
      let first = shared.record()
      inputs[0].next(1)
      inputs = []
      let second = shared.record()
      #expect(inputs.count == 1)
      inputs[0].next(2)
      #expect(first.elements == [1])
      #expect(second.elements == [2])
      first.dispose()
      let third = shared.record()
      inputs[0].next(3)
      #expect(second.elements == [2, 3])
      second.dispose()
      third.dispose()
    }
  }

  @Test func `retry, repeat, and replayLazily keep their stream while they have an observer`() {
    typealias Numbers = Streams.Operation<Int, TestError>
    let operators: [(PushOperation<Int, TestError>) -> Numbers] = [
      { $0.retry() }, { $0.repeat() }, { $0.replayLazily(1) },
    ]
    for apply in operators {
      weak var kept: PushOperation<Int, TestError>?
      var received: [Int] = []
      var subscription: Subscription?
      do {
        let push = PushOperation<Int, TestError>()
        kept = push
        subscription = apply(push).observeNext { received.append($0) }
      }
      kept?.next(1)
      #expect(received == [1])
      subscription?.dispose()
      subscription = nil
      #expect(kept == nil)
    }
  }

  @Test func `a shared stream whose source has gone starts its next run, without the old elements`() {
    typealias Numbers = Streams.Operation<Int, TestError>
    let operators: [(Numbers) -> Numbers] = [
      { $0.share() }, { $0.shareReplay(2) }, { $0.publish().refCount() }, { $0.replayLazily(2) },
      { $0.replayLazily(0) },
    ]
    for apply in operators {
      for leaves in [true, false] {
        var input: PushOperation<Int, TestError>? = PushOperation()
        var runs = 0
        let shared = apply(
          Streams.Operation { observer in
            runs += 1
            return input!.subscribe(observer)
          })
        let first = shared.record()
        input?.next(1)
        if leaves { first.dispose() }
        input = nil
        input = PushOperation()
        let second = shared.record()
        input?.next(2)
        input?.completed()
        #expect(runs == 2)
        #expect(first.elements == [1])
        #expect(second.events == [.next(2), .completed])
        first.dispose()
      }
    }
  }

  @Test func `who observes a shared stream while its source goes starts the next run`() {
    typealias Numbers = Streams.Operation<Int, TestError>
    let operators: [(Numbers) -> Numbers] = [
      { $0.share() }, { $0.shareReplay(2) }, { $0.publish().refCount() }, { $0.replayLazily(2) },
    ]
    for apply in operators {
      // The next observer comes while the source, or an earlier observer, is released.
      for isAbove in [true, false] {
        var input: PushOperation<Int, TestError>?
        var runs = 0
        var onDisposed: (() -> Void)?
        let source = Numbers.deferred {
          runs += 1
          let push = PushOperation<Int, TestError>()
          input = push
          return push.toOperation()
        }
        let shared = apply(source.doOn(disposed: { if isAbove { onDisposed?() } }))
        let first = shared.doOn(disposed: { if !isAbove { onDisposed?() } }).record()
        input?.next(1)
        var second: Recorder<Int, TestError>?
        onDisposed = {
          onDisposed = nil
          second = shared.record()
        }
        // Released after the assignment, because the next run sets the variable.
        _ = input.take()
        input?.next(2)
        let third = shared.record()
        input?.next(3)
        #expect(runs == 2)
        #expect(first.elements == [1] && second?.elements == [2, 3])
        #expect(third.elements.last == 3)
        for recorder in [first, second, third] { recorder?.dispose() }
      }
    }
  }

  @Test func `a source that goes during its own delivery releases everything after it`() {
    weak var watched: Canary?
    var input: PushOperation<Int, TestError>?
    var elements: [Int] = []
    var subscription: Subscription?
    do {
      let canary = Canary()
      watched = canary
      let pipe = Source.pipe()
      input = pipe.input
      subscription = pipe.stream.merge(with: PushOperation()).take(5).flatMap(.concat) { .sequence([$0, $0]) }
        .observeNext {
          _ = canary
          input = nil
          elements.append($0)
        }
    }
    input?.next(1)
    #expect(elements == [1, 1])
    #expect(watched == nil)
    subscription?.dispose()
  }
}
