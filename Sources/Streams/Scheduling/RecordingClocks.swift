/// The clocks of recordings: each is the default of time-based operators in the task that records, or on its thread outside of
/// any task, for as long as the recording lives.
///
/// A test that runs at the same time on the same thread, which tasks share, has its own clock.
package enum RecordingClocks {
  private enum Owner: Hashable {
    case task(Int)
    case thread(ObjectIdentifier)

    static var current: Owner {
      withUnsafeCurrentTask { $0.map { .task($0.hashValue) } } ?? .thread(ObjectIdentifier(HomeThread.end))
    }
  }

  private struct Clock {
    let owner: Owner
    let number: Int
    let scheduler: any Scheduler
  }

  private struct State {
    var clocks: [Clock] = []
    var lastNumber = 0
  }

  private static let state = Lock(State())

  /// Makes `scheduler` the default here until what is returned is disposed, from wherever.
  package static func add(_ scheduler: any Scheduler) -> any Disposable {
    // Used by the owner alone.
    nonisolated(unsafe) let scheduler = scheduler
    let owner = Owner.current
    let number = state.withLock { state in
      state.lastNumber += 1
      state.clocks.append(Clock(owner: owner, number: state.lastNumber, scheduler: scheduler))
      return state.lastNumber
    }
    return BlockDisposable {
      // Released after the lock.
      let clock = state.withLock { state in
        state.clocks.firstIndex { $0.number == number }.map { Transfer(state.clocks.remove(at: $0)) }
      }
      _ = clock
    }
  }

  /// The clock of the latest recording here, if there is one.
  static var current: (any Scheduler)? {
    if state.withLock({ $0.clocks.isEmpty }) { return nil }
    let owner = Owner.current
    return state.withLock { state in Transfer(state.clocks.last { $0.owner == owner }?.scheduler) }.value
  }
}
