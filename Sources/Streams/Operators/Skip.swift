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
          gate: observer.gate,
          next: { element in
            if left.value == 0 { observer.onNext(element) } else { left.value &-= 1 }
          }, termination: observer.onTermination))
    })
  }
}
