extension StreamProtocol {
  /// The elements until `trigger` sends an element or completes, then completed; the source is disposed.
  ///
  /// `trigger` is observed first: where it ends at once, the source is not observed. That it fails fails the stream.
  /// Pausing reaches both.
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

  /// Leaves out the elements until `trigger` sends an element or completes.
  ///
  /// `trigger` is observed first, and disposed after its first element. That it fails fails the stream. The end of the
  /// source passes at once. Pausing reaches both.
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

  /// The elements until `replacement` sends anything, an element or its end; from then on what `replacement` sends. The
  /// source is disposed of at that moment.
  ///
  /// `replacement` is observed first: where it emits at once, the source is not observed. That the source completes means
  /// nothing, `replacement` follows; that it fails fails the stream. Pausing reaches both.
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
          state.exit.next($0)
        }, termination: { state.finish($0) })
      if state.link.isDisposed { return state.exit }
      state.link.connect(
        self, next: { state.exit.next($0) }, termination: { if case .failed = $0 { state.finish($0) } })
      return state.exit
    })
  }

  /// The elements until `trigger`, which cannot fail, sends an element or completes; then completed.
  @inlinable @_disfavoredOverload
  public func take<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Failure>
  where Trigger.Failure == Never { take(until: trigger.setFailureType(to: Failure.self)) }

  /// Leaves out the elements until `trigger`, which cannot fail, sends an element or completes.
  @inlinable @_disfavoredOverload
  public func skip<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Failure>
  where Trigger.Failure == Never { skip(until: trigger.setFailureType(to: Failure.self)) }
}

extension StreamProtocol where Failure == Never {
  /// The elements until `trigger`, which may fail, sends an element or completes; then completed.
  @inlinable @_disfavoredOverload
  public func take<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Trigger.Failure> {
    setFailureType(to: Trigger.Failure.self).take(until: trigger)
  }

  /// Leaves out the elements until `trigger`, which may fail, sends an element or completes.
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
    // A delivery may have paused again.
    if !isPaused { link.resume() }
  }
}
