import Dispatch
import Streams

/// A valve that blocks libmosquitto's thread while the buffer is full. The thread then reads nothing, so the broker holds the
/// messages.
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

  /// Counts an element that is about to be sent, and blocks until there is room for it. Only one thread may call this.
  func enter() {
    let waits = state.withLock { state in
      state.count += 1
      state.isAwaited = state.count > capacity && !state.hasEnded
      return state.isAwaited
    }
    if waits { signal.wait() }
  }

  /// Counts an element that has been delivered. Wakes the blocked thread only when half of the elements have been delivered, to
  /// save switches between threads.
  func leave() {
    wake { state in
      state.count -= 1
      return state.count <= capacity / 2 + 1
    }
  }

  /// Wakes the blocked thread. `enter()` no longer blocks.
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
