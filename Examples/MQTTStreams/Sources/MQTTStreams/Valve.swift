import Dispatch
import Streams

/// Lets libmosquitto's thread wait while too much waits to be taken: it reads no more, and the broker keeps what comes.
final class Valve: Sendable {
  private struct State {
    var count = 0
    var isAwaited = false
    var hasEnded = false
  }

  private let capacity: Int
  private let state = Lock(State())
  private let signal = DispatchSemaphore(value: 0)

  init(capacity: Int) { self.capacity = capacity }

  /// One more is about to be sent: waits until there is room for it. For one thread.
  func enter() {
    let waits = state.withLock { state in
      state.count += 1
      state.isAwaited = state.count > capacity && !state.hasEnded
      return state.isAwaited
    }
    if waits { signal.wait() }
  }

  /// One has been delivered. Who waits goes on when half of them have been: not for each.
  func leave() {
    wake { state in
      state.count -= 1
      return state.count <= capacity / 2 + 1
    }
  }

  /// Nobody waits any more.
  func end() {
    wake { state in
      state.hasEnded = true
      return true
    }
  }

  private func wake(_ isDue: (inout State) -> Bool) {
    let wakes = state.withLock { state in
      guard isDue(&state), state.isAwaited else { return false }
      state.isAwaited = false
      return true
    }
    if wakes { signal.signal() }
  }
}
