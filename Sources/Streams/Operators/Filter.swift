extension StreamProtocol {
  /// Emits the elements for which `isIncluded` returns true.
  @inlinable
  public func filter(_ isIncluded: @escaping (Element) -> Bool) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let next = observer.onNext
      return self.subscribe(
        Observer(
          for: observer.subscription, next: { if isIncluded($0) { next($0) } }, termination: observer.onTermination))
    })
  }

  /// Drops all elements, and forwards the end.
  @inlinable
  public func ignoreElements() -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      self.subscribe(Observer(for: observer.subscription, next: { _ in }, termination: observer.onTermination))
    })
  }

  /// Emits `element` if the stream completes without an element. Forwards a failure.
  @inlinable
  public func defaultIfEmpty(_ element: Element) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let isEmpty = Cell(true)
      return self.subscribe(
        Observer(
          for: observer.subscription,
          next: {
            isEmpty.value = false
            observer.onNext($0)
          },
          termination: { end in
            if isEmpty.value, case .completed = end {
              observer.onNext(element)
              if observer.subscription.isDisposed { return }
            }
            observer.onTermination(end)
          }))
    })
  }
}
