extension Operation {
  /// One element, then completed.
  @inlinable
  public static func just(_ element: Element) -> Operation {
    Operation(unguarded: { observer in
      observer.next(element)
      if !observer.subscription.isDisposed { observer.completed() }
      return .none
    })
  }

  /// Completed at once, without an element.
  @inlinable
  public static func completed() -> Operation {
    Operation(unguarded: { observer in
      observer.completed()
      return .none
    })
  }

  /// Failed at once.
  @inlinable
  public static func failed(_ error: Failure) -> Operation {
    Operation(unguarded: { observer in
      observer.failed(error)
      return .none
    })
  }

  /// No event, ever.
  @inlinable
  public static func never() -> Operation { Operation(unguarded: { _ in .none }) }

  /// The operation that `make` gives, made again for each observer.
  @inlinable
  public static func deferred<Source: StreamProtocol>(_ make: @escaping () -> Source) -> Operation
  where Source.Element == Element, Source.Failure == Failure {
    Operation(unguarded: { observer in make().subscribe(observer) })
  }

  /// The operation that `make` gives, made again for each observer. The closure may use a leading dot.
  @inlinable
  public static func deferred(_ make: @escaping () -> Operation) -> Operation {
    Operation(unguarded: { observer in make().subscribe(observer) })
  }

  /// The stream that `make` gives, made again for each observer; it cannot fail.
  @inlinable @_disfavoredOverload
  public static func deferred<Source: StreamProtocol>(_ make: @escaping () -> Source) -> Operation
  where Source.Element == Element, Source.Failure == Never {
    Operation(unguarded: { observer in make().setFailureType(to: Failure.self).subscribe(observer) })
  }
}
