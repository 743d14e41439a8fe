extension StreamProtocol {
  /// Emits the first element, then each element that is distinct from its predecessor in the source.
  ///
  /// `areDistinct` receives the predecessor and the element, and returns true to *keep* the element. Holds one element.
  @inlinable
  public func distinct(_ areDistinct: @escaping (Element, Element) -> Bool) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let previous = Cell<Element?>(nil)
      return self.subscribe(
        Observer(
          for: observer.subscription,
          next: { element in
            let isKept = previous.value.map { areDistinct($0, element) } ?? true
            previous.value = element
            if isKept { observer.onNext(element) }
          }, termination: observer.onTermination))
    })
  }
}

extension StreamProtocol where Element: Equatable {
  /// Drops each element that equals its predecessor in the source. Holds one element.
  @inlinable
  public func distinct() -> Operation<Element, Failure> { distinct { $0 != $1 } }
}
