import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("The loop's scheduler", .noLiveResources)
struct SchedulerTests {
  @Test("Deadlines are served in order, equal ones in the order in which they were asked for")
  func order() async throws {
    let order = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var order: [Int] = []
      let base = loop.scheduler.now
      for (index, delay) in [30, 10, 20, 10, 0].enumerated() {
        _ = loop.scheduler.schedule(at: base + .milliseconds(delay)) { order.append(index) }
      }
      loop.run()
      return order
    }
    #expect(order == [4, 1, 3, 2, 0])
  }

  @Test("A deadline is not served before it is due")
  func notEarly() async throws {
    let early = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var early = 0
      for microseconds in stride(from: 100, through: 9_900, by: 700) {
        let due = loop.scheduler.now + .microseconds(microseconds)
        _ = loop.scheduler.schedule(at: due) { if loop.scheduler.now < due { early += 1 } }
      }
      loop.run()
      return early
    }
    #expect(early == 0)
  }

  @Test("A deadline that has passed is served on the next turn, never inside of schedule")
  func past() async throws {
    let log = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var log: [String] = []
      _ = loop.scheduler.schedule(after: .seconds(-1)) {
        log.append("first")
        _ = loop.scheduler.schedule(after: .zero) { log.append("second") }
        log.append("first ends")
      }
      log.append("scheduled")
      loop.run()
      return log
    }
    #expect(log == ["scheduled", "first", "first ends", "second"])
  }

  @Test("Cancelled deadlines are not served and keep no loop alive")
  func cancelled() async throws {
    let served = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var served = 0
      let entries = (0..<1000).map { index in
        loop.scheduler.schedule(after: .seconds(1000 + index)) { served += 1 }
      }
      for entry in entries { entry.dispose() }
      // Returns: nothing is pending.
      loop.run()
      return served
    }
    #expect(served == 0)
  }

  @Test("What is cancelled by an earlier deadline of the same turn is not served")
  func cancelledInSameTurn() async throws {
    let served = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var served = 0
      let base = loop.scheduler.now
      var second: (any Disposable)?
      _ = loop.scheduler.schedule(at: base) { second?.dispose() }
      second = loop.scheduler.schedule(at: base) { served += 1 }
      loop.run()
      return served
    }
    #expect(served == 0)
  }

  @Test("An earlier deadline that is added later is served first")
  func earlierAddedLater() async throws {
    let order = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var order: [String] = []
      let late = loop.scheduler.schedule(after: .seconds(1000)) { order.append("late") }
      _ = loop.scheduler.schedule(after: .milliseconds(1)) {
        order.append("early")
        late.dispose()
      }
      loop.run()
      return order
    }
    #expect(order == ["early"])
  }
}
