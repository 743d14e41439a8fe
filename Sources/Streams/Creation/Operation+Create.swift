extension Operation {
  /// Emits one element and completes.
  @inlinable
  public static func just(_ element: Element) -> Operation {
    Operation(unguarded: { observer in
      observer.next(element)
      if !observer.subscription.isDisposed { observer.completed() }
      return .none
    })
  }

  /// Completes immediately, without an element.
  @inlinable
  public static func completed() -> Operation {
    Operation(unguarded: { observer in
      observer.completed()
      return .none
    })
  }

  /// Fails immediately.
  @inlinable
  public static func failed(_ error: Failure) -> Operation {
    Operation(unguarded: { observer in
      observer.failed(error)
      return .none
    })
  }

  /// Never sends an event.
  @inlinable
  public static func never() -> Operation { Operation(unguarded: { _ in .none }) }

  /// Calls `make` for each observer, and forwards the events of the operation that it returns.
  @inlinable
  public static func deferred<Source: StreamProtocol>(_ make: @escaping () -> Source) -> Operation
  where Source.Element == Element, Source.Failure == Failure {
    Operation(unguarded: { observer in make().subscribe(observer) })
  }

  /// Calls `make` for each observer, and forwards the events of the operation that it returns. The closure can use a leading dot.
  @inlinable
  public static func deferred(_ make: @escaping () -> Operation) -> Operation {
    Operation(unguarded: { observer in make().subscribe(observer) })
  }

  /// Calls `make` for each observer, and forwards the events of the stream that it returns, which cannot fail.
  @inlinable @_disfavoredOverload
  public static func deferred<Source: StreamProtocol>(_ make: @escaping () -> Source) -> Operation
  where Source.Element == Element, Source.Failure == Never {
    Operation(unguarded: { observer in make().setFailureType(to: Failure.self).subscribe(observer) })
  }
}
