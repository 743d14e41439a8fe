import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Confined", .noLiveResources)
struct ConfinedTests {
  /// An object that is not Sendable, and reports where it is deallocated.
  final class Value {
    var numbers: [Int] = []
    let onDeinit: (String?) -> Void

    init(_ onDeinit: @escaping (String?) -> Void = { _ in }) { self.onDeinit = onDeinit }

    deinit { onDeinit(Queue.current?.label) }
  }

  @Test func `the value is changed at home, in order, from another thread`() throws {
    let queue = Queue(label: "home")
    let value = try queue.sync { Confined(Value()) }
    for number in 0..<1000 { value.async { $0.numbers.append(Queue.current === queue ? number : -1) } }
    let result = Lock<[Int]>([])
    value.async { value in result.withLock { $0 = value.numbers } }
    try queue.sync {}
    #expect(result.withLock { $0 } == Array(0..<1000))
    queue.shutdown()
  }

  @Test func `it is made at a home by a closure that runs there first`() throws {
    let queue = Queue(label: "home")
    let value = Confined(at: queue) { Value() }
    let result = Lock<Int?>(nil)
    value.async { value in
      value.numbers.append(1)
      result.withLock { $0 = value.numbers.count }
    }
    try queue.sync {}
    #expect(result.withLock { $0 } == 1)
    queue.shutdown()
  }

  @Test func `its content is released at home`() async {
    let queue = Queue(label: "home")
    let label = await withCheckedContinuation { continuation in
      queue.async {
        let value = Confined(Value { continuation.resume(returning: $0) })
        Task.detached { _ = value }
      }
    }
    #expect(label == "home")
    queue.shutdown()
  }

  @Test func `letting go of it at home does not take the value from what was sent before`() throws {
    let queue = Queue(label: "home")
    let result = Lock<[String]>([])
    try queue.sync {
      let value = Confined(Value { label in result.withLock { $0.append("released: \(label ?? "nowhere")") } })
      #expect(value.async { _ in result.withLock { $0.append("changed") } })
    }
    try queue.sync {}
    #expect(result.withLock { $0 } == ["changed", "released: home"])
    queue.shutdown()
  }

  @Test func `after home has shut down async returns false`() throws {
    let queue = Queue(label: "home")
    let value = try queue.sync { Confined(Value()) }
    queue.shutdown()
    #expect(!value.async { _ in })
  }

  @Test func `made where nobody lives it traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread { _ = Confined(1, isolation: nil) }
    }
    expect(result, says: "give it a home")
  }
}
