import EventLoops
import TestSupport
import Testing

/// Programs whose main returns while other threads still use libuv.
@Suite("The end of a program")
struct ExitTests {
  @Test func `does not wait for a job of the pool that never returns`() async throws {
    let result = try await probe("exit-with-busy-pool")
    #expect(result.output == "returned\n")
    #expect(result.status == .exited(0))
  }

  @Test func `is no crash while queues start requests and watch signals`() async throws {
    for _ in 0..<(Effort.isSanitized ? 5 : 20) {
      let result = try await probe("exit-with-busy-queues")
      #expect(result.output == "returned\n")
      #expect(result.status == .exited(0), "\(result.errorOutput)")
    }
  }
}
