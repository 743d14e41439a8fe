import Streams
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct DiagnosticsTests {
  @Test func `the thousandth report costs what the first did: nothing piles up on the stack`() async {
    // Runs in its own process, because the sink belongs to the whole process.
    await #expect(processExitsWith: .success) {
      Diagnostics.setSink { _ in }
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setstacksize(&attributes, 256 * 1024)
      var thread = pthread_t()
      let status = pthread_create(
        &thread, &attributes,
        { _ in
          for _ in 0..<10_000 { Diagnostics.report("again") }
          return nil
        }, nil)
      try #require(status == 0)
      pthread_join(thread, nil)
    }
  }
}
