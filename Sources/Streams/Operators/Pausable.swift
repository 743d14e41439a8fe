import DequeModule

extension StreamProtocol {
  /// Drops elements while the latest element of `isRunning` is false. Before the first element of `isRunning`, all
  /// elements are emitted.
  ///
  /// `isRunning` is observed first, and its completion is ignored. The end of the source is delivered immediately. Holds nothing. Pausing
  /// reaches both.
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

  /// Pauses the stream while the latest element of `isRunning` is false, and loses no element. Before the first element of `isRunning`,
  /// all elements are emitted.
  ///
  /// While the latest element of `isRunning` is false, the source is paused, and the elements of a source that cannot pause are held. More
  /// than twice `capacity` elements, which is at least 1, are reported once through `Diagnostics`. When `isRunning` emits true, ends, or is
  /// deallocated, the pending elements are delivered first, and a completion after them. A failure is delivered immediately and drops them.
  /// `isRunning` is observed first.
  public func pausable<Switch: StreamProtocol>(
    by isRunning: Switch, buffering capacity: Int
  ) -> Operation<Element, Failure> where Switch.Element == Bool, Switch.Failure == Never {
    if capacity < 1 { misuse("pausable(by:buffering: \(capacity)): the size of a buffer is at least 1.") }
    return Operation(unguarded: { observer in
      let state = Pausable<Element, Failure>(observer, capacity)
      state.connectSwitch(isRunning)
      if state.exit.isDisposed { return state.exit }
      state.backlog.link.connect(self, next: { state.next($0) }, termination: { state.terminate($0) })
      return state.exit
    })
  }
}

/// The state of `pausable(by:buffering:)`.
private final class Pausable<Element, Failure: Error>: OperatorState {
  let exit: SerializedSubscription<Element, Failure>
  let backlog: Backlog
  private let trigger: NotifyingSubscription
  @exclusivity(unchecked) private var waiting = Deque<Element>()
  private var hasCompleted = false
  private var isOff = false
  private var isPaused = false
  private var isEmitting = false

  init(_ observer: Observer<Element, Failure>, _ capacity: Int) {
    exit = SerializedSubscription(observer)
    trigger = NotifyingSubscription(downstream: exit)
    backlog = Backlog(Subscription(downstream: exit), Watermarks(high: capacity), name: "pausable(by:buffering:)")
    exit.attach(self)
    trigger.onVanish = { [self] in open() }
  }

  var isOver: Bool { backlog.link.isOver && waiting.isEmpty && !hasCompleted }

  func connectSwitch<Switch: StreamProtocol>(_ isRunning: Switch)
  where Switch.Element == Bool, Switch.Failure == Never {
    trigger.connect(
      isRunning,
      next: { [self] in
        isOff = !$0
        update()
      }, termination: { [self] _ in open() })
  }

  /// Delivers everything, because no element of the switch will do it.
  private func open() {
    isOff = false
    update()
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
