import EventLoops
import FileWatching
import Streams
import StreamsTesting
import Testing

@testable import headwatch

/// The two operators of the example, in virtual time.
@Suite struct StreamTests {
  @Test func `a burst settles when nothing has come for a while`() {
    let scheduler = VirtualScheduler()
    let source = PushStream<Int>()
    var bursts: [Burst<Int>] = []
    let subscription = source.bursts(quiet: .milliseconds(50), atMost: .seconds(1), on: scheduler)
      .observeNext { bursts.append($0) }
    source.next(1)
    #expect(bursts == [.began])
    scheduler.advance(by: .milliseconds(40))
    source.next(2)
    scheduler.advance(by: .milliseconds(49))
    #expect(bursts == [.began])
    scheduler.advance(by: .milliseconds(1))
    #expect(bursts == [.began, .settled([1, 2])])
    #expect(scheduler.pendingCount == 0)
    source.next(3)
    scheduler.advance(by: .seconds(1))
    #expect(bursts.suffix(2) == [.began, .settled([3])])
    subscription.dispose()
  }

  @Test func `a burst that never ceases settles all the same`() {
    let scheduler = VirtualScheduler()
    let source = PushStream<Int>()
    var settledAt: [Duration] = []
    let subscription = source.bursts(quiet: .milliseconds(50), atMost: .seconds(1), on: scheduler)
      .observeNext { if case .settled = $0 { settledAt.append(scheduler.now) } }
    for number in 0..<100 {
      source.next(number)
      scheduler.advance(by: .milliseconds(20))
    }
    #expect(settledAt == [.seconds(1), .seconds(2)])
    subscription.dispose()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `no quiet period settles on the next turn`() {
    let scheduler = VirtualScheduler()
    let source = PushStream<Int>()
    var bursts: [Burst<Int>] = []
    let subscription = source.bursts(quiet: .zero, atMost: .zero, on: scheduler).observeNext { bursts.append($0) }
    source.next(1)
    source.next(2)
    scheduler.advance(by: .zero)
    #expect(bursts == [.began, .settled([1, 2])])
    subscription.dispose()
  }

  @Test func `the first modification passes at once and the last is not lost`() {
    let scheduler = VirtualScheduler()
    let source = PushStream<FileEvent>()
    var events: [(Duration, FileEvent)] = []
    let subscription = source.coalescingModifications(within: .milliseconds(50), on: scheduler)
      .observeNext { events.append((scheduler.now, $0)) }
    let modified = FileEvent(.modified, "a")
    for _ in 0..<10 {
      source.next(modified)
      scheduler.advance(by: .milliseconds(7))
    }
    scheduler.advance(by: .seconds(1))
    // The second window is twice as long.
    #expect(events.map(\.0) == [.zero, .milliseconds(50), .milliseconds(150)])
    #expect(scheduler.pendingCount == 0)
    subscription.dispose()
  }

  @Test func `a file that is written without pause is reported less and less often`() {
    let scheduler = VirtualScheduler()
    let source = PushStream<FileEvent>()
    var times: [Duration] = []
    let subscription = source.coalescingModifications(within: .milliseconds(50), on: scheduler)
      .observeNext { _ in times.append(scheduler.now) }
    for _ in 0..<250 {
      source.next(FileEvent(.modified, "a"))
      scheduler.advance(by: .milliseconds(10))
    }
    #expect(times == [0, 50, 150, 350, 750, 1150, 1550, 1950, 2350].map { .milliseconds($0) })
    scheduler.advance(by: .seconds(1))
    #expect(times.last == .milliseconds(2750))
    // After a pause, the first window has its initial length again.
    source.next(FileEvent(.modified, "a"))
    #expect(times.last == .milliseconds(3500))
    subscription.dispose()
  }

  @Test func `other events pass in order after what was held`() {
    let scheduler = VirtualScheduler()
    let source = PushStream<FileEvent>()
    var events: [FileEvent] = []
    let subscription = source.coalescingModifications(within: .milliseconds(50), on: scheduler)
      .observeNext { events.append($0) }
    let rename = FileEvent(.renamed(to: "y"), "x", isDirectory: true)
    for event in [FileEvent(.modified, "x/a"), FileEvent(.modified, "x/a"), rename] { source.next(event) }
    #expect(events == [FileEvent(.modified, "x/a"), FileEvent(.modified, "x/a"), rename])
    events = []
    for event in [FileEvent(.modified, "b"), FileEvent(.modified, "b"), FileEvent(.removed, "b")] { source.next(event) }
    scheduler.advance(by: .seconds(1))
    #expect(events == [FileEvent(.modified, "b"), FileEvent(.removed, "b")])
    #expect(scheduler.pendingCount == 0)
    subscription.dispose()
  }

  @Test func `many files are served by one timer`() {
    let scheduler = VirtualScheduler()
    let source = PushStream<FileEvent>()
    var count = 0
    let subscription = source.coalescingModifications(within: .milliseconds(50), on: scheduler).observeNext { _ in
      count += 1
    }
    for _ in 0..<10 {
      for file in 0..<10_000 { source.next(FileEvent(.modified, BytePath("\(file)"))) }
    }
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: .seconds(1))
    #expect(count == 20_000)
    #expect(scheduler.pendingCount == 0)
    subscription.dispose()
  }
}
