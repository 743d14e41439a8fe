extension StreamProtocol {
  /// Gathers elements into arrays of exactly `size`. At completion an incomplete rest is dropped, or comes as a shorter
  /// array where `emitPartial` asks for it; a failure passes at once and drops it in any case.
  ///
  /// Holds fewer than `size` elements. `size` is at least 1.
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
            if emitPartial, !state.value.isEmpty, case .completed = end {
              observer.onNext(state.take())
              if observer.subscription.isDisposed { return }
            }
            state.drop()
            observer.onTermination(end)
          }))
    })
  }

  /// Gathers elements into streams of exactly `size`, each emitted when it is whole. The same as
  /// `buffer(size, emitPartial:)` with a stream of each array.
  @inlinable
  public func window(_ size: Int, emitPartial: Bool = false) -> Operation<Stream<Element>, Failure> {
    buffer(size, emitPartial: emitPartial).map { Stream.sequence($0) }
  }

  /// Gathers all elements into one array, emitted when the stream completes; empty if there was none. A failure passes at
  /// once and drops what was gathered.
  ///
  /// Holds all elements of the stream: the memory is bounded by the stream alone.
  @inlinable
  public func collect() -> Operation<[Element], Failure> {
    Operation(unguarded: { observer in
      let state = Held<[Element]>()
      return self.subscribe(
        Observer(
          for: observer.subscription, next: { state.value.append($0) },
          termination: { end in
            if case .completed = end {
              observer.onNext(state.take())
              if observer.subscription.isDisposed { return }
            }
            state.drop()
            observer.onTermination(end)
          }))
    })
  }
}
