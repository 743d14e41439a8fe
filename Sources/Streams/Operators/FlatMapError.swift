extension StreamProtocol {
  /// On failure goes on with the stream that `recover` gives for the error. What that one does, failing included, is final.
  ///
  /// Pausing reaches whichever of the two runs.
  public func flatMapError<Replacement: StreamProtocol>(
    _ recover: @escaping (Failure) -> Replacement
  ) -> Operation<Element, Replacement.Failure> where Replacement.Element == Element { recovered(recover) }

  /// On failure goes on with the stream that `recover` gives for the error, which cannot fail.
  ///
  /// The closure may use a leading dot: `flatMapError { _ in .just(0) }`. Pausing reaches whichever of the two runs.
  public func flatMapError(_ recover: @escaping (Failure) -> Stream<Element>) -> Stream<Element> { recovered(recover) }

  /// On failure goes on with the operation that `recover` gives for the error, which may fail in the same way.
  ///
  /// The closure may use a leading dot: `flatMapError { $0.isFatal ? .failed($0) : .completed() }`. Pausing reaches whichever
  /// of the two runs.
  @_disfavoredOverload
  public func flatMapError(
    _ recover: @escaping (Failure) -> Operation<Element, Failure>
  ) -> Operation<Element, Failure> { recovered(recover) }

  /// On failure goes on with the operation that `recover` gives for the error, which may fail in another way.
  ///
  /// The closure may use a leading dot: `flatMapError { .failed(LoadError($0)) }`. Pausing reaches whichever of the two runs.
  @_disfavoredOverload
  public func flatMapError<NewFailure: Error>(
    _ recover: @escaping (Failure) -> Operation<Element, NewFailure>
  ) -> Operation<Element, NewFailure> { recovered(recover) }

  private func recovered<Replacement: StreamProtocol>(
    _ recover: @escaping (Failure) -> Replacement
  ) -> Operation<Element, Replacement.Failure> where Replacement.Element == Element {
    Operation(unguarded: { observer in
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
    })
  }
}
