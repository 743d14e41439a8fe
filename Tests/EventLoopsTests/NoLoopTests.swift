import EventLoops
import Testing

/// Programs that depend on the product `Streams` alone, so that no loop serves the main thread.
@Suite("A program without a loop")
struct NoLoopTests {
  @Test(
    arguments: [
      ("hot", "0\n1\n2\non main: true\n"), ("inlet", "0\n1\n2\n"), ("late-inlet", "next(1)\ncompleted\n"),
      ("sequence", "0\n2\n4\n"), ("debounce", "2\n"),
    ])
  func `keeps the main actor on the main thread when main waits`(_ name: String, _ output: String) async throws {
    let result = try await probe(name, in: "streams-probe")
    #expect(result.output == output)
    #expect(result.errorOutput == "")
    #expect(result.status == .exited(0))
  }

  @Test func `is told where a clock comes from`() async throws {
    let result = try await probe("no-clock", in: "streams-probe")
    #expect(result.errorOutput.contains("ActorScheduler()"))
    #expect(result.errorOutput.contains("product EventLoops"))
    if case .exited = result.status { Issue.record("it has not trapped") }
  }

  @Test(arguments: ["dispatch-main", "dispatch-main-subscription", "dispatch-main-producer"])
  func `is told that dispatchMain() serves the main actor on other threads`(_ name: String) async throws {
    let result = try await probe(name, in: "streams-probe")
    #expect(result.output == "")
    #expect(result.errorOutput.contains("After dispatchMain() other threads serve the main actor: make main async"))
    if case .exited = result.status { Issue.record("it has not trapped") }
  }

  @Test func `reports what the main actor has not delivered`() async throws {
    let result = try await probe("unserved", in: "streams-probe")
    #expect(result.output == "")
    #expect(result.errorOutput.contains("nothing has served the main actor"))
    #expect(result.status == .exited(0))
  }
}
