extension StreamProtocol {
  /// The elements until `trigger` emits its first, then completed; the source is disposed.
  ///
  /// `trigger` is observed first: where it emits at once, the source is not observed. That it completes means nothing;
  /// that it fails fails the stream. Pausing reaches both.
  @inlinable
  public func take<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Failure>
  where Trigger.Failure == Failure {
    Operation(unguarded: { observer in
      let state = Until(observer)
      state.trigger.connect(
        trigger, next: { _ in state.finish(.completed) },
        termination: { if case .failed = $0 { state.finish($0) } })
      if state.exit.isClosed { return state }
      state.link.connect(self, next: { state.exit.next($0) }, termination: { state.finish($0) })
      return state
    })
  }

  /// Leaves out the elements until `trigger` emits its first.
  ///
  /// `trigger` is observed first, and disposed after its first element. Where it completes without one, no element passes;
  /// that it fails fails the stream. The end of the source passes at once. Pausing reaches both.
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
        termination: { if case .failed = $0 { state.finish($0) } })
      if state.exit.isClosed { return state }
      state.link.connect(
        self, next: { if isOpen.value { state.exit.next($0) } }, termination: { state.finish($0) })
      return state
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
      if state.link.isClosed { return state }
      state.link.connect(
        self, next: { state.exit.next($0) }, termination: { if case .failed = $0 { state.finish($0) } })
      return state
    })
  }

  /// Drops the elements that come while the last element of `isRunning` is false; until it emits, all pass.
  ///
  /// `isRunning` is observed first; that it completes means nothing. The end of the source passes at once. Nothing is
  /// held. Pausing reaches both. A source that can wait is better paused by `Subscription.pause()`, which loses nothing.
  @inlinable
  public func pausable<Switch: StreamProtocol>(by isRunning: Switch) -> Operation<Element, Failure>
  where Switch.Element == Bool, Switch.Failure == Never {
    Operation(unguarded: { observer in
      let state = Until(observer)
      let passes = Cell(true)
      state.trigger.connect(isRunning, next: { passes.value = $0 }, termination: { _ in })
      if state.exit.isClosed { return state }
      state.link.connect(
        self, next: { if passes.value { state.exit.next($0) } }, termination: { state.finish($0) })
      return state
    })
  }

  /// The elements until `trigger`, which cannot fail, emits its first, then completed; the source is disposed.
  @inlinable @_disfavoredOverload
  public func take<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Failure>
  where Trigger.Failure == Never { take(until: trigger.setFailureType(to: Failure.self)) }

  /// Leaves out the elements until `trigger`, which cannot fail, emits its first.
  @inlinable @_disfavoredOverload
  public func skip<Trigger: StreamProtocol>(until trigger: Trigger) -> Operation<Element, Failure>
  where Trigger.Failure == Never { skip(until: trigger.setFailureType(to: Failure.self)) }
}

/// A stream and the trigger that starts or ends it.
@usableFromInline
final class Until<Element, Failure: Error>: Exiting {
  @usableFromInline let exit: SourceGate<Element, Failure>
  @usableFromInline let trigger: Link
  @usableFromInline let link: Link

  @inlinable
  init(_ observer: Observer<Element, Failure>) {
    exit = SourceGate(observer)
    trigger = Link(downstream: exit)
    link = Link(downstream: exit)
  }

  @inlinable
  func stop() {
    trigger.dispose()
    link.dispose()
  }

  @inlinable
  func pause() {
    trigger.pause()
    link.pause()
  }

  @inlinable
  func resume() {
    trigger.resume()
    link.resume()
  }
}
