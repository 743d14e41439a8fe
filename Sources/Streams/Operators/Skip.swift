public import DequeModule

extension StreamProtocol {
  /// Drops the first `count` elements.
  ///
  /// If `count` is 0 or less, emits all elements.
  @inlinable
  public func skip(_ count: Int) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      if count <= 0 { return self.subscribe(observer) }
      let left = Cell(count)
      return self.subscribe(
        Observer(
          for: observer.subscription,
          next: { element in
            if left.value == 0 { observer.onNext(element) } else { left.value &-= 1 }
          }, termination: observer.onTermination))
    })
  }

  /// Drops the last `count` elements: each element is emitted after `count` further elements.
  ///
  /// If `count` is 0 or less, emits all elements. Holds `count` elements, which the end drops.
  @inlinable
  public func skipLast(_ count: Int) -> Operation<Element, Failure> {
    if count <= 0 { return toOperation() }
    return Operation(unguarded: { observer in
      let state = Held<Deque<Element>>()
      return self.subscribe(
        Observer(
          for: observer.subscription,
          next: { element in
            state.value.append(element)
            if state.value.count > count { observer.onNext(state.value.removeFirst()) }
          },
          termination: { end in
            state.drop()
            observer.onTermination(end)
          }))
    })
  }
}
