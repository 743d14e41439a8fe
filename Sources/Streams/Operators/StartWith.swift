extension StreamProtocol {
  /// Emits `element` when it is observed, then the elements of the stream.
  @inlinable
  public func start(with element: Element) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      observer.onNext(element)
      if observer.subscription.isDisposed { return .none }
      return self.subscribe(observer)
    })
  }
}
