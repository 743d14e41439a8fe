extension StreamProtocol {
  /// The error as an element, then completed: what comes of the stream if one leaves out its elements. Completes when the
  /// stream completes.
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

  /// A stream that on failure sends the error to `errors` and completes, or goes on without an end where
  /// `completeOnError` is false. With `logError` the error is reported through `Diagnostics` too.
  @inlinable
  public func toStream<Subject: SubjectProtocol>(
    feedErrorInto errors: Subject, logError: Bool = false, completeOnError: Bool = true, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Stream<Element> where Subject.Element == Failure {
    feedErrorInto(errors).toStream(logError: logError, completeOnError: completeOnError, file: file, line: line)
  }
}
