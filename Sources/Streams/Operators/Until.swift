extension StreamProtocol {
  /// Emits the elements until `trigger` sends an element or completes, then completes and disposes the source.
  ///
  /// `trigger` is observed first. If it ends immediately, the source is not observed. A failure of `trigger` fails the stream. Pausing reaches
  /// both.
  @inlinable
  public func take<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Failure>
  where Trigger.Failure == Failure {
    Operation(unguarded: { observer in
      let state = Until(observer)
      state.trigger.connect(
        trigger, next: { _ in state.finish(.completed) }, termination: { state.finish($0) })
      if state.exit.isDisposed { return state.exit }
      state.link.connect(self, next: { state.exit.next($0) }, termination: { state.finish($0) })
      return state.exit
    })
  }

  /// Drops the elements until `trigger` sends an element or completes.
  ///
  /// `trigger` is observed first, and disposed after its first element. A failure of `trigger` fails the stream. The end of the source is
  /// delivered immediately. Pausing reaches both.
  @inlinable
  public func skip<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Failure>
  where Trigger.Failure == Failure {
    Operation(unguarded: { observer in
      let state = Until(observer)
      let isOpen = Cell(false)
      state.trigger.connect(
        trigger,
        next: { _ in
          isOpen.value = true
          state.trigger.dispose()
          // The source may have vanished.
          state.trigger.didEnd()
        },
        termination: { end in
          if case .failed = end { state.finish(end) } else { isOpen.value = true }
        })
      if state.exit.isDisposed { return state.exit }
      state.link.connect(
        self, next: { if isOpen.value { state.exit.next($0) } }, termination: { state.finish($0) })
      return state.exit
    })
  }

  /// Emits the elements until `replacement` sends an event, then disposes the source and forwards the events of `replacement`.
  ///
  /// `replacement` is observed first. If it emits immediately, the source is not observed. A completion of the source is ignored, and its
  /// failure fails the stream. Pausing reaches both.
  @inlinable
  public func take<Replacement: StreamProtocol>(
    untilReplacement replacement: Replacement
  ) -> Operation<Element, Failure> where Replacement.Element == Element, Replacement.Failure == Failure {
    Operation(unguarded: { observer in
      let state = Until(observer)
      state.trigger.connect(
        replacement,
        next: {
          state.link.dispose()
          state.emitHeld($0)
        }, termination: { state.finish($0) })
      if state.link.isDisposed { return state.exit }
      state.link.connect(
        self, next: { state.exit.next($0) }, termination: { if case .failed = $0 { state.finish($0) } })
      return state.exit
    })
  }

  /// Emits the elements until `trigger`, which cannot fail, sends an element or completes, then completes.
  @inlinable @_disfavoredOverload
  public func take<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Failure>
  where Trigger.Failure == Never { take(until: trigger.setFailureType(to: Failure.self)) }

  /// Drops the elements until `trigger`, which cannot fail, sends an element or completes.
  @inlinable @_disfavoredOverload
  public func skip<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Failure>
  where Trigger.Failure == Never { skip(until: trigger.setFailureType(to: Failure.self)) }
}

extension StreamProtocol where Failure == Never {
  /// Emits the elements until `trigger`, which can fail, sends an element or completes, then completes.
  @inlinable @_disfavoredOverload
  public func take<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Trigger.Failure> {
    setFailureType(to: Trigger.Failure.self).take(until: trigger)
  }

  /// Drops the elements until `trigger`, which can fail, sends an element or completes.
  @inlinable @_disfavoredOverload
  public func skip<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Trigger.Failure> {
    setFailureType(to: Trigger.Failure.self).skip(until: trigger)
  }
}

/// A stream and the trigger that starts or ends it.
@usableFromInline
final class Until<Element, Failure: Error>: OperatorState {
  @usableFromInline let exit: SerializedSubscription<Element, Failure>
  @usableFromInline let trigger: Subscription
  @usableFromInline let link: Subscription
  @exclusivity(unchecked) @usableFromInline var isPaused = false

  @inlinable
  init(_ observer: Observer<Element, Failure>) {
    exit = SerializedSubscription(observer)
    trigger = Subscription(downstream: exit)
    link = Subscription(downstream: exit)
    exit.attach(self)
  }

  @usableFromInline
  var isOver: Bool { link.isOver && trigger.isOver }

  @inlinable
  func dispose() {
    trigger.dispose()
    link.dispose()
  }

  @inlinable
  func pause() {
    isPaused = true
    trigger.pause()
    link.pause()
  }

  @inlinable
  func resume() {
    isPaused = false
    trigger.resume()
    // A delivery can have paused again.
    if !isPaused { link.resume() }
  }
}
