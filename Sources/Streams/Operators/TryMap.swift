extension StreamProtocol {
  /// Transforms each element with a closure that can throw the stream's type of error. The first error fails the stream and disposes the
  /// source.
  @inlinable
  public func tryMap<NewElement>(
    _ transform: @escaping (Element) throws(Failure) -> NewElement
  ) -> Operation<NewElement, Failure> {
    Operation(unguarded: { observer in
      let link = Subscription(downstream: observer.subscription)
      link.connect(
        self,
        next: { element in
          if link.isOver { return }
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
  /// Transforms each element with a closure that can throw. The first error fails the resulting operation and disposes the source.
  ///
  /// In a closure with several statements, name the type of the error: `{ x throws(ParseError) in … }`. Otherwise it is `any Error`.
  @inlinable
  public func tryMap<NewElement, NewFailure: Error>(
    _ transform: @escaping (Element) throws(NewFailure) -> NewElement
  ) -> Operation<NewElement, NewFailure> {
    setFailureType(to: NewFailure.self).tryMap(transform)
  }
}
