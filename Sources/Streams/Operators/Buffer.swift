extension StreamProtocol {
  /// Gathers elements into arrays of exactly `size`. An incomplete rest is dropped at the end, which passes at once.
  ///
  /// Holds fewer than `size` elements. `size` is at least 1.
  @inlinable
  public func buffer(_ size: Int) -> Operation<[Element], Failure> {
    if size < 1 { misuse("buffer(\(size)): the size of a buffer is at least 1.") }
    return Operation(unguarded: { observer in
      let state = Cell<[Element]>([])
      return self.subscribe(
        Observer(
          gate: observer.gate,
          next: { element in
            state.value.append(element)
            if state.value.count < size { return }
            let full = state.value
            state.value = []
            observer.onNext(full)
          }, termination: observer.onTermination))
    })
  }

  /// Gathers elements into streams of exactly `size`, each emitted when it is whole. An incomplete rest is dropped at the
  /// end. The same as `buffer(size)` with a stream of each array.
  @inlinable
  public func window(_ size: Int) -> Operation<Stream<Element>, Failure> {
    buffer(size).map { Stream.sequence($0) }
  }

  /// Gathers all elements into one array, emitted when the stream completes; empty if there was none. A failure passes at
  /// once and drops what was gathered.
  ///
  /// Holds all elements of the stream: the memory is bounded by the stream alone.
  @inlinable
  public func collect() -> Operation<[Element], Failure> {
    Operation(unguarded: { observer in
      let state = Cell<[Element]>([])
      return self.subscribe(
        Observer(
          gate: observer.gate, next: { state.value.append($0) },
          termination: { end in
            let all = state.value
            state.value = []
            if case .completed = end {
              observer.onNext(all)
              if observer.gate.isClosed { return }
            }
            observer.onTermination(end)
          }))
    })
  }
}
