extension StreamProtocol {
  /// Transforms the error of a failure. Takes no time for elements.
  @inlinable
  public func mapError<NewFailure: Error>(
    _ transform: @escaping (Failure) -> NewFailure
  ) -> Operation<Element, NewFailure> {
    Operation(unguarded: { observer in
      self.subscribe(
        Observer(
          for: observer.subscription, next: observer.onNext,
          termination: { end in
            switch end {
            case .completed: observer.completed()
            case .failed(let error): observer.failed(transform(error))
            }
          }))
    })
  }
}

extension StreamProtocol where Failure == Never {
  /// Changes the type of the failure, so that the stream combines with streams that can fail. Takes no time for elements.
  @inlinable
  public func setFailureType<NewFailure: Error>(to type: NewFailure.Type) -> Operation<Element, NewFailure> {
    Operation(unguarded: { observer in
      self.subscribe(
        Observer(for: observer.subscription, next: observer.onNext, termination: { _ in observer.completed() }))
    })
  }
}
