extension StreamProtocol {
  /// Replaces the stream after a failure with the stream that `recover` returns for the error. A failure of the replacement is
  /// forwarded.
  ///
  /// Pausing reaches the stream that runs.
  public func flatMapError<Replacement: StreamProtocol>(
    _ recover: @escaping (Failure) -> Replacement
  ) -> Operation<Element, Replacement.Failure> where Replacement.Element == Element { recovered(recover) }

  /// Replaces the stream after a failure with the stream that `recover` returns for the error, which cannot fail.
  ///
  /// The closure can use a leading dot: `flatMapError { _ in .just(0) }`. Pausing reaches the stream that runs.
  public func flatMapError(_ recover: @escaping (Failure) -> Stream<Element>) -> Stream<Element> { recovered(recover) }

  /// Replaces the stream after a failure with the operation that `recover` returns for the error, with the same type of
  /// failure.
  ///
  /// The closure can use a leading dot: `flatMapError { $0.isFatal ? .failed($0) : .completed() }`. Pausing reaches the stream that
  /// runs.
  @_disfavoredOverload
  public func flatMapError(
    _ recover: @escaping (Failure) -> Operation<Element, Failure>
  ) -> Operation<Element, Failure> { recovered(recover) }

  /// Replaces the stream after a failure with the operation that `recover` returns for the error, with another type of
  /// failure.
  ///
  /// The closure can use a leading dot: `flatMapError { .failed(LoadError($0)) }`. Pausing reaches the stream that
  /// runs.
  @_disfavoredOverload
  public func flatMapError<NewFailure: Error>(
    _ recover: @escaping (Failure) -> Operation<Element, NewFailure>
  ) -> Operation<Element, NewFailure> { recovered(recover) }

  private func recovered<Replacement: StreamProtocol>(
    _ recover: @escaping (Failure) -> Replacement
  ) -> Operation<Element, Replacement.Failure> where Replacement.Element == Element {
    .unguarded(name: "flatMapError(_:)") { observer in
      let current = SerialDisposable()
      let link = Subscription(downstream: observer.subscription)
      current.inner = link
      link.connect(self, next: observer.onNext) { end in
        guard case .failed(let error) = end else {
          current.dispose()
          observer.completed()
          return
        }
        let replacement = recover(error)
        if observer.subscription.isDisposed || current.isDisposed { return }
        let link = Subscription(downstream: observer.subscription)
        current.inner = link
        link.connect(replacement, next: observer.onNext) { end in
          current.dispose()
          observer.onTermination(end)
        }
      }
      return current
    }
  }
}
