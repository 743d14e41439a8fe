public import DequeModule

extension StreamProtocol {
  /// Emits the first `count` elements, then completes immediately and disposes the source.
  ///
  /// If `count` is 0 or less, completes without observing the source. Holds nothing. Pausing reaches the source.
  @inlinable
  public func take(_ count: Int) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      if count <= 0 {
        observer.completed()
        return .none
      }
      let link = Subscription(downstream: observer.subscription)
      let left = Cell(count)
      link.connect(
        self,
        next: { element in
          if left.value == 0 { return }
          left.value &-= 1
          observer.onNext(element)
          if left.value > 0 { return }
          link.dispose()
          if !observer.subscription.isDisposed { observer.completed() }
        }, termination: observer.onTermination)
      return link
    })
  }

  /// Emits the first element, then completes and disposes the source.
  @inlinable
  public func first() -> Operation<Element, Failure> { take(1) }

  /// Emits the last element when the stream completes. A failure is delivered without an element. Holds one element.
  @inlinable
  public func last() -> Operation<Element, Failure> { takeLast(1) }

  /// Emits the last `count` elements when the stream completes. A failure is delivered without elements.
  ///
  /// If `count` is 0 or less, only the end is delivered. Holds `count` elements. A pause while they are emitted has no effect on the rest.
  @inlinable
  public func takeLast(_ count: Int = 1) -> Operation<Element, Failure> {
    if count <= 0 { return ignoreElements() }
    return Operation(unguarded: { observer in
      let state = Held<Deque<Element>>()
      return self.subscribe(
        Observer(
          for: observer.subscription,
          next: { element in
            if state.value.count == count { Untaken.drop(state.value.removeFirst()) }
            state.value.append(element)
          },
          termination: { end in
            if case .completed = end {
              // Checked after an element is released, because its deinit can dispose the subscription.
              while !observer.subscription.isDisposed, let element = state.value.popFirst() { observer.onNext(element) }
            }
            state.drop()
            if !observer.subscription.isDisposed { observer.onTermination(end) }
          }))
    })
  }

  /// Emits the last `count` elements when the stream completes. A failure is delivered without elements. Holds `count`
  /// elements.
  @inlinable
  public func last(_ count: Int) -> Operation<Element, Failure> { takeLast(count) }

  /// Emits the element at `index`, counted from 0, then completes immediately and disposes the source. If the stream completes earlier,
  /// completes without an element.
  @inlinable
  public func element(at index: Int) -> Operation<Element, Failure> {
    if index < 0 { misuse("element(at: \(index)): the first element is at 0.") }
    return skip(index).take(1)
  }
}
