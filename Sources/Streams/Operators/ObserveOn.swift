import DequeModule

extension StreamProtocol {
  /// Delivers elements in a later loop iteration of the same domain: a job in `context` delivers the pending elements in order.
  ///
  /// Use it with a context of the observing domain, such as `Queue.current.context`, to break a recursion, or to let a library's callback
  /// return before the delivery. `.immediate` changes nothing. Traps for a context of another domain, because a stream cannot change
  /// its home. Use `observe(on:_:)` to observe in another domain, and an `Inlet` to send from one.
  ///
  /// One job delivers all elements that were sent before it starts. A failure is delivered first and drops the pending elements. The
  /// upstream is paused at `Watermarks.standard` pending elements. Nothing is delivered after disposal.
  public func observe(on context: ExecutionContext) -> Operation<Element, Failure> {
    if context.isImmediate { return toOperation() }
    return Operation(unguarded: { observer in
      let state = Turn(observer, context, "observe(on:)")
      state.backlog.link.connect(self, next: { state.next($0) }, termination: { state.terminate($0) })
      return state.exit
    })
  }

  /// Observes the source in a later loop iteration of the same domain, in a job in `context`. Traps for a context of another domain.
  ///
  /// If the subscription is disposed before the job, the source is not observed. Use `Operation.execute(on:_:)` to run work on another queue
  /// or on the thread pool.
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

/// The pending elements of `observe(on:)`.
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
    backlog = Backlog(Subscription(downstream: exit), .standard, name: name)
    self.context = context
    self.name = name
    exit.attach(self)
  }

  var isOver: Bool { backlog.link.isOver && waiting.isEmpty && end == nil }

  /// Returns the job that runs in `context`. The job traps in a domain other than the caller's.
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
    // A failure is delivered even if the observer is paused.
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
  \(name) was given a context of another domain. To consume elements on a queue, use observe(on: queue) { stream, bag in … }. To \
  run work elsewhere, use Operation.execute(on:). To send from elsewhere, use an Inlet.
  """
}
