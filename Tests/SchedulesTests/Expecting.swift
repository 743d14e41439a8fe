import Schedules
import Testing

/// Expects that an exploration came to its end and found nothing.
func expectNothingFound(_ found: Exploration, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(found.failure == nil, sourceLocation: sourceLocation)
  #expect(found.isComplete, "\(found.schedules) orders", sourceLocation: sourceLocation)
}
