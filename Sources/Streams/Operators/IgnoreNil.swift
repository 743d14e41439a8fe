extension StreamProtocol {
  /// Drops nil, and unwraps the other elements.
  @inlinable
  public func ignoreNil<Wrapped>() -> Operation<Wrapped, Failure> where Element == Wrapped? {
    Operation(unguarded: { observer in
      self.subscribe(
        Observer(
          for: observer.subscription, next: { if let element = $0 { observer.onNext(element) } },
          termination: observer.onTermination))
    })
  }
}
