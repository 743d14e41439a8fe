import Allocations
import OpenCombine
import Streams

/// Beginning and disposing a subscription to a subject, through one operator.
let subscribing = [
  Workload(
    row: 8, name: "observe and dispose", count: 500_000, goal: Goal(nanoseconds: 150, ratio: 5),
    sides: [
      Side(library: .headwater) {
        let subject = PushStream<Int>()
        return { count in
          for _ in 0..<count { subject.map { $0 &+ 1 }.observeNext { total.value &+= $0 }.dispose() }
        }
      },
      Side(library: .openCombine) {
        let subject = PassthroughSubject<Int, Never>()
        return { count in
          for _ in 0..<count { subject.map { $0 &+ 1 }.sink { total.value &+= $0 }.cancel() }
        }
      },
      Side(library: .asyncStream, share: 0.1) {
        { count in
          complete {
            for _ in 0..<count {
              let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
              let task = Task { for await element in stream.map({ $0 &+ 1 }) { consume(element) } }
              task.cancel()
              await task.value
              withExtendedLifetime(continuation) {}
            }
          }
        }
      },
    ] + Peers.subscribing)
]

/// Returns the bytes that a live subscription through one `map` holds, as the allocator rounds them, for each library.
func bytesOfSubscriptions() -> [(library: Library, bytes: Double)] {
  let count = 10_000
  func bytes<Handle>(_ allocated: () -> Int = allocated_bytes_here, _ subscribe: () -> Handle) -> Double {
    var handles: [Handle] = []
    handles.reserveCapacity(count)
    let before = allocated()
    for _ in 0..<count { handles.append(subscribe()) }
    defer { withExtendedLifetime(handles) {} }
    return Double(allocated() - before) / Double(count)
  }
  let subject = PushStream<Int>()
  let other = PassthroughSubject<Int, Never>()
  return [
    (.headwater, bytes { subject.map { $0 &+ 1 }.observeNext { total.value &+= $0 } }),
    (.openCombine, bytes { other.map { $0 &+ 1 }.sink { total.value &+= $0 } }),
    (
      .asyncStream,
      // The tasks allocate on other threads, so this counts all threads.
      bytes(allocated_bytes) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let task = Task { for await element in stream.map({ $0 &+ 1 }) { consume(element) } }
        return (task, continuation)
      }
    ),
  ]
}

/// Returns the nanoseconds to remove an observer at any position and to add another one, among `live` observers.
func costOfReplacing(live: Int) -> Double {
  let subject = PushStream<Int>()
  var subscriptions = (0..<live).map { _ in subject.observeNext { total.value &+= $0 } }
  let steps = 200_000
  var best = Double.infinity
  var place = 0
  for _ in 0..<3 {
    let nanoseconds = time {
      for _ in 0..<steps {
        // The stride visits all positions, one far from the next.
        place = (place + 7919) % live
        subscriptions[place].dispose()
        subscriptions[place] = subject.observeNext { total.value &+= $0 }
      }
    }
    best = min(best, nanoseconds / Double(steps))
  }
  for subscription in subscriptions { subscription.dispose() }
  return best
}
