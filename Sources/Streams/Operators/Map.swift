extension StreamProtocol {
  /// Transforms each element.
  @inlinable
  public func map<NewElement>(_ transform: @escaping (Element) -> NewElement) -> Operation<NewElement, Failure> {
    Operation(unguarded: { observer in
      self.subscribe(
        Observer(
          gate: observer.gate, next: { observer.onNext(transform($0)) }, termination: observer.onTermination))
    })
  }
}
