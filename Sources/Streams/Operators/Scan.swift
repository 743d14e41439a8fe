extension StreamProtocol {
  /// Accumulates: emits `initial` when it is observed, then after each element what `combine` makes of the last result and
  /// the element. `[1, 2, 3].scan(0, +)` gives 0, 1, 3, 6.
  ///
  /// Holds one result. The end passes at once.
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

  /// Accumulates, and emits only the last result when the stream completes: `initial` if there was no element. A failure
  /// passes at once, without a result.
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
