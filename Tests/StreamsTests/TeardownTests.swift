import Streams
import StreamsTesting
import Testing

private typealias Subject = PushOperation<Int, TestError>

/// When an operator with several upstreams ends, it disposes them one after the other. The disposal of one can make another one send,
/// end, or vanish, which comes too late.
@Suite("Disposing one upstream affects another", .noLiveResources) struct TeardownTests {
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let count: Int
    /// The upstreams that send an element before one of them fails.
    let seeds: [Int]
    let make: @Sendable ([Operation<Int, TestError>]) -> Operation<Int, TestError>

    init(
      _ name: String, of count: Int = 3, _ seeds: [Int] = [0, 1, 2],
      _ make: @escaping @Sendable ([Operation<Int, TestError>]) -> Operation<Int, TestError>
    ) {
      testDescription = name
      self.count = count
      self.seeds = seeds
      self.make = make
    }

    static let all = [
      Case("merge") { Operation.merge($0) },
      Case("flatMap(.merge)") { all in Stream.sequence(0..<3).flatMap(.merge) { all[$0] } },
      Case("flatMap(.merge) with an outer stream that goes on") { all in
        all[0].scan(0) { count, _ in count + 1 }.flatMap(.merge) { all[$0 % 2 + 1] }
      },
      Case("flatMap(.concurrent)") { all in Stream.sequence(0..<3).flatMap(.concurrent(limit: 3)) { all[$0] } },
      Case("flatMap(.concurrent) with more than its limit") { all in
        Stream.sequence(0..<9).flatMap(.concurrent(limit: 3)) { all[$0 % 3] }
      },
      Case("flatMap(.race) without a winner", []) { all in Stream.sequence(0..<3).flatMap(.race) { all[$0] } },
      Case("combineLatest") { Operation.combineLatest($0).map { $0[0] } },
      Case("zip") { Operation.zip($0).map { $0[0] } },
      Case("race without a winner", []) { Operation.race($0) },
      Case("withLatest(from:)", of: 2) { $0[0].withLatest(from: $0[1]).map { $0.0 } },
      Case("sample(on:)", of: 2) { $0[0].sample(on: $0[1]) },
      Case("take(until:)", of: 2, [0]) { $0[0].take(until: $0[1]) },
      Case("skip(until:)", of: 2, [0]) { $0[0].skip(until: $0[1]) },
      Case("take(untilReplacement:)", of: 2, [0]) { $0[0].take(untilReplacement: $0[1]) },
    ]
  }

  enum Action: CaseIterable { case send, complete, fail, release }

  /// The events after the first failure of an upstream, or of the whole if `isNested`, in which case the first element that the
  /// observer receives makes the upstream fail.
  private func events(_ operators: Case, _ failing: Int, _ hooked: Int, _ target: Int, _ action: Action, isNested: Bool)
    -> [Event<Int, TestError>]
  {
    var sources: [Subject?] = (0..<3).map { _ in Subject() }
    var isFailing = false
    var events: [Event<Int, TestError>] = []
    let upstreams = (0..<3).map { index in
      sources[index]!.toOperation().doOn(disposed: {
        guard isFailing, index == hooked else { return }
        switch action {
        case .send: sources[target]?.next(7)
        case .complete: sources[target]?.completed()
        case .fail: sources[target]?.failed("too late")
        case .release:
          // Not while the array is being changed.
          let old = sources[target]
          sources[target] = nil
          _ = consume old
        }
      })
    }
    func fail() {
      if isFailing { return }
      isFailing = true
      events = []
      sources[failing]?.failed("first")
    }
    let subscription = operators.make(upstreams).observe { event in
      events.append(event)
      if isNested { fail() }
    }
    for seed in operators.seeds where seed < operators.count { sources[seed]?.next(seed) }
    fail()
    subscription.dispose()
    return events
  }

  @Test(arguments: Case.all) func `8 the failure arrives, and nothing that others send later`(_ operators: Case) {
    for isNested in [false, true] {
      for failing in 0..<operators.count {
        // A stream that ends disposes itself before the operator hears of its end.
        for hooked in 0..<operators.count where hooked != failing {
          for target in 0..<operators.count {
            for action in Action.allCases {
              let events = events(operators, failing, hooked, target, action, isNested: isNested)
              #expect(
                events == [.failed("first")] || isNested && events.last == .failed("first"),
                "\(failing) fails, the disposal of \(hooked) makes \(target) \(action), nested: \(isNested)")
            }
          }
        }
      }
    }
  }

  @Test(arguments: [false, true]) func `a loser that sends while the others are disposed has lost`(_ ends: Bool) {
    let (outer, second, third) = (PushStream<Int>(), PushStream<Int>(), PushStream<Int>())
    let recorder = outer.flatMap(.race) { number -> Stream<Int> in
      switch number {
      case 1: Stream.never().doOn(disposed: { if ends { second.completed() } else { second.next(2) } })
      case 2: second.toStream()
      default: third.toStream()
      }
    }.record()
    for number in 1...3 { outer.next(number) }
    third.next(3)
    third.next(4)
    third.completed()
    #expect(recorder.events == [.next(3), .next(4), .completed])
  }

  @Test(arguments: [false, true]) func `a completion is not replaced by what comes too late`(_ isNested: Bool) {
    let (source, trigger) = (Subject(), Subject())
    var events: [Event<Int, TestError>] = []
    let ending = trigger.toOperation().doOn(disposed: { source.failed("too late") })
    let subscription = source.toOperation().take(until: ending).observe { event in
      events.append(event)
      if isNested { trigger.next(0) }
    }
    source.next(1)
    trigger.next(0)
    subscription.dispose()
    #expect(events == [.next(1), .completed])
  }
}
