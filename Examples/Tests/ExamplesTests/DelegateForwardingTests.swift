import Testing

/// The example `DelegateForwarding`.
@Suite("DelegateForwarding") struct DelegateForwardingTests {
  @Test
  func `the delegate goes on working while others observe, answer and take its place, and in the end nothing is left`()
    async throws
  {
    let run = try await Run.example("DelegateForwarding")
    #expect(
      run.output == """
        The delegate alone:
        book: coffee 3 to other
        book: closed at line 2
        Observed:
        sum: 0
        book: coffee 3 to other
        sum: 3
        wrong: # this week
        book: closed at line 2
        Answered:
        book: coffee 3 to kitchen
        sum: 6
        skipped: # this week
        book: tea 2 to other
        sum: 8
        book: closed at line 3
        The property has changed:
        book: coffee 3 to kitchen
        sum: 11
        skipped: # this week
        book: tea 2 to kitchen
        sum: 13
        book: closed at line 3
        Another delegate:
        audit: coffee 3 to kitchen
        sum: 16
        skipped: # this week
        audit: tea 2 to kitchen
        sum: 18
        audit: closed at line 3
        The delegate is asked again:
        book: coffee 3 to kitchen
        sum: 21
        wrong: # this week
        book: closed at line 2
        As it was:
        book: coffee 3 to other
        book: closed at line 2
        The delegate is the one that was there.

        """)
    #expect(run.exitCode == 0)
  }
}
