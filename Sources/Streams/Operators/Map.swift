extension StreamProtocol {
  /// Transforms each element.
  @inlinable
  public func map<NewElement>(_ transform: @escaping (Element) -> NewElement) -> Operation<NewElement, Failure> {
    Operation(unguarded: { observer in
      // Captures one closure of the observer instead of all, because each subscription retains and releases its captures.
      let next = observer.onNext
      return self.subscribe(
        Observer(for: observer.subscription, next: { next(transform($0)) }, termination: observer.onTermination))
    })
  }

  /// Replaces each element with the empty element.
  @inlinable
  public func mapToVoid() -> Operation<Void, Failure> { map { _ in } }

  /// Emits each element with the previous one, which is nil for the first. Holds one element.
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
