#if canImport(Glibc)
import Glibc
import StreamsTesting
package import Testing

/// Runs a program in every order with at most `preemptions` preemptions, and expects that each is right.
package func expectNothingFound(
  preemptions: Int? = standardPreemptions, sourceLocation: SourceLocation = #_sourceLocation,
  _ program: @escaping @Sendable (Schedule) -> Void
) async throws {
  // Its threads block, so it does not run on a thread of the concurrency pool.
  let seconds = getenv("HEADWATER_SCHEDULE_SECONDS").flatMap { Int(String(cString: $0)) }
  let found = try await onOwnThread { explore(preemptions: preemptions, atRandomFor: seconds, program) }
  #expect(found.failure == nil, sourceLocation: sourceLocation)
  #expect(found.isComplete, "\(found.schedules) orders", sourceLocation: sourceLocation)
}
#endif
