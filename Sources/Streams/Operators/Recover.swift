extension StreamProtocol {
  /// On failure emits `element` and completes.
  @inlinable
  public func recover(with element: Element) -> Stream<Element> {
    Operation(unguarded: { observer in
      self.subscribe(
        Observer(
          for: observer.subscription, next: observer.onNext,
          termination: { end in
            if case .failed = end {
              observer.onNext(element)
              if observer.subscription.isDisposed { return }
            }
            observer.completed()
          }))
    })
  }

  /// A stream that on failure emits `element` and completes. The same as `recover(with:)`.
  @inlinable
  public func toStream(recoverWith element: Element) -> Stream<Element> { recover(with: element) }

  /// A stream that completes on failure, or goes on without an end where `completeOnError` is false. With `logError` the
  /// error is reported through `Diagnostics` first.
  @inlinable
  public func toStream(
    logError: Bool, completeOnError: Bool = true, file: StaticString = #fileID, line: UInt = #line
  ) -> Stream<Element> {
    Operation(unguarded: { observer in
      self.subscribe(
        Observer(
          for: observer.subscription, next: observer.onNext,
          termination: { end in
            if case .failed(let error) = end {
              if logError { Diagnostics.report("\(file):\(line): a stream has failed: \(error)") }
              if !completeOnError { return }
            }
            observer.completed()
          }))
    })
  }
}
