extension StreamProtocol {
  /// Emits each event as an element, including the end, and completes. The result cannot fail.
  @inlinable
  public func materialize() -> Stream<Event<Element, Failure>> {
    Operation(unguarded: { observer in
      self.subscribe(
        Observer(
          for: observer.subscription, next: { observer.onNext(.next($0)) },
          termination: { end in
            observer.onNext(Event(end))
            if !observer.subscription.isDisposed { observer.completed() }
          }))
    })
  }
}

extension StreamProtocol where Failure == Never {
  /// Sends the events that are the elements of this stream, the inverse of `materialize()`. The first terminal event ends the stream and
  /// disposes the source.
  @inlinable
  public func dematerialize<Value, NewFailure: Error>() -> Operation<Value, NewFailure>
  where Element == Event<Value, NewFailure> {
    setFailureType(to: NewFailure.self).dematerialize { $0 }
  }

  /// Emits the values of results. The first failure among them fails the stream and disposes the source.
  @inlinable
  public func dematerialize<Value, NewFailure: Error>() -> Operation<Value, NewFailure>
  where Element == Result<Value, NewFailure> {
    tryMap { result throws(NewFailure) in try result.get() }
  }
}

extension StreamProtocol {
  /// Sends the events that are the elements of this stream, which can itself fail. `mapOuterError` converts its error to the error type
  /// of the events.
  @inlinable
  public func dematerialize<Value, NewFailure: Error>(
    mapOuterError: @escaping (Failure) -> NewFailure
  ) -> Operation<Value, NewFailure> where Element == Event<Value, NewFailure> {
    Operation(unguarded: { observer in
      let link = Subscription(downstream: observer.subscription)
      link.connect(
        self,
        next: { event in
          if link.isOver { return }
          switch event {
          case .next(let element): observer.onNext(element)
          case .completed:
            link.dispose()
            observer.completed()
          case .failed(let error):
            link.dispose()
            observer.failed(error)
          }
        },
        termination: { end in
          switch end {
          case .completed: observer.completed()
          case .failed(let error): observer.failed(mapOuterError(error))
          }
        })
      return link
    })
  }

  /// Emits the values of results. The first failure among them fails the stream. `mapOuterError` converts an error of the stream itself to
  /// the error type of the results.
  @inlinable
  public func dematerialize<Value, NewFailure: Error>(
    mapOuterError: @escaping (Failure) -> NewFailure
  ) -> Operation<Value, NewFailure> where Element == Result<Value, NewFailure> {
    mapError(mapOuterError).tryMap { result throws(NewFailure) in try result.get() }
  }

  /// Emits each element for which `action` returns. The first error that it throws fails the stream and disposes the source.
  @inlinable
  public func attempt(_ action: @escaping (Element) throws(Failure) -> Void) -> Operation<Element, Failure> {
    tryMap { element throws(Failure) in
      try action(element)
      return element
    }
  }
}

extension StreamProtocol where Failure == Never {
  /// Emits each element for which `action` returns. The first error that it throws fails the resulting operation and disposes the source.
  @inlinable
  public func attempt<NewFailure: Error>(
    _ action: @escaping (Element) throws(NewFailure) -> Void
  ) -> Operation<Element, NewFailure> {
    setFailureType(to: NewFailure.self).attempt(action)
  }
}
