/// The stage that coalesces: it drops an event that repeats the previous one, such as the writes to a new file.
///
/// Only events that were read together are coalesced, because the observer has already handled those of earlier
/// batches.
struct CoalescingStage {
  private var last: FileEvent?

  /// Begins a batch.
  mutating func begin() { last = nil }

  /// Records an event that is being delivered.
  mutating func note(_ event: FileEvent) { last = event }

  /// Returns true if an event of this kind repeats the previous one. Calls `isSamePath` last, because that takes
  /// longest.
  func repeats(_ kind: FileEvent.Kind, isSamePath: (BytePath) -> Bool) -> Bool {
    guard let last else { return false }
    switch (kind, last.kind) {
    case (.modified, .modified), (.modified, .created), (.attributes, .attributes), (.attributes, .created):
      return isSamePath(last.path)
    default: return false
    }
  }
}
