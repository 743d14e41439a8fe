#if canImport(Glibc)
import Schedules
import Testing

@testable import Delegates
@testable import Streams

/// Tasks and delegates' calls on any thread, in every order.
@Suite(.serialized) struct ValuesScheduleTests {
  private final class Log: @unchecked Sendable {
    // Sendable: only the thread that has the turn uses it.
    var elements: [Int] = []
    var ends = 0
    var disposals = 0
    /// The disposals outside of the home.
    var strays = 0
    /// The tasks that ended only because their home closed.
    var stuck = 0
    var calls: [Int] = []
  }

  /// Starts a task at `home` that takes the elements of an inlet.
  @discardableResult
  private func iterate(
    _ log: Log, at home: ScheduledHome, _ inlet: Inlet<Int>, _ policy: AsyncBuffering, atMost most: Int = .max
  ) -> Task<Void, Never> {
    Task(executorPreference: home.queue) {
      Schedule.access(log)
      for await element in source(log, at: home, inlet).values(policy) {
        log.elements.append(element)
        Schedule.access(log)
        if log.elements.count == most { break }
      }
      if !home.post({}) { log.stuck += 1 }
      log.ends += 1
    }
  }

  private func source(_ log: Log, at home: ScheduledHome, _ inlet: Inlet<Int>) -> Stream<Int> {
    inlet.stream.doOn(disposed: {
      log.disposals += 1
      if home.isCurrent != true { log.strays += 1 }
    })
  }

  @Test func `a task gets what another thread sends, in order, and its end`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest, isolation: nil)
      _ = ScheduledHome("home", in: schedule) { iterate(log, at: $0, inlet, .pausing) }
      schedule.thread("sender") {
        for each in 1...3 { inlet.send(each) }
        inlet.finish()
      }
      schedule.run()
      schedule.expect(
        log.elements == [1, 2, 3] && log.ends == 1 && log.disposals == 1,
        "\(log.elements) came, \(log.ends) ends, \(log.disposals) disposals.")
    }
  }

  @Test func `a task that leaves its loop disposes the source once`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest, isolation: nil)
      _ = ScheduledHome("home", in: schedule) { iterate(log, at: $0, inlet, .unbounded, atMost: 2) }
      schedule.thread("sender") { for each in 1...3 { inlet.send(each) } }
      schedule.run()
      schedule.expect(
        log.elements == [1, 2] && log.ends == 1 && log.disposals == 1,
        "\(log.elements) came, \(log.ends) ends, \(log.disposals) disposals.")
    }
  }

  @Test func `a cancellation while a task begins to wait wakes it, whatever is sent meanwhile`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let buffer = ValuesBuffer<Int, Never>(.unbounded, isSingle: false)
      _ = ScheduledHome("home", in: schedule) { home in
        Task(executorPreference: home.queue) {
          while true {
            switch buffer.take() {
            case .element(let element, _): log.elements.append(element)
            case .end:
              log.ends += 1
              return
            case .nothing: await buffer.wait(isolation: nil, on: WaitingLoop(.nowhere))
            }
          }
        }
      }
      schedule.thread("sender") { for each in 1...2 { _ = buffer.append(each) } }
      schedule.thread("canceler") { buffer.cancel() }
      schedule.run()
      schedule.expect(
        log.elements == Array([1, 2].prefix(log.elements.count)) && log.ends == 1,
        "\(log.elements) came, and \(log.ends) ends.")
    }
  }

  @Test func `a task that is canceled leaves its loop, and disposes the source once, at home`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest, isolation: nil)
      let home = ScheduledHome("home", in: schedule) { _ in }
      let task = iterate(log, at: home, inlet, .pausing(Watermarks(high: 1, low: 0)))
      schedule.thread("sender") { for each in 1...2 { inlet.send(each) } }
      schedule.thread("canceler") { schedule.withoutInterruption(log) { task.cancel() } }
      schedule.run()
      schedule.expect(
        log.elements == Array([1, 2].prefix(log.elements.count)) && log.ends == 1 && log.disposals == 1
          && log.strays + log.stuck == 0,
        "\(log.elements) came, \(log.ends) ends, \(log.disposals) disposals, \(log.strays) of them elsewhere.")
    }
  }

  @Test func `a task that waits for one element gets it or its cancellation, and disposes the source once, at home`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest, isolation: nil)
      let home = ScheduledHome("home", in: schedule) { _ in }
      let task = Task(executorPreference: home.queue) {
        Schedule.access(log)
        // A task that was canceled before does not observe.
        if Task.isCancelled { log.disposals += 1 }
        if let element = await source(log, at: home, inlet).firstValue() { log.elements.append(element) }
        Schedule.access(log)
        if log.elements.isEmpty, !Task.isCancelled { log.strays += 1 }
        if !home.post({}) { log.stuck += 1 }
        log.ends += 1
      }
      schedule.thread("sender") { for each in 1...2 { inlet.send(each) } }
      schedule.thread("canceler") { schedule.withoutInterruption(log) { task.cancel() } }
      schedule.run()
      schedule.expect(
        [[], [1], [2]].contains(log.elements) && log.ends == 1 && log.disposals == 1 && log.strays + log.stuck == 0,
        "\(log.elements) came, \(log.ends) ends, \(log.disposals) disposals.")
    }
  }

  @Test func `calls of a slot on two threads reach the observer or the handler that was there, then the end`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      let hub = SlotHub<Int, @Sendable (Int) -> Void>("slot", of: "test")
      _ = ScheduledHome("home", in: schedule) { _ in
        _ = hub.stream(8, .dropOldest).observe(next: { log.elements.append($0) }, termination: { _ in log.ends += 1 })
        _ = hub.replace { log.calls.append($0) }
      }
      schedule.thread("caller") { for each in 1...2 { hub.send(each)?(each) } }
      schedule.thread("finisher") { hub.finish() }
      schedule.run()
      schedule.expect(
        log.ends == 1 && [[], [1], [2], [1, 2]].contains(log.elements)
          && [[], [1], [2], [1, 2]].contains(log.calls),
        "\(log.elements) came, \(log.calls) were handled, and \(log.ends) ends.")
    }
  }
}
#endif
