/// A disposable that reports whether it has ended. After `watch()` it also notifies `EndWatch`.
@usableFromInline
package protocol EndNotifying: Disposable {
  /// True if neither it nor its members deliver anything more.
  var hasEnded: Bool { get }

  /// Makes it, and its present and later members, call `EndWatch.somethingEnded()` when they end.
  func watch()
}

/// The observers that wait for the end of watched disposables: the far sides of crossings.
@usableFromInline
package enum EndWatch {
  private struct Waiting {
    let home: any Mailbox
    let look: @Sendable () -> Void
  }

  private static let waiting = Lock<[ObjectIdentifier: Waiting]>([:])

  /// Calls `look` in the home domain each time a watched disposable ends in the caller's domain.
  static func add(_ object: AnyObject, at home: any Mailbox, _ look: @escaping @Sendable () -> Void) {
    waiting.withLock { $0[ObjectIdentifier(object)] = Waiting(home: home, look: look) }
  }

  /// Removes the closure of `add`.
  static func remove(_ object: AnyObject) { _ = waiting.withLock { $0.removeValue(forKey: ObjectIdentifier(object)) } }

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
