extension StreamProtocol {
  /// Starts the stream and calls back for elements and for the end.
  ///
  /// The closures run synchronously on the thread on which the producer sends. Neither closure is called after the returned
  /// subscription is disposed, and `termination` is called at most once in total. The compiler passes the observing domain as
  /// `isolation`.
  @inlinable
  public func observe(
    isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    next: @escaping (Element) -> Void, termination: @escaping (Termination<Failure>) -> Void
  ) -> Subscription {
    start(Sink(next: next, termination: termination), isolation, file, line)
  }

  @inlinable
  func start(
    _ sink: Sink<Element, Failure>, _ isolation: (any Actor)?, _ file: StaticString, _ line: UInt
  ) -> Subscription {
    #if DEBUG || Tracing
    sink.isObserved(at: file, line)
    #endif
    let observer = Observer<Element, Failure>(
      for: sink, next: { sink.next($0) }, termination: { sink.terminate($0) })
    // Subscriptions that are created here have their home in the observing domain.
    let upstream =
      if let isolation { withIsolation(isolation) { subscribe(observer) } } else { subscribe(observer) }
    sink.attach(upstream)
    return sink
  }

  /// Starts the stream and calls back with each event as a value.
  @inlinable
  public func observe(
    isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    _ observer: @escaping (Event<Element, Failure>) -> Void
  ) -> Subscription {
    observe(
      isolation: isolation, file: file, line: line, next: { observer(.next($0)) }, termination: { observer(Event($0)) })
  }

  /// Starts the stream and calls back for each element.
  ///
  /// A failure that no `doOn(failed:)` has observed is reported through `Diagnostics` with `file` and `line`, which the compiler
  /// passes. To drop failures, use `toStream(logError: false)`.
  @inlinable
  public func observeNext(
    isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    _ observer: @escaping (Element) -> Void
  ) -> Subscription {
    start(Sink(reportingAt: file, line, next: observer), isolation, file, line)
  }

  /// Starts the stream and calls back when it completes, but not when it fails or is disposed.
  ///
  /// A failure that no `doOn(failed:)` has observed is reported through `Diagnostics` with `file` and `line`.
  @inlinable
  public func observeCompleted(
    isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    _ observer: @escaping () -> Void
  ) -> Subscription {
    start(Sink(reportingAt: file, line, next: { _ in }, completed: observer), isolation, file, line)
  }

  /// Starts the stream and calls back when it fails.
  @inlinable
  public func observeFailed(
    isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    _ observer: @escaping (Failure) -> Void
  ) -> Subscription {
    observe(
      isolation: isolation, file: file, line: line, next: { _ in },
      termination: { if case .failed(let error) = $0 { observer(error) } })
  }

  /// Starts the stream and calls back for each element with `owner`, which is held weakly. After `owner` is deallocated, elements
  /// are dropped.
  ///
  /// - Complexity: One weak load for each element, about 35 ns.
  public func observeNext<Owner: AnyObject>(
    with owner: Owner, isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    _ observer: @escaping (Owner, Element) -> Void
  ) -> Subscription {
    observeNext(isolation: isolation, file: file, line: line) { [weak owner] element in
      if let owner { observer(owner, element) }
    }
  }

  /// Starts the stream and calls back for each element, isolated to the actor `owner`, which is held weakly.
  ///
  /// The closure can use the state of the actor, which a `[weak self]` closure cannot. Call this from code that is isolated to
  /// `owner`, and observe a stream of that domain: the isolation is checked once, here.
  public func observeNext<Owner: Actor>(
    with owner: isolated Owner, file: StaticString = #fileID, line: UInt = #line,
    _ observer: @escaping (isolated Owner, Element) -> Void
  ) -> Subscription {
    // An isolated parameter is passed like any other. The stream is confined to the domain that observes it, which is
    // this actor's, so each delivery happens there; debug builds check it.
    let plain = unsafeBitCast(observer, to: ((Owner, Element) -> Void).self)
    return observeNext(isolation: owner, file: file, line: line) { [weak owner] element in
      guard let owner else { return }
      #if DEBUG
      owner.assertIsolated("A stream that an actor observes has delivered outside of that actor. Use an Inlet.")
      #endif
      plain(owner, element)
    }
  }
}
