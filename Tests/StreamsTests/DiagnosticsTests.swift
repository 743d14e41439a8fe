import Streams
import Testing

@Suite struct DiagnosticsTests {
  @Test("The thousandth report costs what the first did: nothing piles up on the stack")
  func manyReports() async {
    // A process of its own, because the sink is the process's.
    await #expect(processExitsWith: .success) {
      Diagnostics.setSink { _ in }
      for _ in 0..<100_000 { Diagnostics.report("again") }
    }
  }
}
