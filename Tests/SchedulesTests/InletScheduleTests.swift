#if canImport(Glibc)
import Schedules
import Streams
import Testing

/// Inlets whose senders, observers, and ends come in every order.
@Suite(.serialized) struct InletScheduleTests {
  /// What an observer has received.
  private final class Log: @unchecked Sendable {
    // Sendable: only the thread that has the turn uses it.
    var elements: [Int] = [] { didSet { if ends > 0 { late += 1 } } }
    var ends = 0
    /// The elements that came after the end, or after the disposal.
    var late = 0
    var dispose: (() -> Void)?
    var pause: ((Bool) -> Void)?
    var isHigh = false
    var accepted: [Int] = []
  }

  private func isSubsequence(_ some: [Int], of all: [Int]) -> Bool {
    var rest = all[...]
    return some.allSatisfy { each in
      guard let index = rest.firstIndex(of: each) else { return false }
      rest = rest[(index + 1)...]
      return true
    }
  }

  @Test func `what two threads send comes once, in the order of each`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest, isolation: nil)
      _ = ScheduledHome("home", in: schedule) { _ in
        _ = inlet.stream.observeNext { log.elements.append($0) }
      }
      for first in [10, 20] {
        schedule.thread("sender \(first)") { for each in first...first + 1 { inlet.send(each) } }
      }
      schedule.run()
      schedule.expect(
        log.elements.sorted() == [10, 11, 20, 21] && isSubsequence([10, 11], of: log.elements)
          && isSubsequence([20, 21], of: log.elements), "\(log.elements) came.")
    }
  }

  @Test func `the end comes once, after what was accepted before it`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest, isolation: nil)
      _ = ScheduledHome("home", in: schedule) { _ in
        _ = inlet.stream.observe(next: { log.elements.append($0) }, termination: { _ in log.ends += 1 })
      }
      schedule.thread("sender") { for each in 1...3 where inlet.send(each) { log.accepted.append(each) } }
      schedule.thread("finisher") { inlet.finish() }
      schedule.run()
      schedule.expect(
        log.elements == log.accepted && log.ends == 1,
        "\(log.accepted) were accepted, \(log.elements) came, and \(log.ends) ends.")
    }
  }

  @Test func `nothing comes after a disposal, and all that was accepted before it has come in order`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest, isolation: nil)
      let home = ScheduledHome("home", in: schedule) { _ in
        let subscription = inlet.stream.observeNext { log.elements.append($0) }
        log.dispose = {
          log.ends = 1
          subscription.dispose()
        }
      }
      schedule.thread("sender") { for each in 1...3 { inlet.send(each) } }
      schedule.thread("disposer") { _ = home.post { log.dispose?() } }
      schedule.run()
      schedule.expect(
        log.ends == 1 && log.elements == Array([1, 2, 3].prefix(log.elements.count)) && log.late == 0,
        "\(log.elements) came, \(log.late) late.")
    }
  }

  @Test func `an inlet that is released completes its stream, after what was accepted`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      var inlet: Inlet<Int>? = Inlet(capacity: 8, whenFull: .dropOldest, isolation: nil)
      let stream = inlet?.stream
      _ = ScheduledHome("home", in: schedule) { _ in
        _ = stream?.observe(next: { log.elements.append($0) }, termination: { _ in log.ends += 1 })
      }
      for first in [10, 20] {
        schedule.thread("sender \(first)") { [inlet] in for each in first...first + 1 { inlet?.send(each) } }
      }
      inlet = nil
      schedule.run()
      schedule.expect(
        log.elements.sorted() == [10, 11, 20, 21] && log.ends == 1 && log.late == 0,
        "\(log.elements) came, and \(log.ends) ends.")
    }
  }

  @Test func `a full inlet drops the oldest and counts it`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 1, whenFull: .dropOldest, isolation: nil)
      _ = ScheduledHome("home", in: schedule) { _ in
        _ = inlet.stream.observeNext { log.elements.append($0) }
      }
      for first in [10, 20] {
        schedule.thread("sender \(first)") { for each in first...first + 1 { inlet.send(each) } }
      }
      schedule.run()
      schedule.expect(
        log.elements.count + inlet.dropped == 4 && Set(log.elements).count == log.elements.count
          && isSubsequence(log.elements.filter { $0 < 20 }, of: [10, 11])
          && isSubsequence(log.elements.filter { $0 >= 20 }, of: [20, 21]),
        "\(log.elements) came, and \(inlet.dropped) were dropped.")
    }
  }

  @Test func `an observer that pauses and resumes gets all, in order`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest, isolation: nil)
      let home = ScheduledHome("home", in: schedule) { _ in
        let subscription = inlet.stream.observeNext { log.elements.append($0) }
        log.pause = { $0 ? subscription.pause() : subscription.resume() }
      }
      schedule.thread("sender") {
        for each in 1...3 { inlet.send(each) }
        inlet.finish()
      }
      schedule.thread("switch") {
        _ = home.post { log.pause?(true) }
        _ = home.post { log.pause?(false) }
      }
      schedule.run()
      schedule.expect(log.elements == [1, 2, 3], "\(log.elements) came.")
    }
  }

  @Test func `a sender that obeys the pressure loses nothing, and always hears that it may go on`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 2, whenFull: .dropNewest, isolation: nil)
      inlet.onPressure(at: Watermarks(high: 2, low: 0)) { pressure in
        Schedule.access(log)
        log.isHigh = pressure == .high
      }
      _ = ScheduledHome("home", in: schedule) { _ in
        _ = inlet.stream.observeNext { log.elements.append($0) }
      }
      schedule.thread("sender") {
        for each in 1...4 {
          schedule.wait(for: log) { !log.isHigh }
          while !inlet.send(each) { schedule.wait(for: log) { !log.isHigh } }
        }
      }
      schedule.run()
      schedule.expect(log.elements == [1, 2, 3, 4] && !log.isHigh, "\(log.elements) came.")
    }
  }

  @Test func `a home that closes ends it: what was sent before the jobs of the home came, and send says the rest`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest, isolation: nil)
      let home = ScheduledHome("home", in: schedule) { _ in
        _ = inlet.stream.observeNext { log.elements.append($0) }
      }
      schedule.thread("sender") { for each in 1...3 where inlet.send(each) { log.accepted.append(each) } }
      schedule.thread("closer") { _ = home.post { home.close() } }
      schedule.run()
      schedule.expect(
        log.elements == Array([1, 2, 3].prefix(log.elements.count)) && log.accepted.starts(with: log.elements)
          && !inlet.send(4), "\(log.accepted) were accepted, and \(log.elements) came.")
    }
  }
}
#endif
