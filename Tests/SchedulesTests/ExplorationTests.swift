#if canImport(Glibc)
import Schedules
import Streams
import Testing

/// The exploration itself: it finds what is wrong in programs with a known fault, and tries each order that differs.
struct ExplorationTests {
  /// A number that threads read and write without a lock.
  private final class Number: @unchecked Sendable {
    var value = 0

    func read() -> Int {
      Schedule.access(self)
      return value
    }

    func write(_ new: Int) {
      Schedule.access(self)
      value = new
    }
  }

  @Test func `an update is lost if another thread comes between reading and writing`() throws {
    let found = explore { schedule in
      let number = Number()
      for name in ["one", "two"] { schedule.thread(name) { number.write(number.read() + 1) } }
      schedule.run()
      schedule.expect(number.value == 2, "The number is \(number.value).")
    }
    let failure = try #require(found.failure)
    #expect(failure.hasPrefix("The number is 1.\nThe order, which HEADWATER_SCHEDULE="))
    #expect(failure.contains("  one: begins\n  one: object 1\n"))
  }

  @Test func `two threads that take two locks in opposite orders wait forever`() {
    let found = explore { schedule in
      let (first, second) = (Lock(0), Lock(0))
      schedule.thread("one") { first.withLock { _ in second.withLock { $0 += 1 } } }
      schedule.thread("two") { second.withLock { _ in first.withLock { $0 += 1 } } }
      schedule.run()
    }
    #expect(found.failure?.hasPrefix("These threads wait forever: one, two.") == true)
  }

  @Test func `a program that traps prints its order, and ends the process`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = explore { schedule in
        let lock = Lock(0)
        for name in ["one", "two"] {
          schedule.thread(name) { lock.withLock { $0 += 1 } }
        }
        schedule.thread("three") { if lock.withLock({ $0 }) == 0 { fatalError("The lock was taken too early.") } }
        schedule.run()
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("The order, which HEADWATER_SCHEDULE=0.1.2.2 repeats:"))
  }

  @Test func `a step without interruption depends on all objects that it reaches`() {
    var results: Set<[String]> = []
    let found = explore(preemptions: nil) { schedule in
      let (first, second) = (Lock<[String]>([]), Lock<[String]>([]))
      schedule.thread("one") {
        schedule.withoutInterruption(first) {
          for lock in [first, second] { lock.withLock { $0.append("one") } }
        }
      }
      schedule.thread("two") { for lock in [first, second] { lock.withLock { $0.append("two") } } }
      schedule.run()
      results.insert(first.withLock { $0 } + second.withLock { $0 })
    }
    #expect(found.isComplete)
    // "one" comes before both, between them, or after both.
    #expect(
      results == [
        ["one", "two", "one", "two"], ["two", "one", "one", "two"], ["two", "one", "two", "one"],
      ])
  }

  @Test func `a fault that needs two preemptions is found with two, and not with one`() {
    func find(_ preemptions: Int) -> Exploration {
      explore(preemptions: preemptions) { schedule in
        let step = Number()
        func steps(_ first: Int, _ second: Int) -> () -> Void {
          { for expected in [first, second] where step.read() == expected { step.write(expected + 1) } }
        }
        schedule.thread("one", steps(0, 2))
        schedule.thread("two", steps(1, 3))
        schedule.run()
        schedule.expect(step.value != 4, "Four steps were taken in turns.")
      }
    }
    #expect(find(1).failure == nil)
    #expect(find(1).isComplete)
    #expect(find(2).failure != nil)
  }

  @Test func `threads that share nothing need one order, and two that share one lock each order of their turns`() {
    func orders(_ makeLocks: () -> [Lock<[String]>]) -> (Exploration, Set<[String]>) {
      var results: Set<[String]> = []
      let found = explore(preemptions: nil) { schedule in
        let locks = makeLocks()
        for (name, lock) in zip(["a", "b"], locks) {
          schedule.thread(name) { for _ in 0..<3 { lock.withLock { $0.append(name) } } }
        }
        schedule.run()
        results.insert(locks[0].withLock { $0 })
      }
      return (found, results)
    }
    let apart = orders { [Lock([]), Lock([])] }
    #expect(apart.0.isComplete)
    #expect(apart.0.schedules == 1)
    let shared = orders {
      let lock = Lock<[String]>([])
      return [lock, lock]
    }
    #expect(shared.0.isComplete)
    // 6 over 3.
    #expect(shared.1.count == 20)
  }
}
#endif
