public import Streams

extension ProxySlot {
  /// Answers the method with a closure that also sends to the returned stream.
  ///
  /// `dispatch` receives the subject to send to and the arguments, and returns the result of the method.
  ///
  /// ```swift
  /// let retries = try proxy.shouldRetry.stream { push, downloader, attempt in
  ///   push.next(attempt)
  ///   return attempt < 3
  /// }
  /// ```
  ///
  /// The closure is the slot's handler while the stream is retained or has observers. Throws if the slot has a handler. The
  /// stream is hot, and completes when the proxy is deallocated.
  @inlinable
  public func stream<Element>(
    isolation: (any Actor)? = #isolation,
    _ dispatch: @escaping (PushStream<Element>, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> Stream<Element> {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceStream(isolation: isolation, dispatch)
  }

  /// Answers the method with a closure that also sends to the returned stream, and replaces an existing handler. The
  /// stream of the old handler completes.
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

/// The stream of a handler. It removes the handler when it is neither retained nor observed.
@usableFromInline
func holding<Element>(
  _ place: any Disposable, _ push: PushStream<Element>, _ isolation: (any Actor)?,
  name: StaticString? = #function
) -> Stream<Element> {
  let holder = DeinitDisposable(place, isolation: isolation)
  return Stream.unguarded(name: name) { observer in
    // The observer retains the handler, also if its subscription is not retained.
    push.subscribe(
      Observer(
        for: observer.subscription, next: { observer.next($0) },
        termination: { end in withExtendedLifetime(holder) { observer.terminate(end) } }))
  }
}
