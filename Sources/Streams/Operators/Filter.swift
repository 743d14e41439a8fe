extension StreamProtocol {
  /// Lets through the elements for which `isIncluded` is true. The end always passes.
  @inlinable
  public func filter(_ isIncluded: @escaping (Element) -> Bool) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      self.subscribe(
        Observer(
          gate: observer.gate, next: { if isIncluded($0) { observer.onNext($0) } },
          termination: observer.onTermination))
    })
  }
}
