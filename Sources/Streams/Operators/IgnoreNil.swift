extension StreamProtocol {
  /// Leaves out nil and unwraps the rest.
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
