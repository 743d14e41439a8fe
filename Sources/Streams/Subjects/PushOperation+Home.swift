// What the modules on top need to know of a hot stream's home.

/// Something with a home, to which the jobs of a deinit are sent.
@usableFromInline
package protocol Homed: AnyObject {
  /// False until it has been used.
  var hasHome: Bool { get }

  /// Makes the caller's domain the home, the first time; another one later is a misuse.
  func settleHome()

  /// Runs `job` at home. See `Home.perform`: the job must own all that it needs.
  func performAtHome(_ job: @escaping () -> Void)
}

extension PushOperation: Homed {
  @usableFromInline
  package var hasHome: Bool { table.home.isSettled }

  @usableFromInline
  package func settleHome() { table.home.settle(for: "A hot stream") }

  @usableFromInline
  package func performAtHome(_ job: @escaping () -> Void) { table.home.perform(job) }

  /// Runs `end` at home, which ends the stream: for the deinit of its owner. Where home has closed, the observers are
  /// released without being told of an end.
  @usableFromInline
  package func endAtHome(_ end: @escaping () -> Void) {
    let table = table
    table.home.perform { if table.home.hasClosed { table.vanish() } else { end() } }
  }

  /// Completes at home.
  package func completeAtHome() {
    let table = table
    endAtHome { table.terminate(.completed) }
  }

  /// Stops the program if the caller runs on another thread than home's, once home is settled.
  @inlinable @inline(__always)
  package func checkHome(_ what: StaticString) { table.checkHome(what) }

  /// Subscribes without making the caller's domain the home: composing is not using.
  package func subscribeUnsettled(_ observer: Observer<Element, Failure>) -> any Disposable {
    if table.home.isSettled { return table.subscribe(observer) }
    defer { table.home = .unset }
    return table.subscribe(observer)
  }
}
