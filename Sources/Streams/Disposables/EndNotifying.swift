/// A disposable that reports whether it has ended. After `watch()` it also notifies `EndWatch`.
@usableFromInline
package protocol EndNotifying: Disposable {
  /// True if neither it nor its members deliver anything more.
  var hasEnded: Bool { get }

  /// Makes it, and its present and later members, call `EndWatch.somethingEnded()` when they end.
  func watch()
}

/// Calls a closure each time a watched disposable ends, until its deallocation. For the far sides of crossings, which wait for
/// the end of their observers.
@usableFromInline
package final class EndWatch {
  private struct Waiting {
    let home: any Mailbox
    let look: @Sendable () -> Void
  }

  private static let waiting = Lock<[ObjectIdentifier: Waiting]>([:])

  /// Calls `look` in the home domain each time a watched disposable ends in the caller's domain.
  init(at home: any Mailbox, _ look: @escaping @Sendable () -> Void) {
    Self.waiting.withLock { $0[ObjectIdentifier(self)] = Waiting(home: home, look: look) }
  }

  deinit { _ = Self.waiting.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) } }

  /// Runs the closures of the caller's domain after a watched disposable has ended.
  @usableFromInline
  package static func somethingEnded() {
    for waiting in waiting.withLock({ Array($0.values) }) where waiting.home.isCurrent != false {
      waiting.home.post { waiting.look() }
    }
  }

  static func hasEnded(_ disposable: any Disposable) -> Bool { (disposable as? any EndNotifying)?.hasEnded ?? true }

  static func watch(_ disposable: any Disposable) { (disposable as? any EndNotifying)?.watch() }
}
