extension StreamProtocol {
  /// Transforms each element with a closure that may throw the stream's own kind of error. The first error thrown fails
  /// the stream and disposes of the source.
  @inlinable
  public func tryMap<NewElement>(
    _ transform: @escaping (Element) throws(Failure) -> NewElement
  ) -> Operation<NewElement, Failure> {
    Operation(unguarded: { observer in
      let link = Subscription(downstream: observer.subscription)
      link.connect(
        self,
        next: { element in
          let result: NewElement
          do throws(Failure) {
            result = try transform(element)
          } catch {
            link.dispose()
            observer.failed(error)
            return
          }
          observer.onNext(result)
        }, termination: observer.onTermination)
      return link
    })
  }
}

extension StreamProtocol where Failure == Never {
  /// Transforms each element with a closure that may throw. The first error thrown fails the resulting operation and
  /// disposes of the source.
  ///
  /// A closure of more than one statement says what it throws: `{ x throws(ParseError) in … }`; otherwise the failure is
  /// `any Error`.
  @inlinable
  public func tryMap<NewElement, NewFailure: Error>(
    _ transform: @escaping (Element) throws(NewFailure) -> NewElement
  ) -> Operation<NewElement, NewFailure> {
    setFailureType(to: NewFailure.self).tryMap(transform)
  }
}
