import Streams
import StreamsTesting
import Testing

/// The scheduler of an actor without a loop.
@Suite(.noLiveResources) struct ActorSchedulerTests {
  @Test func `equal deadlines are served in the order in which they were asked for`() async {
    actor Owner {
      var served: [Int] = []
      private var waiter: CheckedContinuation<Void, Never>?

      func run(_ count: Int) async -> [Int] {
        let scheduler = ActorScheduler()
        let deadline = scheduler.now + .milliseconds(20)
        for number in 0..<count {
          _ = scheduler.schedule(at: deadline) { self.serve(number, count) }
        }
        await withCheckedContinuation { waiter = $0 }
        return served
      }

      private func serve(_ number: Int, _ count: Int) {
        served.append(number)
        if served.count == count { waiter.take()?.resume() }
      }
    }
    #expect(await Owner().run(500) == Array(0..<500))
  }

  @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
  func `the longest delay does not wrap around`(_ longest: Duration) async {
    actor Owner {
      func run(_ longest: Duration) async {
        let scheduler = ActorScheduler()
        let late = scheduler.schedule(after: longest) { Issue.record("fired") }
        await withCheckedContinuation { waiter in
          _ = scheduler.schedule(after: Duration(attoseconds: .min)) { waiter.resume() }
        }
        late.dispose()
      }
    }
    await Owner().run(longest)
  }
}
