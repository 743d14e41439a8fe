extension StreamProtocol {
  /// Runs side effects for events, and forwards the events unchanged.
  ///
  /// `start` runs before the source is observed. `next`, `completed`, and `failed` run before the event is forwarded. `disposed` runs
  /// once: after the end was forwarded, on disposal, or when the source is deallocated without an end.
  @inlinable
  public func doOn(
    next: ((Element) -> Void)? = nil, start: (() -> Void)? = nil, completed: (() -> Void)? = nil,
    failed: ((Failure) -> Void)? = nil, disposed: (() -> Void)? = nil
  ) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      start?()
      if observer.subscription.isDisposed {
        disposed?()
        return .none
      }
      let subscription = DoOnSubscription(downstream: observer.subscription, disposed)
      subscription.attach(
        self.subscribe(
          Observer(
            for: subscription,
            next: { element in
              if let next {
                next(element)
                if subscription.isDisposed { return }
              }
              observer.onNext(element)
            },
            termination: { end in
              subscription.disposeUpstream()
              defer {
                subscription.dispose()
                subscription.didEnd()
              }
              if observer.subscription.isDisposed { return }
              switch end {
              case .completed: completed?()
              case .failed(let error): failed?(error)
              }
              if observer.subscription.isDisposed { return }
              if failed != nil, case .failed = end {
                observer.subscription.withFailureObserved { observer.onTermination(end) }
              } else {
                observer.onTermination(end)
              }
            })))
      return subscription
    })
  }
}

extension StreamProtocol {
  /// Reports the start, each event, and the disposal through `Diagnostics`, with a label.
  public func debug(_ label: String) -> Operation<Element, Failure> {
    doOn(
      next: { element in Diagnostics.report("\(label): next(\(element))") },
      start: { Diagnostics.report("\(label): start") },
      completed: { Diagnostics.report("\(label): completed") },
      failed: { error in Diagnostics.report("\(label): failed(\(error))") },
      disposed: { Diagnostics.report("\(label): disposed") })
  }
}

extension StreamProtocol {
  /// Marks a point of the chain, whose elements and end a recording shows as the lane `name`. Everything passes unchanged.
  ///
  /// ```swift
  /// let readings = Stream.sequence([90, 120])
  /// readings.lane("all").filter { $0 > 100 }.lane("alarms").observeNext { print($0) }.dispose(in: bag)
  /// ```
  ///
  /// - Complexity: Nothing for an element in a program without the trait `Tracing`.
  @inlinable
  public func lane(_ name: String) -> Operation<Element, Failure> {
    #if Tracing
    Operation(unguarded: { observer in
      let (next, termination, subscription) = (observer.onNext, observer.onTermination, observer.subscription)
      // Shows the lane, also if nothing passes it.
      if Trace.isOn { Trace.instant("lanes", "lane", ["name": .text(name)]) }
      return self.subscribe(
        Observer(
          for: subscription,
          next: { element in
            if Trace.isOn { Trace.passed(Event<Element, Failure>.next(element), lane: name, subscription) }
            next(element)
          },
          termination: { end in
            if Trace.isOn { Trace.passed(Event<Element, Failure>(end), lane: name, subscription) }
            termination(end)
          }))
    })
    #else
    toOperation()
    #endif
  }
}

/// The subscription of a `doOn` to its source, with the closure to run at its end.
@usableFromInline
final class DoOnSubscription: Subscription {
  private var disposed: (() -> Void)?

  @usableFromInline
  init(downstream: Subscription, _ disposed: (() -> Void)?) {
    self.disposed = disposed
    super.init(downstream: downstream)
  }

  @usableFromInline
  override func release() { disposed.take()?() }

  /// Runs the closure after the downstream has been notified, because the closure can observe a shared run that is below.
  @usableFromInline
  override func sourceDidVanish() {
    let disposed = isOver ? nil : disposed.take()
    super.sourceDidVanish()
    disposed?()
  }
}
