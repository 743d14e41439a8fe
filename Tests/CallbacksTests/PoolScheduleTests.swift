#if canImport(Glibc)
import Callbacks
import Schedules
import Testing

extension CallbacksTests {
  /// Functions without a context that threads claim and release, in every order.
  @Suite("Every order of claims") struct PoolScheduleTests {
    /// What the threads have seen.
    private final class Log: @unchecked Sendable {
      // Sendable: only the thread that has the turn uses it.
      var claims = 0
      var refused = 0
      /// The functions that two claims had at the same time.
      var shared = 0
      /// The calls with the context of another claim.
      var wrong = 0
      var claimed: Set<Int> = []
    }

    private static func context(_ number: Int) -> UnsafeMutableRawPointer? {
      UnsafeMutableRawPointer(bitPattern: 0x1000 * number)
    }

    /// Claims a function, lets C call it twice, and releases it.
    private func use(_ pool: CallbackPool<Int>, _ number: Int, _ log: Log) {
      guard let context = Self.context(number), let claim = try? pool.claim(context) else { return log.refused += 1 }
      let function = claim.function
      log.claims += 1
      if !log.claimed.insert(function).inserted { log.shared += 1 }
      for _ in 1...2 where pool[function] != context { log.wrong += 1 }
      log.claimed.remove(function)
      claim.release()
    }

    @Test(arguments: 1...2) func `a claim has a function alone, and its calls find its context`(_ capacity: Int)
      async throws
    {
      try await expectNothingFound { schedule in
        let log = Log()
        let pool = CallbackPool(Array(0..<capacity))
        let none = pool[0]
        for number in 1...2 { schedule.thread("owner \(number)") { for _ in 1...2 { use(pool, number, log) } } }
        schedule.run()
        schedule.expect(
          log.claims + log.refused == 4 && (capacity == 1 || log.refused == 0) && log.shared + log.wrong == 0,
          "\(log.claims) claims, \(log.shared) with the function of another, \(log.wrong) calls with another context.")
        schedule.expect(
          pool.available == capacity && (0..<capacity).allSatisfy { pool[$0] == none },
          "\(pool.available) functions are available at the end.")
      }
    }

    @Test func `a place has one callback, and each that another one replaces ends once`() async throws {
      typealias Foreign = ForeignCallback<Int, Void>
      try await expectNothingFound { schedule in
        let log = Log()
        let place = CallbackPlace()
        // Each end is counted before anything else can be done.
        let ends = (0..<2).map { _ in Log() }
        let callbacks = ends.map { end in Foreign({ _ in }, onEnd: { end.claims += 1 }) }
        let contexts = callbacks.map { UInt(bitPattern: $0.context) }
        for number in 0..<2 {
          schedule.thread("owner \(number)") {
            guard let context = UnsafeMutableRawPointer(bitPattern: contexts[number]) else { return }
            place.claim(context)
            Foreign.call(place.context, number)
            if place.release(context) { log.claims += 1 } else { log.refused += 1 }
          }
        }
        schedule.run()
        let ended = ends.map(\.claims)
        schedule.expect(
          place.context == nil && log.claims + log.refused == 2 && ended.reduce(0, +) == log.refused
            && ended.allSatisfy { $0 <= 1 },
          "\(log.claims) had the place at their end, \(log.refused) had not, and the ends were \(ended).")
        withExtendedLifetime(callbacks) {}
      }
    }

    @Test func `a claim that two threads release returns its function once`() async throws {
      try await expectNothingFound { schedule in
        let log = Log()
        let pool = CallbackPool([0])
        let claim = Self.context(3).flatMap { try? pool.claim($0) }
        for name in ["one", "two"] { schedule.thread(name) { claim?.release() } }
        schedule.thread("owner") { use(pool, 1, log) }
        schedule.run()
        schedule.expect(
          pool.available == 1 && log.wrong == 0,
          "\(pool.available) of one function are available, \(log.wrong) calls with another context.")
      }
    }
  }
}
#endif
