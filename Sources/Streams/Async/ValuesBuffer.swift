public import DequeModule

/// The state that a source in the home domain and an iterator share: the pending elements, the end, and the waiting
/// task.
///
/// The source only wakes the task, which takes the element from the buffer in its own isolation. So elements never pass through a
/// continuation, and a task that is canceled at the same time is not resumed twice.
@usableFromInline
// Sendable: the lock protects everything. Elements move from the sending domain to the iterator's, which is the same domain unless
// the stream's whole region was sent.
final class ValuesBuffer<Element, Failure: Error>: @unchecked Sendable {
  @usableFromInline
  struct State {
    @usableFromInline var elements = Deque<Element>()
    @usableFromInline var end: Termination<Failure>?
    @usableFromInline var waiter: Waiter?
    /// True if the source was paused.
    @usableFromInline var isPaused = false
    /// True if the iterator got the end or was canceled. No element is held afterwards.
    @usableFromInline var isFinished = false
    @usableFromInline var isCancelled = false
    @usableFromInline var hasReported = false
    #if DEBUG
    @usableFromInline var peak = 0
    #endif
  }

  @usableFromInline
  enum Taken {
    /// An element, and whether the source must be resumed.
    case element(Element, resumes: Bool)
    case end(Termination<Failure>)
    case nothing
  }

  @usableFromInline let state = Lock(State())
  @usableFromInline let policy: AsyncBuffering
  /// True if one element is awaited. If it has arrived, a later cancellation does not drop it.
  @usableFromInline let isSingle: Bool
  #if Tracing
  @usableFromInline let traceName = Trace.isOn ? "values() #\(Trace.newID())" : "values()"

  /// Records how many elements wait for the task. For the calls that hold the lock.
  @usableFromInline
  func record(_ count: Int) { if Trace.isOn { Trace.count(traceName, count) } }
  #endif

  @inlinable
  init(_ policy: AsyncBuffering, isSingle: Bool) {
    self.policy = policy
    self.isSingle = isSingle
  }

  #if DEBUG
  /// The largest number of pending elements so far. For tests.
  var peak: Int { state.withLock { $0.peak } }
  #endif

  /// Adds an element, in the home domain. Returns true if the source must be paused.
  @inlinable
  func append(_ element: Element) -> Bool {
    // Released and reported outside the lock.
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
      case .pausing(let marks):
        let count = state.elements.count + 1
        if count >= marks.high, !state.isPaused {
          state.isPaused = true
          pauses = true
        }
        if count - marks.high > marks.high, !state.hasReported {
          state.hasReported = true
          isBeyondBound = true
        }
      }
      state.elements.append(element)
      #if Tracing
      record(state.elements.count)
      #endif
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

  /// Adds the end, in the home domain.
  @inlinable
  func terminate(_ end: Termination<Failure>) {
    let waiter = state.withLock { state -> Waiter? in
      if state.isFinished || state.end != nil { return nil }
      state.end = end
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Takes the next element or the end. After the end and after cancellation this is always completed.
  @inlinable
  func take() -> Taken {
    state.withLock { state in
      if state.isFinished || state.isCancelled { return .end(.completed) }
      if let element = state.elements.popFirst() {
        #if Tracing
        record(state.elements.count)
        #endif
        var resumes = false
        if state.isPaused, case .pausing(let marks) = policy, state.elements.count <= marks.low {
          state.isPaused = false
          resumes = true
        }
        return .element(element, resumes: resumes && state.end == nil)
      }
      if let end = state.end { return .end(end) }
      return .nothing
    }
  }

  /// Waits until there can be an element to take. Resumes on the loop of `home` if the caller runs there.
  @inlinable
  func wait(isolation: isolated (any Actor)?, on home: WaitingLoop) async {
    #if Tracing
    let wait = Trace.isOn ? Trace.beginWait("wait", "a task waits in values()") : 0
    defer { if wait != 0 { Trace.endWait("wait", wait) } }
    #endif
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

  /// Wakes the waiting task, and delivers no further element, except a single one that has arrived. Thread-safe.
  @inlinable
  func cancel() {
    let waiter = state.withLock { state -> Waiter? in
      if isSingle, !state.elements.isEmpty || state.end != nil { return nil }
      state.isCancelled = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Drops the pending elements and all later ones. Call it in the home domain.
  @inlinable
  func finish() {
    // Released outside the lock.
    var rest = Deque<Element>()
    let waiter = state.withLock { state in
      state.isFinished = true
      swap(&rest, &state.elements)
      #if Tracing
      if !rest.isEmpty { record(0) }
      #endif
      return state.waiter.take()
    }
    waiter?.resume()
    Untaken.disposeAll(&rest)
  }
}
