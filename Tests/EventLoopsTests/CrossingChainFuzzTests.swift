import Glibc
import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

/// Chains of crossings over queues that shut down in any order, compared with a model. Each side receives a prefix of what the
/// previous side has sent, in order, and at most one end. If the previous side closes first, it receives everything and the
/// end.
@Suite("Fuzz: chains of crossings", .noLiveResources, .timeLimit(.minutes(300)))
struct CrossingChainFuzzTests {
  /// The events that one side of a crossing has observed.
  private struct Side {
    var isBuilt = false
    var received: [Int] = []
    var sent = 0
    var ends = 0
    var isLate = false
  }

  /// A chain that a seed describes. The source is on one queue, and the sides after it are on the same or on other queues.
  private struct Plan: CustomStringConvertible {
    enum Source: CaseIterable { case silentAtTheEnd, unlimited, ending }

    let queues: Int
    /// The queue of the source, then the queue of each side.
    let places: [Int]
    /// The queues in the order in which they shut down.
    let order: [Int]
    let source: Source
    let pauses: Bool
    let high: Int
    let keepsResult: Bool
    /// The number of elements of an unlimited source that are delivered before the queues shut down.
    let goal: Int
    let yields: Int

    init(_ seed: Int) {
      var generator = SeededGenerator(UInt64(seed))
      let queues = Int.random(in: 1...4, using: &generator)
      self.queues = queues
      let sides = Int.random(in: 1...4, using: &generator)
      places = (0...sides).map { _ in Int.random(in: 0..<queues, using: &generator) }
      order = (0..<queues).shuffled(using: &generator)
      source = Source.allCases.randomElement(using: &generator)!
      pauses = Int.random(in: 0..<3, using: &generator) == 0
      high = [1, 4, 100_000].randomElement(using: &generator)!
      keepsResult = Bool.random(using: &generator)
      goal = Int.random(in: 0..<12, using: &generator)
      yields = Int.random(in: 0..<200, using: &generator)
    }

    /// True if `side` must receive everything and the end: the previous side closes first, nothing pauses, and no later side
    /// closes before `side`.
    func isWhole(_ side: Int) -> Bool {
      let turn = { order.firstIndex(of: places[$0])! }
      return !pauses && high > 4 && turn(side - 1) < turn(side)
        && (side + 1..<places.count).allSatisfy { turn($0) >= turn(side) }
    }

    var description: String {
      "places \(places), order \(order), \(source), pauses \(pauses), high \(high), keeps its result \(keepsResult)"
    }
  }

  private static func build(
    _ stream: Stream<Int>, _ plan: Plan, _ queues: [Queue], _ sides: [Lock<Side>], _ at: Int, _ live: Lock<Int>
  ) -> any Disposable {
    let side = sides[at]
    let home = queues[plan.places[at]]
    let canary = Canary(live)
    return stream.observe(on: home, watermarks: Watermarks(high: plan.high)) { stream, bag in
      side.withLock { $0.isBuilt = true }
      let seen = stream.doOn(
        next: { number in
          withExtendedLifetime(canary) {}
          side.withLock {
            if $0.ends > 0 { $0.isLate = true }
            $0.received.append(number)
          }
        }, completed: { side.withLock { $0.ends += 1 } })
      if at + 1 < sides.count {
        let sent = seen.doOn(next: { _ in side.withLock { $0.sent += 1 } })
        return build(sent, plan, queues, sides, at + 1, live).dispose(in: bag)
      }
      weak var subscription: Subscription?
      let made = seen.observeNext { number in
        withExtendedLifetime(canary) {}
        guard plan.pauses, number % 7 == 3, let paused = subscription else { return }
        paused.pause()
        Confined(paused).async { $0.resume() }
      }
      subscription = made
      made.dispose(in: bag)
    }
  }

  @Test func `nothing is lost, doubled, late, or leaked when the queues of a chain shut down in any order`() {
    for seed in Effort.seeds {
      let plan = Plan(seed)
      let queues = (0..<plan.queues).map { Queue(label: "queue \($0)") }
      let sides = plan.places.map { _ in Lock(Side()) }
      let (live, disposed) = (Lock(0), Lock(0))
      let kept = Lock<Confined<any Disposable>?>(nil)
      queues[plan.places[0]].async {
        let source: Stream<Int>
        switch plan.source {
        case .silentAtTheEnd: source = Stream.sequence(0..<50).concat(with: .never())
        case .ending: source = .sequence(0..<50)
        case .unlimited:
          source = Stream.interval(.microseconds(20)).scan(-1) { count, _ in count + 1 }.dropFirst(1)
            .flatMap(.concat) { .sequence($0 * 4..<$0 * 4 + 4) }
        }
        let counted = source.doOn(
          next: { number in
            sides[0].withLock {
              $0.received.append(number)
              $0.sent += 1
            }
          }, disposed: { disposed.withLock { $0 += 1 } })
        let result = Self.build(counted, plan, queues, sides, 1, live)
        if plan.keepsResult { kept.withLock { $0 = Confined(result) } }
      }
      if plan.source == .unlimited {
        while sides[sides.count - 1].withLock({ $0.received.count }) < plan.goal { sched_yield() }
      }
      for _ in 0..<plan.yields { sched_yield() }
      for queue in plan.order { queues[queue].shutdown() }
      kept.withLock { $0 = nil }

      let seen = sides.map { $0.withLock { $0 } }
      for side in 1..<seen.count {
        let (near, far) = (seen[side - 1], seen[side])
        #expect(far.received == Array(0..<far.received.count), "seed \(seed), side \(side): \(plan)")
        #expect(far.received.count <= near.sent, "seed \(seed), side \(side): \(plan)")
        #expect(far.ends <= 1 && !far.isLate, "seed \(seed), side \(side): \(plan)")
        if far.isBuilt, plan.isWhole(side) {
          #expect(far.received.count == near.sent && far.ends == 1, "seed \(seed), side \(side): \(plan)")
        }
      }
      if seen[0].sent > 0 { #expect(disposed.withLock { $0 } == 1, "seed \(seed): \(plan)") }
      #expect(live.withLock { $0 } == 0, "seed \(seed): \(plan)")
    }
  }

  /// Counts the captures that have not been released.
  private final class Canary: Sendable {
    let live: Lock<Int>

    init(_ live: Lock<Int>) {
      self.live = live
      live.withLock { $0 += 1 }
    }

    deinit { live.withLock { $0 -= 1 } }
  }
}
