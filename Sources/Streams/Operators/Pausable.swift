import DequeModule

extension StreamProtocol {
  /// Drops the elements that come while the last element of `isRunning` is false; until it emits, all pass.
  ///
  /// `isRunning` is observed first; that it completes means nothing. The end of the source passes at once. Nothing is
  /// held. Pausing reaches both.
  @inlinable
  public func pausable<Switch: StreamProtocol>(by isRunning: Switch) -> Operation<Element, Failure>
  where Switch.Element == Bool, Switch.Failure == Never {
    Operation(unguarded: { observer in
      let state = Until(observer)
      let passes = Cell(true)
      state.trigger.connect(isRunning, next: { passes.value = $0 }, termination: { _ in })
      if state.exit.isDisposed { return state.exit }
      state.link.connect(
        self, next: { if passes.value { state.exit.next($0) } }, termination: { state.finish($0) })
      return state.exit
    })
  }

  /// Holds the stream up while the last element of `isRunning` is false, and loses nothing; until it emits, all pass.
  ///
  /// Meanwhile the source is paused, and what one that cannot wait sends is held: beyond `capacity`, at least 0, elements
  /// it says so once through `Diagnostics`, when there are twice as many. What is held is delivered first when
  /// `isRunning` says true, and completion comes after it. A failure passes at once and drops what is held. `isRunning` is
  /// observed first; that it completes means nothing.
  public func pausable<Switch: StreamProtocol>(
    by isRunning: Switch, buffering capacity: Int
  ) -> Operation<Element, Failure> where Switch.Element == Bool, Switch.Failure == Never {
    if capacity < 0 { misuse("pausable(by:buffering: \(capacity)): the size of a buffer is at least 0.") }
    return Operation(unguarded: { observer in
      let state = Pausable<Element, Failure>(observer, capacity)
      state.connectSwitch(isRunning)
      if state.exit.isDisposed { return state.exit }
      state.backlog.link.connect(self, next: { state.next($0) }, termination: { state.terminate($0) })
      return state.exit
    })
  }
}

/// A stream that is held up while a switch is off or the observer pauses.
private final class Pausable<Element, Failure: Error>: OperatorState {
  let exit: SerializedSubscription<Element, Failure>
  let backlog: Backlog
  private let trigger: Subscription
  @exclusivity(unchecked) private var waiting = Deque<Element>()
  private var hasCompleted = false
  private var isOff = false
  private var isPaused = false
  private var isEmitting = false

  init(_ observer: Observer<Element, Failure>, _ capacity: Int) {
    exit = SerializedSubscription(observer)
    trigger = Subscription(downstream: exit)
    backlog = Backlog(Subscription(downstream: exit), bound: capacity, name: "pausable(by:buffering:)")
    exit.attach(self)
  }

  var isOver: Bool { backlog.link.isOver && waiting.isEmpty && !hasCompleted }

  func connectSwitch<Switch: StreamProtocol>(_ isRunning: Switch)
  where Switch.Element == Bool, Switch.Failure == Never {
    trigger.connect(
      isRunning,
      next: { [self] in
        isOff = !$0
        update()
      }, termination: { _ in })
  }

  func next(_ element: Element) {
    if backlog.isHeld || isEmitting || !waiting.isEmpty {
      waiting.append(element)
      backlog.didGrow(to: waiting.count)
    } else {
      exit.next(element)
    }
  }

  func terminate(_ end: Termination<Failure>) {
    if case .failed = end {
      finish(end)
    } else {
      hasCompleted = true
      emit()
    }
  }

  private func update() {
    if isOff || isPaused {
      backlog.hold()
    } else if backlog.isHeld {
      backlog.release()
      emit()
    }
  }

  private func emit() {
    if isEmitting { return }
    isEmitting = true
    while !backlog.isHeld, !exit.isDisposed, let element = waiting.popFirst() {
      exit.next(element)
      backlog.didShrink(to: waiting.count)
    }
    isEmitting = false
    if hasCompleted, waiting.isEmpty { finish(.completed) }
  }

  func dispose() {
    trigger.dispose()
    backlog.link.dispose()
    Untaken.disposeAll(&waiting)
  }

  func pause() {
    isPaused = true
    trigger.pause()
    update()
  }

  func resume() {
    isPaused = false
    trigger.resume()
    update()
  }
}
