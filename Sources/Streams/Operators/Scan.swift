extension StreamProtocol {
  /// Emits `initial` when it is observed, then for each element the result of `combine` for the last result and the element.
  ///
  /// The elements 1, 2, 3 with `scan(0, +)` give 0, 1, 3, 6. Holds one result.
  @inlinable
  public func scan<Result>(
    _ initial: Result, _ combine: @escaping (Result, Element) -> Result
  ) -> Operation<Result, Failure> {
    Operation(unguarded: { observer in
      let state = Cell(initial)
      observer.onNext(initial)
      if observer.subscription.isDisposed { return .none }
      return self.subscribe(
        Observer(
          for: observer.subscription,
          next: { element in
            let result = combine(state.value, element)
            state.value = result
            observer.onNext(result)
          }, termination: observer.onTermination))
    })
  }

  /// Emits the last result of `combine` when the stream completes, or `initial` if there was no element. A failure is delivered without a
  /// result.
  @inlinable
  public func reduce<Result>(
    _ initial: Result, _ combine: @escaping (Result, Element) -> Result
  ) -> Operation<Result, Failure> {
    Operation(unguarded: { observer in
      let state = Cell(initial)
      return self.subscribe(
        Observer(
          for: observer.subscription, next: { state.value = combine(state.value, $0) },
          termination: { end in
            if case .completed = end {
              observer.onNext(state.value)
              if observer.subscription.isDisposed { return }
            }
            observer.onTermination(end)
          }))
    })
  }
}
