extension StreamProtocol {
  /// The first `count` elements, then completed: at once after the last of them, when the source is disposed too.
  ///
  /// With a `count` of 0 or less it completes without observing the source. Buffers nothing; pausing reaches the source.
  @inlinable
  public func take(_ count: Int) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      if count <= 0 {
        observer.completed()
        return NonDisposable()
      }
      let link = Link(downstream: observer.gate)
      let left = Cell(count)
      link.connect(
        self,
        next: { element in
          if left.value == 0 { return }
          left.value &-= 1
          observer.onNext(element)
          if left.value > 0 { return }
          link.dispose()
          if !observer.gate.isClosed { observer.completed() }
        }, termination: observer.onTermination)
      return link
    })
  }

  /// The first element, then completed.
  @inlinable
  public func first() -> Operation<Element, Failure> { take(1) }

  /// The last element, emitted when the stream completes; none if there was none. A failure passes at once, alone.
  @inlinable
  public func last() -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let state = Cell<Element?>(nil)
      return self.subscribe(
        Observer(
          gate: observer.gate, next: { state.value = $0 },
          termination: { end in
            let last = state.value.take()
            if case .completed = end, let last {
              observer.onNext(last)
              if observer.gate.isClosed { return }
            }
            observer.onTermination(end)
          }))
    })
  }
}
