extension StreamProtocol {
  /// Emits arrays of `size` elements.
  ///
  /// At completion, an incomplete array is dropped, or emitted if `emitPartial` is true. A failure is delivered immediately and drops
  /// the incomplete array. Holds fewer than `size` elements. Traps unless `size` is at least 1.
  @inlinable
  public func buffer(_ size: Int, emitPartial: Bool = false) -> Operation<[Element], Failure> {
    if size < 1 { misuse("buffer(\(size)): the size of a buffer is at least 1.") }
    return Operation(unguarded: { observer in
      let state = Held<[Element]>()
      return self.subscribe(
        Observer(
          for: observer.subscription,
          next: { element in
            state.value.append(element)
            if state.value.count < size { return }
            observer.onNext(state.take())
          },
          termination: { end in
            if emitPartial, !state.value.isEmpty, !observer.subscription.isDisposed, case .completed = end {
              observer.onNext(state.take())
              if observer.subscription.isDisposed { return }
            }
            state.drop()
            observer.onTermination(end)
          }))
    })
  }

  /// Emits streams of `size` elements, each after its last element.
  ///
  /// At completion, an incomplete stream is dropped, or emitted if `emitPartial` is true. A failure is delivered immediately and
  /// drops the incomplete stream. Holds fewer than `size` elements. Traps unless `size` is at least 1.
  @inlinable
  public func window(_ size: Int, emitPartial: Bool = false) -> Operation<Stream<Element>, Failure> {
    if size < 1 { misuse("window(\(size)): the size of a window is at least 1.") }
    return buffer(size, emitPartial: emitPartial).map { Stream.sequence($0) }
  }

  /// Emits one array of all elements when the stream completes; an empty one if there was no element.
  ///
  /// A failure is delivered immediately and drops the array. Holds all elements of the stream, without a limit.
  @inlinable
  public func collect() -> Operation<[Element], Failure> {
    Operation(unguarded: { observer in
      let state = Held<[Element]>()
      return self.subscribe(
        Observer(
          for: observer.subscription, next: { state.value.append($0) },
          termination: { end in
            if case .completed = end, !observer.subscription.isDisposed {
              observer.onNext(state.take())
              if observer.subscription.isDisposed { return }
            }
            state.drop()
            observer.onTermination(end)
          }))
    })
  }
}
