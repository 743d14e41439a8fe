extension StreamProtocol {
  /// Transforms each element.
  @inlinable
  public func map<NewElement>(_ transform: @escaping (Element) -> NewElement) -> Operation<NewElement, Failure> {
    Operation(unguarded: { observer in
      // Captures one closure of the observer, not all of it: what is held for each subscription is retained and released.
      let next = observer.onNext
      return self.subscribe(
        Observer(for: observer.subscription, next: { next(transform($0)) }, termination: observer.onTermination))
    })
  }

  /// Each element without its content: only that there was one.
  @inlinable
  public func mapToVoid() -> Operation<Void, Failure> { map { _ in } }

  /// Each element with the one before it; the first with nil. Holds one element.
  @inlinable
  public func zipPrevious() -> Operation<(Element?, Element), Failure> {
    Operation(unguarded: { observer in
      let previous = Cell<Element?>(nil)
      return self.subscribe(
        Observer(
          for: observer.subscription,
          next: { element in
            let pair = (previous.value, element)
            previous.value = element
            observer.onNext(pair)
          }, termination: observer.onTermination))
    })
  }
}
