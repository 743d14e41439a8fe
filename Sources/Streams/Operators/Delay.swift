public import DequeModule

extension StreamProtocol {
  /// Delays each element and the completion by `interval`. A failure is delivered immediately and drops the pending elements.
  ///
  /// Pauses the upstream at `Watermarks.delay` pending elements. An upstream that cannot pause can exceed that. While the observer is
  /// paused, due elements are held until it resumes.
  ///
  /// - Complexity: One timer for each subscription. Holds the elements of one interval.
  /// - Parameters:
  ///   - interval: The length of the delay.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  @inlinable
  public func delay(for interval: Duration, on scheduler: (any Scheduler)? = nil) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let state = Delay(
        observer, interval, resolve(scheduler, for: "delay(for:on:)", downstream: observer.subscription))
      state.link.connect(self, next: { state.next($0) }, termination: { state.terminate($0) })
      return state.exit
    })
  }
}

@usableFromInline
final class Delay<Element, Failure: Error>: OperatorState {
  @usableFromInline let exit: SerializedSubscription<Element, Failure>
  @usableFromInline let backlog: Backlog
  @usableFromInline let scheduler: any Scheduler
  @usableFromInline let interval: Duration
  @exclusivity(unchecked) @usableFromInline var waiting = Deque<(due: Duration, element: Element)>()
  @exclusivity(unchecked) @usableFromInline var completionDue: Duration?
  @exclusivity(unchecked) @usableFromInline var timer: (any Disposable)?
  @usableFromInline var isEmitting = false

  @inlinable
  init(_ observer: Observer<Element, Failure>, _ interval: Duration, _ scheduler: any Scheduler) {
    exit = SerializedSubscription(observer)
    backlog = Backlog(Subscription(downstream: exit), .delay, name: "delay(for:on:)")
    self.interval = interval
    self.scheduler = scheduler
    exit.attach(self)
  }

  @usableFromInline
  var isOver: Bool { link.isOver && waiting.isEmpty && completionDue == nil }

  @usableFromInline var link: Subscription { backlog.link }

  @inlinable
  func next(_ element: Element) {
    waiting.append((scheduler.time(after: interval), element))
    arm()
    backlog.didGrow(to: waiting.count)
  }

  @inlinable
  func terminate(_ end: Termination<Failure>) {
    if case .failed = end {
      finish(end)
    } else {
      completionDue = scheduler.time(after: interval)
      arm()
    }
  }

  @inlinable
  func arm() {
    guard timer == nil, !isEmitting, !backlog.isHeld, let due = waiting.first?.due ?? completionDue else { return }
    timer = scheduler.schedule(at: due) { [self] in
      timer = nil
      emitDue()
    }
  }

  @inlinable
  func emitDue() {
    if isEmitting { return }
    isEmitting = true
    let now = scheduler.now
    while !backlog.isHeld, !exit.isDisposed, let first = waiting.first, first.due <= now {
      waiting.removeFirst()
      exit.next(first.element)
      backlog.didShrink(to: waiting.count)
    }
    isEmitting = false
    if exit.isDisposed { return }
    if waiting.isEmpty, !backlog.isHeld, let completionDue, completionDue <= now {
      finish(.completed)
    } else {
      arm()
    }
  }

  @inlinable
  func dispose() {
    link.dispose()
    timer.take()?.dispose()
    while !waiting.isEmpty {
      var element: Element? = waiting.removeFirst().element
      Untaken.dispose(&element)
    }
    completionDue = nil
  }

  @inlinable
  func pause() {
    backlog.hold()
    timer.take()?.dispose()
  }

  @inlinable
  func resume() {
    backlog.release()
    emitDue()
  }
}
