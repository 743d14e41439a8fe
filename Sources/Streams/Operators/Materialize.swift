extension StreamProtocol {
  /// Each event as an element, the end included; then completed. The result cannot fail.
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
  /// The inverse of `materialize()`: elements that are events become events. The first end among them ends the stream, and
  /// the source is disposed of.
  @inlinable
  public func dematerialize<Value, NewFailure: Error>() -> Operation<Value, NewFailure>
  where Element == Event<Value, NewFailure> {
    setFailureType(to: NewFailure.self).dematerialize { $0 }
  }

  /// Results become elements; the first that is a failure fails the stream, and the source is disposed of.
  @inlinable
  public func dematerialize<Value, NewFailure: Error>() -> Operation<Value, NewFailure>
  where Element == Result<Value, NewFailure> {
    tryMap { result throws(NewFailure) in try result.get() }
  }
}

extension StreamProtocol {
  /// The inverse of `materialize()` for a stream that may fail by itself: `mapOuterError` makes its error one of those
  /// that the events carry.
  @inlinable
  public func dematerialize<Value, NewFailure: Error>(
    mapOuterError: @escaping (Failure) -> NewFailure
  ) -> Operation<Value, NewFailure> where Element == Event<Value, NewFailure> {
    Operation(unguarded: { observer in
      let link = Subscription(downstream: observer.subscription)
      link.connect(
        self,
        next: { event in
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

  /// Results become elements, the first failure fails the stream; `mapOuterError` makes an error of the stream itself one
  /// of those that the results carry.
  @inlinable
  public func dematerialize<Value, NewFailure: Error>(
    mapOuterError: @escaping (Failure) -> NewFailure
  ) -> Operation<Value, NewFailure> where Element == Result<Value, NewFailure> {
    mapError(mapOuterError).tryMap { result throws(NewFailure) in try result.get() }
  }

  /// Passes each element for which `action` returns; the first error that it throws fails the stream, and the source is
  /// disposed of.
  @inlinable
  public func attempt(_ action: @escaping (Element) throws(Failure) -> Void) -> Operation<Element, Failure> {
    tryMap { element throws(Failure) in
      try action(element)
      return element
    }
  }
}

extension StreamProtocol where Failure == Never {
  /// Passes each element for which `action` returns; the first error that it throws fails the resulting operation, and
  /// the source is disposed of.
  @inlinable
  public func attempt<NewFailure: Error>(
    _ action: @escaping (Element) throws(NewFailure) -> Void
  ) -> Operation<Element, NewFailure> {
    setFailureType(to: NewFailure.self).attempt(action)
  }
}
