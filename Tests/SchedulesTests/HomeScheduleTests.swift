#if canImport(Glibc)
import Schedules
import Streams
import Testing

/// What moves between domains, in every order.
@Suite(.serialized) struct HomeScheduleTests {
  /// What has happened at the homes.
  private final class Log: @unchecked Sendable {
    // Sendable: only the thread that has the turn uses it.
    var elements: [Int] = []
    var accepted: [Int] = []
    var ends = 0
    var failures = 0
    var disposals = 0
    var releasedAtHome: [Bool] = []
    /// What came after the far side had been disposed.
    var late = 0
    var send: ((Int) -> Void)?
    var end: (() -> Void)?
    var dispose: (() -> Void)?

    /// Releases the source.
    func forget() { (send, end, dispose) = (nil, nil, nil) }
  }

  private struct Broken: Error {}

  /// Notes whether its home releases it.
  private final class Guest {
    let log: Log
    let home: ScheduledHome

    init(_ log: Log, _ home: ScheduledHome) { (self.log, self.home) = (log, home) }

    deinit { log.releasedAtHome.append(home.isCurrent == true) }
  }

  @Test func `a confined value is used and released at home only, whoever releases the box last`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      var boxes: [Confined<Guest>?] = []
      let home = ScheduledHome("home", in: schedule) { _ in }
      home.whenPrepared = {
        let box = Confined(Guest(log, home))
        boxes = [box, box]
      }
      for number in [0, 1] {
        schedule.thread("user \(number)") {
          let box = boxes[number].take()
          for part in 0..<2 { box?.async { $0.log.elements.append(number * 10 + part) } }
        }
      }
      schedule.run()
      schedule.expect(
        log.elements.sorted() == [0, 1, 10, 11] && log.releasedAtHome == [true],
        "\(log.elements) ran, released at home: \(log.releasedAtHome).")
    }
  }

  /// Makes a source at one home whose stream another home observes. The source has `log.send` and `log.end`.
  private func cross(
    _ schedule: Schedule, _ log: Log, from near: ScheduledHome, to far: ScheduledHome,
    _ watermarks: Watermarks = .standard, fails: Bool = false
  ) {
    near.whenPrepared = {
      let push = PushOperation<Int, Broken>()
      let crossing = push.doOn(disposed: { log.disposals += 1 }).observe(on: far.queue, watermarks: watermarks) {
        stream, bag in
        stream.observe(
          next: {
            if far.isCurrent != true { log.late += 1 }
            log.elements.append($0)
          },
          termination: { end in if case .failed = end { log.failures += 1 } else { log.ends += 1 } }
        ).dispose(in: bag)
      }
      log.send = { push.next($0) }
      log.end = { fails ? push.failed(Broken()) : push.completed() }
      log.dispose = { crossing.dispose() }
    }
  }

  @Test(arguments: [false, true]) func `what crosses to another home comes in order, then the end`(_ fails: Bool)
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      let near = ScheduledHome("near", in: schedule) { _ in
        for each in 1...2 { log.send?(each) }
        log.end?()
      }
      let far = ScheduledHome("far", in: schedule) { _ in }
      cross(schedule, log, from: near, to: far, fails: fails)
      schedule.run()
      schedule.expect(
        log.elements == [1, 2] && (log.ends, log.failures) == (fails ? 0 : 1, fails ? 1 : 0) && log.disposals == 1
          && log.late == 0,
        "\(log.elements) came, \(log.ends) ends, \(log.failures) failures, \(log.disposals) disposals.")
      log.forget()
    }
  }

  @Test func `a crossing that is disposed disposes the source once, and delivers a prefix and no end`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let near = ScheduledHome("near", in: schedule) { _ in
        for each in 1...3 { log.send?(each) }
        log.dispose?()
      }
      let far = ScheduledHome("far", in: schedule) { _ in }
      cross(schedule, log, from: near, to: far)
      schedule.run()
      schedule.expect(
        log.elements == Array([1, 2, 3].prefix(log.elements.count)) && log.ends == 0 && log.disposals == 1,
        "\(log.elements) came, \(log.ends) ends, \(log.disposals) disposals.")
      log.forget()
    }
  }

  @Test func `a far side that closes disposes the source once, and a near side that closes completes the far side`()
    async throws
  {
    for closesFar in [true, false] {
      try await expectNothingFound { schedule in
        let log = Log()
        let near = ScheduledHome("near", in: schedule) { home in
          for each in 1...2 { log.send?(each) }
          if !closesFar { home.close() }
        }
        let far = ScheduledHome("far", in: schedule) { home in if closesFar { home.close() } }
        cross(schedule, log, from: near, to: far)
        schedule.run()
        schedule.expect(
          log.elements == Array([1, 2].prefix(log.elements.count)) && log.disposals == 1
            && (closesFar || (log.elements == [1, 2] && log.ends == 1)),
          "\(log.elements) came, \(log.ends) ends, \(log.disposals) disposals.")
        log.forget()
      }
    }
  }

  @Test func `a crossing that is full loses nothing, although its source does not pause, and the end comes last`()
    async throws
  {
    try await expectNothingFound(preemptions: fewPreemptions) { schedule in
      let log = Log()
      let near = ScheduledHome("near", in: schedule) { home in
        for each in 1...2 { log.send?(each) }
        home.post {
          log.send?(3)
          log.end?()
        }
      }
      let far = ScheduledHome("far", in: schedule) { _ in }
      cross(schedule, log, from: near, to: far, Watermarks(high: 1, low: 0))
      schedule.run()
      schedule.expect(
        log.elements == [1, 2, 3] && log.ends == 1 && log.disposals == 1 && log.late == 0,
        "\(log.elements) came, \(log.ends) ends, \(log.disposals) disposals.")
      log.forget()
    }
  }
}
#endif
