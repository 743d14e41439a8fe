public import Streams

extension ProxySlot {
  /// A stream made of the calls: `dispatch` gets the sending end and the arguments, pushes what it likes, and returns what
  /// the method returns.
  ///
  /// ```swift
  /// let retries = try proxy.shouldRetry.stream { push, downloader, attempt in
  ///   push.next(attempt)
  ///   return attempt < 3
  /// }
  /// ```
  ///
  /// The closure is the slot's handler as long as somebody holds the stream or observes it; then the slot is free again.
  /// Throws where the slot has a handler. The stream is hot, and completes when the proxy goes.
  @inlinable
  public func stream<Element>(
    isolation: (any Actor)? = #isolation,
    _ dispatch: @escaping (PushStream<Element>, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> Stream<Element> {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceStream(isolation: isolation, dispatch)
  }

  /// The same, instead of the handler that may be there. The stream of a handler that is replaced completes.
  @inlinable
  public func replaceStream<Element>(
    isolation: (any Actor)? = #isolation,
    _ dispatch: @escaping (PushStream<Element>, repeat each Argument) throws(Failure) -> Output
  ) -> Stream<Element> {
    let push = PushStream<Element>()
    let place = install(PrefixedHandler({ push }, dispatch), isolation, onEnd: { push.completed() })
    return holding(place, push, isolation)
  }
}

/// The stream of a push stream whose handler is taken away when nobody holds or observes it any more.
@usableFromInline
func holding<Element>(
  _ place: any Disposable, _ push: PushStream<Element>, _ isolation: (any Actor)?
) -> Stream<Element> {
  let holder = DeinitDisposable(place, isolation: isolation)
  return Stream.unguarded { observer in
    // Observing holds the handler, whether or not the subscription is kept.
    push.subscribe(
      Observer(
        for: observer.subscription, next: { observer.next($0) },
        termination: { end in withExtendedLifetime(holder) { observer.terminate(end) } }))
  }
}
