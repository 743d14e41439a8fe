extension StreamProtocol {
  /// Transforms the error of a failure. Elements pass untouched and at no cost.
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
  /// The same stream as one that could fail, so that it combines with those that do. Elements pass at no cost.
  @inlinable
  public func setFailureType<NewFailure: Error>(to type: NewFailure.Type) -> Operation<Element, NewFailure> {
    Operation(unguarded: { observer in
      self.subscribe(
        Observer(for: observer.subscription, next: observer.onNext, termination: { _ in observer.completed() }))
    })
  }
}
