import CUV
import EventLoops
import Foundation
import Streams

/// Programs in which an allocation of libuv fails.
@MainActor let memoryProbes: [String: () -> Void] = [
  // The allocation with the number of the argument; 0 for none. Prints the number of allocations.
  "no-memory": {
    let failing = Int(CommandLine.arguments[2])!
    allocations.withLock { $0.failing = failing }
    uv_replace_allocator(
      { allowed() ? malloc($0) : nil }, { allowed() ? realloc($0, $1) : nil }, { allowed() ? calloc($0, $1) : nil },
      { free($0) })
    let bag = DisposeBag()
    var left = 0
    func expect<Element, Failure: Error>(_ name: String, _ stream: Streams.Operation<Element, Failure>) {
      left += 1
      stream.observe { event in
        guard event.isTermination else { return }
        if case .failed(let error) = event { print("\(name): \(error)") }
        left -= 1
        if left == 0 { bag.dispose() }
      }.dispose(in: bag)
    }
    expect("timer", Streams.Operation<Int, Never>.timer(1, after: .milliseconds(1)))
    expect("file", Files.status(of: "/"))
    expect("directory", Files.entries(of: "/proc/self/task"))
    expect("work", Streams.Operation<Int, Never>.work { 3 })
    expect("process", Streams.Operation.process(ProcessCommand("true")))
    let end = Streams.Operation<Int, Never>.timer(1, after: .milliseconds(5))
    expect("signal", Streams.Operation.signal(.user1).take(until: end))
    expect("names", Streams.Operation.addresses(of: "localhost", port: 80))
    expect(
      "server",
      Streams.Operation.listen(
        on: .loopback(port: 0),
        bound: { address in
          expect("client", Streams.Operation.connect(to: address).flatMap(.merge) { $0.bytes })
        }
      ).take(1))
    Loop.main.run()
    print("left \(left) of \(allocations.withLock { $0.count })")
  }
]

/// Counts an allocation. libuv also allocates on the threads of its pool.
@Sendable private nonisolated func allowed() -> Bool {
  allocations.withLock {
    $0.count += 1
    // libuv reports the error that the allocator sets.
    if $0.count == $0.failing { errno = ENOMEM }
    return $0.count != $0.failing
  }
}

private let allocations = Lock((count: 0, failing: 0))
