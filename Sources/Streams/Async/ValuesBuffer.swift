public import DequeModule

/// What a source at home and an iterator share: the elements that wait, the end, and the one that waits for them.
///
/// A waiter is only woken; what it gets it takes from the buffer itself, in its own isolation. So elements never travel
/// through a continuation, and one that arrives while its task is cancelled is not resumed twice.
@usableFromInline
// Sendable: everything is behind the lock. Elements go from the domain that sends to the one that asks, which is the same
// unless the stream's region was given away as a whole.
final class ValuesBuffer<Element, Failure: Error>: @unchecked Sendable {
  @usableFromInline
  struct State {
    @usableFromInline var elements = Deque<Element>()
    @usableFromInline var end: Termination<Failure>?
    @usableFromInline var waiter: Waiter?
    /// The source has been asked to wait.
    @usableFromInline var isPaused = false
    /// The iterator has got its end, or was cancelled: nothing is kept any more.
    @usableFromInline var isFinished = false
    @usableFromInline var isCancelled = false
    @usableFromInline var hasReported = false
    #if DEBUG
    @usableFromInline var peak = 0
    #endif
  }

  @usableFromInline
  enum Taken {
    /// An element, and whether the source has to be resumed.
    case element(Element, resumes: Bool)
    case end(Termination<Failure>)
    case nothing
  }

  @usableFromInline let state = Lock(State())
  @usableFromInline let policy: AsyncBuffering

  @inlinable
  init(_ policy: AsyncBuffering) { self.policy = policy }

  #if DEBUG
  /// The largest number of elements that have waited. For tests.
  var peak: Int { state.withLock { $0.peak } }
  #endif

  /// At home. True when the source has to be paused.
  @inlinable
  func append(_ element: Element) -> Bool {
    // Released and reported after the lock.
    var displaced: Element?
    var isBeyondBound = false
    let (waiter, pauses) = state.withLock { state -> (Waiter?, Bool) in
      if state.isFinished || state.end != nil { return (nil, false) }
      var pauses = false
      switch policy {
      case .unbounded: break
      case .latest: displaced = state.elements.popFirst()
      case .bounded(let limit, let overflow):
        if state.elements.count >= limit {
          if overflow == .dropNewest {
            displaced = element
            return (nil, false)
          }
          displaced = state.elements.popFirst()
        }
      case .pausing(_, let high):
        let count = state.elements.count + 1
        if count >= high, !state.isPaused {
          state.isPaused = true
          pauses = true
        }
        if count - high > high, !state.hasReported {
          state.hasReported = true
          isBeyondBound = true
        }
      }
      state.elements.append(element)
      #if DEBUG
      state.peak = max(state.peak, state.elements.count)
      #endif
      return (state.waiter.take(), pauses)
    }
    if displaced != nil { Untaken.dispose(&displaced) }
    waiter?.resume()
    if isBeyondBound { policy.reportBacklog() }
    return pauses
  }

  /// At home.
  @inlinable
  func terminate(_ end: Termination<Failure>) {
    let waiter = state.withLock { state -> Waiter? in
      if state.isFinished || state.end != nil { return nil }
      state.end = end
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// What is next. After the end, and after cancellation, always completed.
  @inlinable
  func take() -> Taken {
    state.withLock { state in
      if state.isFinished || state.isCancelled { return .end(.completed) }
      if let element = state.elements.popFirst() {
        var resumes = false
        if state.isPaused, case .pausing(let low, _) = policy, state.elements.count <= low {
          state.isPaused = false
          resumes = true
        }
        return .element(element, resumes: resumes && state.end == nil)
      }
      if let end = state.end { return .end(end) }
      return .nothing
    }
  }

  /// Waits until there may be something to take; on the loop of `home`, if it is served by one and the caller lives there.
  @inlinable
  func wait(isolation: isolated (any Actor)?, on home: WaitingLoop) async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation(isolation: isolation) { continuation in
        let waiter = Waiter(continuation, isolation, on: home)
        let isReady = state.withLock { state in
          if !state.elements.isEmpty || state.end != nil || state.isFinished || state.isCancelled { return true }
          if state.waiter != nil {
            AsyncBuffering.twoTasksWait()
          }
          state.waiter = waiter
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
  }

  /// On any thread: wakes who waits, and nothing is given out any more.
  @inlinable
  func cancel() {
    let waiter = state.withLock { state in
      state.isCancelled = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// At home: drops what waits and all that may come.
  @inlinable
  func finish() {
    // Released after the lock.
    var rest = Deque<Element>()
    let waiter = state.withLock { state in
      state.isFinished = true
      swap(&rest, &state.elements)
      return state.waiter.take()
    }
    waiter?.resume()
    Untaken.disposeAll(&rest)
  }
}
