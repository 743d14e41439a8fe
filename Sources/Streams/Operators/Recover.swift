extension StreamProtocol {
  /// Emits `element` after a failure, and completes.
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

  /// Returns a stream that emits `element` after a failure, and completes.
  @inlinable
  public func toStream(recoverWith element: Element) -> Stream<Element> { recover(with: element) }

  /// Returns a stream that completes after a failure, or never ends if `completeOnError` is false. If `logError` is true, the error is
  /// reported through `Diagnostics` first.
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
