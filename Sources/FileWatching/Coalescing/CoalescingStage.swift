/// The stage that coalesces: leaves out what repeats the event before it and says nothing new, such as the writes to a file
/// that has just been made.
///
/// Only what is read together is coalesced: an event of an earlier batch has been delivered and acted upon.
struct CoalescingStage {
  private var last: FileEvent?

  /// Begins a batch.
  mutating func begin() { last = nil }

  /// Notes what is delivered.
  mutating func note(_ event: FileEvent) { last = event }

  /// Whether an event of this kind says nothing new. `isSamePath` is asked last, because it takes longest.
  func repeats(_ kind: FileEvent.Kind, isSamePath: (BytePath) -> Bool) -> Bool {
    guard let last else { return false }
    switch (kind, last.kind) {
    case (.modified, .modified), (.modified, .created), (.attributes, .attributes), (.attributes, .created):
      return isSamePath(last.path)
    default: return false
    }
  }
}
