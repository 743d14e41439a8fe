/// Counts disposables that have not ended, and says when the last of them has. Confined.
@usableFromInline
package final class EndCount {
  private var running = 0
  /// Runs each time when none is left.
  var onNone: (() -> Void)?

  /// Everything that was counted has ended.
  var isNone: Bool { running == 0 }

  package init() {}

  /// One more has begun.
  package func begin() { running += 1 }

  /// One of them has ended.
  package func end() {
    running -= 1
    if running == 0 { onNone?() }
  }
}

/// A disposable that can be asked to say when it has ended: by itself, or because it was disposed of.
@usableFromInline
package protocol EndCounted: Disposable {
  /// Has `ends` count it, unless it has ended. One that several counts ask is counted by the first.
  func count(in ends: EndCount)
}
