#if canImport(Glibc)
import StreamsTesting
package import Testing

/// Runs a program in every order, and expects that each is right.
package func expectNothingFound(
  sourceLocation: SourceLocation = #_sourceLocation, _ program: @escaping @Sendable (Schedule) -> Void
) async throws {
  // Its threads block, so it does not run on a thread of the concurrency pool.
  let found = try await onOwnThread { explore(program) }
  #expect(found.failure == nil, sourceLocation: sourceLocation)
  #expect(found.isComplete, "\(found.schedules) orders", sourceLocation: sourceLocation)
}
#endif
