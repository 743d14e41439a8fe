// The home of a hot stream, for the other modules of the package.

/// An object with a home, to which its deinitializer sends jobs.
@usableFromInline
package protocol Homed: AnyObject {
  /// True after the first use.
  var hasHome: Bool { get }

  /// Settles the caller's domain as the home on first use. Traps if the home is another domain.
  func settleHome()

  /// Runs `job` in the home domain. The job must own all values that it uses.
  func performAtHome(_ job: @escaping () -> Void)
}

extension PushOperation: Homed {
  @usableFromInline
  package var hasHome: Bool { table.home.isSettled }

  @usableFromInline
  package func settleHome() { table.home.settle(for: "A hot stream") }

  @usableFromInline
  package func performAtHome(_ job: @escaping () -> Void) { table.home.perform(job) }

  /// Runs `end`, which ends the stream, in the home domain. For the deinitializer of the owner. If the home has closed, the
  /// observers are released without an end.
  @usableFromInline
  package func endAtHome(_ end: @escaping () -> Void) {
    let table = table
    table.home.perform { if table.home.hasClosed { table.vanish() } else { end() } }
  }

  /// Completes the stream in the home domain.
  package func completeAtHome() {
    let table = table
    endAtHome { table.terminate(.completed) }
  }

  /// Traps if the caller is not on the thread of the home, unless the home is not settled.
  @inlinable @inline(__always)
  package func checkHome(_ what: StaticString) { table.checkHome(what) }

  /// Subscribes without settling the home, because composing is not a use.
  package func subscribeUnsettled(_ observer: Observer<Element, Failure>) -> any Disposable {
    if table.home.isSettled { return table.subscribe(observer) }
    defer { table.home = .unset }
    return table.subscribe(observer)
  }
}
