import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

/// The wheel itself, with a clock that the test moves.
@Suite struct DeadlineWheelTests {
  /// A slow model of the wheel.
  private struct Model {
    var pending: [(deadline: Int64, number: Int)] = []

    mutating func due(at time: Int64) -> [Int] {
      // The sort of the standard library is stable.
      let sorted = pending.sorted { $0.deadline < $1.deadline }
      pending = sorted.filter { $0.deadline > time }
      return sorted.filter { $0.deadline <= time }.map(\.number)
    }
  }

  /// Distances from within a tick to beyond the highest level that a test can reach.
  private static let spans: [Int64] = [
    1_000, 999_999, 3_000_000, 64_000_000, 4_096_000_000, 262_144_000_000, 16_777_216_000_000, 1_100_000_000_000_000,
    80_000_000_000_000_000,
  ]

  @Test(arguments: 0..<12 as Range<UInt64>)
  func `random adding, cancelling and advancing does what a sorted list does`(seed: UInt64) {
    var random = SeededGenerator(seed)
    var time = Int64.random(in: 0..<10_000_000_000_000, using: &random)
    let wheel = DeadlineWheel(at: time)
    var model = Model()
    var served: [Int] = []
    var entries: [Int: DeadlineWheel.Entry] = [:]
    var number = 0
    for _ in 0..<3_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        // Many entries have the same deadline, and some deadlines have passed.
        let span = Self.spans.randomElement(using: &random)!
        let offset = Bool.random(using: &random) ? span : Int64.random(in: -span / 8...span, using: &random)
        let this = number
        entries[this] = wheel.add(time + offset) { served.append(this) }
        model.pending.append((time + offset, this))
        number += 1
      case 6..<8:
        guard let victim = model.pending.randomElement(using: &random)?.number else { continue }
        let entry = entries.removeValue(forKey: victim)
        entry?.dispose()
        entry?.dispose()
        model.pending.removeAll { $0.number == victim }
      default:
        time += Int64.random(in: 0..<Self.spans.randomElement(using: &random)!, using: &random)
        served = []
        wheel.fire(at: time)
        #expect(served == model.due(at: time))
      }
      #expect(wheel.count == model.pending.count)
      // `next` is never later than the earliest deadline, or the loop would sleep too long.
      if let earliest = model.pending.map(\.deadline).min() {
        #expect((wheel.next ?? .max) <= earliest)
      } else {
        #expect(wheel.next == nil)
      }
    }
    served = []
    wheel.fire(at: .max)
    #expect(served == model.due(at: .max))
    #expect(wheel.count == 0)
  }

  @Test func `without cancellations the next deadline is exact, and one wake-up serves it`() {
    for span in Self.spans {
      let wheel = DeadlineWheel(at: 12_345_678)
      var served = 0
      _ = wheel.add(12_345_678 + span) { served += 1 }
      #expect(wheel.next == 12_345_678 + span)
      wheel.fire(at: 12_345_678 + span - 1)
      #expect(served == 0)
      wheel.fire(at: 12_345_678 + span)
      #expect(served == 1)
    }
  }

  @Test func `what an action adds waits for the next call, what it cancels is not served`() {
    let wheel = DeadlineWheel(at: 0)
    var log: [String] = []
    var second: DeadlineWheel.Entry?
    _ = wheel.add(10) {
      log.append("first")
      second?.dispose()
      _ = wheel.add(5) { log.append("added") }
      wheel.fire(at: 100)
    }
    second = wheel.add(20) { log.append("second") }
    _ = wheel.add(30) { log.append("third") }
    wheel.fire(at: 100)
    #expect(log == ["first", "third"])
    wheel.fire(at: 100)
    #expect(log == ["first", "third", "added"])
    #expect(wheel.count == 0)
  }

  @Test func `dropping all of them from inside of an action drops those that are due, too`() {
    let wheel = DeadlineWheel(at: 0)
    var served = 0
    for deadline in [5, 6, 6, 5_000_000] as [Int64] {
      _ = wheel.add(deadline) {
        served += 1
        wheel.removeAll()
      }
    }
    wheel.fire(at: 1_000_000)
    #expect(served == 1)
    #expect(wheel.count == 0)
    wheel.fire(at: .max)
    #expect(served == 1)
  }

  @Test func `an entry outlives its wheel, and what actions captured is released once`() {
    final class Witness {}
    weak let released: Witness?
    var entry: DeadlineWheel.Entry?
    do {
      let witness = Witness()
      released = witness
      let wheel = DeadlineWheel(at: 0)
      entry = wheel.add(1_000_000_000) { _ = witness }
      _ = wheel.add(5) { _ = witness }
    }
    #expect(released == nil)
    #expect(entry?.isDisposed == true)
    entry?.dispose()
  }

  @Test func `the last cancellation tells that nothing is pending`() {
    let wheel = DeadlineWheel(at: 0)
    var empty = 0
    wheel.onEmpty = { empty += 1 }
    let entries = (1...200).map { wheel.add($0 * 40_000_000) {} }
    for entry in entries.dropLast() { entry.dispose() }
    #expect(empty == 0)
    entries.last?.dispose()
    #expect(empty == 1)
    #expect(wheel.next == nil)
  }

  @Test(
    arguments: [
      (Duration.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-7), -7),
      (Duration(secondsComponent: 0, attosecondsComponent: 1), 1),
      (Duration(secondsComponent: 1, attosecondsComponent: 999_999_999_000_000_001), 2_000_000_000),
      (.seconds(20_000), 20_000_000_000_000), (.seconds(9_223_372_036), 9_223_372_036_000_000_000),
      (.seconds(9_223_372_037), .max), (.seconds(Int64.max), .max), (.seconds(-Int64.max), -.max),
      (Duration(attoseconds: .max), .max), (Duration(attoseconds: .min), -.max),
    ] as [(Duration, Int64)])
  func `durations are rounded up to nanoseconds, and the longest does not wrap around`(
    _ duration: Duration, _ expected: Int64
  ) {
    #expect(duration.nanosecondsRoundedUp == expected)
  }
}
