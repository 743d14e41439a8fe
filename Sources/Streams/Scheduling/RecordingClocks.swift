/// The clocks of recordings. During a recording, its clock is the default of the time-based operators in the recorded stream, and of
/// those in the recording task, or on its thread outside a task, because a shared stream is not part of the recorded chain.
///
/// A test that runs at the same time on the same thread has its own clock.
package enum RecordingClocks {
  private enum Owner: Hashable {
    case task(Int)
    case thread(ObjectIdentifier)
    /// The last subscription of the recorded chain.
    case sink(ObjectIdentifier)

    static func end(of subscription: Subscription) -> Owner {
      var end = Unmanaged.passUnretained(subscription)
      while let next = end._withUnsafeGuaranteedRef({ $0.downstream }) { end = next }
      return .sink(ObjectIdentifier(end._withUnsafeGuaranteedRef { $0 }))
    }

    static var current: Owner {
      withUnsafeCurrentTask { $0.map { .task($0.hashValue) } } ?? .thread(ObjectIdentifier(HomeThread.end))
    }
  }

  private struct Clock {
    let owner: Owner
    /// The domain of the recording. While a task awaits an actor with a thread of its own, the clock, which runs its callbacks where
    /// it is advanced, does not apply there.
    let domain: UInt
    let number: Int
    let scheduler: any Scheduler
  }

  private struct State {
    var clocks: [Clock] = []
    var lastNumber = 0
  }

  private static let state = Lock(State())

  /// Makes `scheduler` the default in the current task until the result is disposed, on any thread.
  package static func add(_ scheduler: any Scheduler) -> any Disposable { add(scheduler, for: .current) }

  /// Makes `scheduler` the default in the chain that ends at `subscription`, which must outlive the result.
  package static func add(_ scheduler: any Scheduler, endingAt subscription: Subscription) -> any Disposable {
    add(scheduler, for: .end(of: subscription))
  }

  private static func add(_ scheduler: any Scheduler, for owner: Owner) -> any Disposable {
    // Only the owner uses it.
    nonisolated(unsafe) let scheduler = scheduler
    let domain = currentDomain()
    let number = state.withLock { state in
      state.lastNumber += 1
      state.clocks.append(Clock(owner: owner, domain: domain, number: state.lastNumber, scheduler: scheduler))
      return state.lastNumber
    }
    return BlockDisposable {
      // Released outside the lock.
      let clock = state.withLock { state in
        state.clocks.firstIndex { $0.number == number }.map { Transfer(state.clocks.remove(at: $0)) }
      }
      _ = clock
    }
  }

  /// The clock of the recording at the end of the chain, or of the latest recording in this task, or nil.
  static func current(downstream: Subscription) -> (any Scheduler)? {
    if state.withLock({ $0.clocks.isEmpty }) { return nil }
    let (end, here, domain) = (Owner.end(of: downstream), Owner.current, currentDomain())
    return state.withLock { state in
      let clock = state.clocks.last { $0.owner == end } ?? state.clocks.last { $0.owner == here && $0.domain == domain }
      return Transfer(clock?.scheduler)
    }.value
  }
}
