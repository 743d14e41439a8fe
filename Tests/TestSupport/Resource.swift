import Streams

/// Counts the open resources.
package final class ResourceCounter: Sendable {
  fileprivate let counts = Lock((open: 0, made: 0))

  package init() {}

  package var count: Int { counts.withLock { $0.open } }

  /// The number of resources that have been made.
  package var made: Int { counts.withLock { $0.made } }
}

/// A resource that is open until it is disposed. Releasing it is not enough.
package final class Resource: Disposable, Sendable {
  private let counter: ResourceCounter
  private let isOpen = Lock(true)

  package init(_ counter: ResourceCounter) {
    self.counter = counter
    counter.counts.withLock { $0 = ($0.open + 1, $0.made + 1) }
  }

  package var isDisposed: Bool { isOpen.withLock { !$0 } }

  package func dispose() {
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    if wasOpen { counter.counts.withLock { $0.open -= 1 } }
  }
}
