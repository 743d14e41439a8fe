extension StreamProtocol {
  /// Drops all elements, and emits the error of a failure as an element before it completes.
  @inlinable
  public func failures() -> Stream<Failure> {
    Operation(unguarded: { observer in
      self.subscribe(
        Observer(
          for: observer.subscription, next: { _ in },
          termination: { end in
            if case .failed(let error) = end {
              observer.onNext(error)
              if observer.subscription.isDisposed { return }
            }
            observer.completed()
          }))
    })
  }

  /// Returns a stream that sends the error of a failure to `errors`, and completes, or never ends if `completeOnError` is false. If
  /// `logError` is true, the error is also reported through `Diagnostics`.
  @inlinable
  public func toStream<Subject: SubjectProtocol>(
    feedErrorInto errors: Subject, logError: Bool = false, completeOnError: Bool = true, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Stream<Element> where Subject.Element == Failure {
    feedErrorInto(errors).toStream(logError: logError, completeOnError: completeOnError, file: file, line: line)
  }
}
