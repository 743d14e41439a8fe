import DequeModule

extension StreamProtocol {
  /// Delivers on a later turn of the same domain: what arrives is queued, and delivered by a job in `context`, in order.
  ///
  /// For contexts of the domain that observes, such as `Queue.current.context`: it breaks recursion and lets a library's
  /// callback return before anybody hears of it. With `.immediate` nothing changes. A context of another domain traps: a
  /// stream does not change its home. To have the consuming side elsewhere use `observe(on:_:)` of a queue, to send from
  /// elsewhere an `Inlet`.
  ///
  /// One job delivers what has come until it starts. A failure overtakes the elements that wait, which are dropped. Holds
  /// what waits, pausing the upstream at `BacklogBound.turn`. Nothing is delivered after disposal.
  public func observe(on context: ExecutionContext) -> Operation<Element, Failure> {
    if context.isImmediate { return toOperation() }
    return Operation(unguarded: { observer in
      let state = Turn(observer, context, "observe(on:)")
      state.backlog.link.connect(self, next: { state.next($0) }, termination: { state.terminate($0) })
      return state.exit
    })
  }

  /// Observes the source on a later turn of the same domain: in `context`, whose rules are those of `observe(on:)`.
  ///
  /// What is disposed of before its turn never starts. To run work on another queue or on the thread pool use
  /// `Operation.execute(on:_:)`.
  public func execute(on context: ExecutionContext) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let link = Subscription(downstream: observer.subscription)
      let job = Turn<Element, Failure>.job(in: context, "execute(on:)") {
        if link.isDisposed { return }
        link.connect(self, next: observer.onNext, termination: observer.onTermination)
      }
      context.execute { job.value() }
      return link
    })
  }
}

/// Elements that wait for the next turn of their domain.
private final class Turn<Element, Failure: Error>: OperatorState {
  let exit: SerializedSubscription<Element, Failure>
  let backlog: Backlog
  private let context: ExecutionContext
  private let name: StaticString
  @exclusivity(unchecked) private var waiting = Deque<Element>()
  private var end: Termination<Failure>?
  private var isScheduled = false

  init(_ observer: Observer<Element, Failure>, _ context: ExecutionContext, _ name: StaticString) {
    exit = SerializedSubscription(observer)
    backlog = Backlog(Subscription(downstream: exit), bound: BacklogBound.turn, name: name)
    self.context = context
    self.name = name
    exit.attach(self)
  }

  var isOver: Bool { backlog.link.isOver && waiting.isEmpty && end == nil }

  /// What runs in `context`; it traps where that is another domain than the caller's.
  static func job(
    in context: ExecutionContext, _ name: StaticString, _ body: @escaping () -> Void
  ) -> Transfer<() -> Void> {
    var home = Home.unset
    home.settle(for: name)
    if context.mailbox?.isCurrent == false { misuse(foreign(name)) }
    return Transfer { [home] in
      if !home.isHere { misuse(foreign(name)) }
      body()
    }
  }

  func next(_ element: Element) {
    waiting.append(element)
    backlog.didGrow(to: waiting.count)
    schedule()
  }

  func terminate(_ termination: Termination<Failure>) {
    end = termination
    if case .failed = termination { Untaken.disposeAll(&waiting) }
    schedule()
  }

  private func schedule() {
    if isScheduled { return }
    // A failure does not wait for the observer.
    if backlog.isHeld, end?.failure == nil { return }
    isScheduled = true
    let job = Self.job(in: context, name) { [self] in deliver() }
    context.execute { job.value() }
  }

  private func deliver() {
    isScheduled = false
    var count = waiting.count
    while count > 0, !backlog.isHeld, !exit.isDisposed, let element = waiting.popFirst() {
      count -= 1
      exit.next(element)
      backlog.didShrink(to: waiting.count)
    }
    if exit.isDisposed { return }
    if !waiting.isEmpty {
      schedule()
    } else if let end, !backlog.isHeld || end.failure != nil {
      finish(end)
    }
  }

  func dispose() {
    backlog.link.dispose()
    Untaken.disposeAll(&waiting)
    end = nil
  }

  func pause() { backlog.hold() }

  func resume() {
    backlog.release()
    if !waiting.isEmpty || end != nil { schedule() }
  }
}

private func foreign(_ name: StaticString) -> String {
  """
  \(name) is given a context of another domain than the one that observes: a stream does not change its home. To have the \
  consuming side on a queue use observe(on: queue) { stream, bag in … }, to run work elsewhere Operation.execute(on:), to \
  send from elsewhere an Inlet.
  """
}
