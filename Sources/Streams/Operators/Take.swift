public import DequeModule

extension StreamProtocol {
  /// The first `count` elements, then completed: at once after the last of them, when the source is disposed too.
  ///
  /// With a `count` of 0 or less it completes without observing the source. Buffers nothing; pausing reaches the source.
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

  /// The first element, then completed.
  @inlinable
  public func first() -> Operation<Element, Failure> { take(1) }

  /// The last element, emitted when the stream completes; none if there was none. A failure passes at once, alone.
  @inlinable
  public func last() -> Operation<Element, Failure> { takeLast(1) }

  /// The last `count` elements, emitted when the stream completes. A failure passes at once, alone.
  ///
  /// With a `count` of 0 or less only the end passes. Holds `count` elements. Pausing while they are emitted has no effect
  /// on the rest of them.
  @inlinable
  public func takeLast(_ count: Int = 1) -> Operation<Element, Failure> {
    if count <= 0 { return ignoreElements() }
    return Operation(unguarded: { observer in
      let state = Held<Deque<Element>>()
      return self.subscribe(
        Observer(
          for: observer.subscription,
          next: { element in
            if state.value.count == count {
              var oldest: Element? = state.value.removeFirst()
              Untaken.dispose(&oldest)
            }
            state.value.append(element)
          },
          termination: { end in
            if case .completed = end {
              while let element = state.value.popFirst() {
                observer.onNext(element)
                if observer.subscription.isDisposed { return state.drop() }
              }
            }
            state.drop()
            observer.onTermination(end)
          }))
    })
  }

  /// The last `count` elements. The same as `takeLast(_:)`.
  @inlinable
  public func last(_ count: Int) -> Operation<Element, Failure> { takeLast(count) }

  /// The element at `index`, counted from 0, then completed: at once, when the source is disposed of too. Where the stream
  /// completes before, none.
  @inlinable
  public func element(at index: Int) -> Operation<Element, Failure> {
    if index < 0 { misuse("element(at: \(index)): the first element is at 0.") }
    return skip(index).take(1)
  }
}
