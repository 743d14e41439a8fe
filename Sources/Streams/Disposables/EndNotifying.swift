/// A disposable that reports whether it has ended. Once it is watched, it notifies those that wait in its domain.
@usableFromInline
package protocol EndNotifying: Disposable {
  /// It delivers nothing more, and neither do its members.
  var hasEnded: Bool { get }

  /// From now on it calls `EndWatch.somethingEnded()` when it ends, and so do its present and later members.
  func watch()
}

/// The far sides of crossings that wait for the end of watched disposables.
@usableFromInline
package enum EndWatch {
  private struct Waiting {
    let home: any Mailbox
    let look: @Sendable () -> Void
  }

  private static let waiting = Lock<[ObjectIdentifier: Waiting]>([:])

  /// Has `look` called, at home, each time when something has ended in the caller's domain.
  static func add(_ object: AnyObject, at home: any Mailbox, _ look: @escaping @Sendable () -> Void) {
    waiting.withLock { $0[ObjectIdentifier(object)] = Waiting(home: home, look: look) }
  }

  /// Takes that back.
  static func remove(_ object: AnyObject) { _ = waiting.withLock { $0.removeValue(forKey: ObjectIdentifier(object)) } }

  /// Something that is watched has ended here.
  @usableFromInline
  package static func somethingEnded() {
    for waiting in waiting.withLock({ Array($0.values) }) where waiting.home.isCurrent != false {
      waiting.home.post { waiting.look() }
    }
  }

  static func hasEnded(_ disposable: any Disposable) -> Bool { (disposable as? any EndNotifying)?.hasEnded ?? true }

  static func watch(_ disposable: any Disposable) { (disposable as? any EndNotifying)?.watch() }
}
