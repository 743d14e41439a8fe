public import DequeModule

extension StreamProtocol {
  /// Leaves out the first `count` elements. Only elements count: the end passes whenever it comes.
  ///
  /// With a `count` of 0 or less it is the stream itself.
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

  /// Leaves out the last `count` elements: each element is emitted when `count` others have come after it.
  ///
  /// With a `count` of 0 or less it is the stream itself. Holds `count` elements, which the end drops; the end passes at
  /// once.
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
