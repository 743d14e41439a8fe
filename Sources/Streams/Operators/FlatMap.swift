extension StreamProtocol {
  /// Makes a stream of each element and flattens these inner streams into one.
  ///
  /// Completes when the outer stream and all inner streams have completed. Fails at once when one of them fails, and
  /// disposes of the others. With `.concat` and `.concurrent(limit:)` an element waits for its turn, and `transform` runs
  /// when it comes; what waits is bounded by `BacklogBound.concat`, where the outer stream is paused.
  ///
  /// Pausing reaches the outer and all inner streams; none that waits is started meanwhile. Inner streams that are
  /// synchronous do not recurse.
  ///
  /// Cost: one allocation for each inner stream.
  @inlinable
  public func flatMap<Inner: StreamProtocol>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Failure {
    Operation(unguarded: { observer in
      let state = Flattening(observer, strategy, transform)
      state.backlog.link.connect(self, next: { state.next($0) }, termination: { state.terminate($0) })
      return state
    })
  }

  /// Makes a stream that cannot fail of each element and flattens these inner streams into one.
  @inlinable @_disfavoredOverload
  public func flatMap<Inner: StreamProtocol>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Never {
    flatMap(strategy) { transform($0).setFailureType(to: Failure.self) }
  }

  /// `flatMap(.merge, transform)`.
  @inlinable
  public func flatMapMerge<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Failure { flatMap(.merge, transform) }

  /// `flatMap(.concat, transform)`.
  @inlinable
  public func flatMapConcat<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Failure { flatMap(.concat, transform) }

  /// `flatMap(.latest, transform)`.
  @inlinable
  public func flatMapLatest<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Failure { flatMap(.latest, transform) }

  /// `flatMap(.merge, transform)` with inner streams that cannot fail.
  @inlinable @_disfavoredOverload
  public func flatMapMerge<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Never { flatMap(.merge, transform) }

  /// `flatMap(.concat, transform)` with inner streams that cannot fail.
  @inlinable @_disfavoredOverload
  public func flatMapConcat<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Never { flatMap(.concat, transform) }

  /// `flatMap(.latest, transform)` with inner streams that cannot fail.
  @inlinable @_disfavoredOverload
  public func flatMapLatest<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Never { flatMap(.latest, transform) }
}

extension StreamProtocol where Failure == Never {
  /// Makes a stream that may fail of each element and flattens these inner streams into one.
  @inlinable @_disfavoredOverload
  public func flatMap<Inner: StreamProtocol>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Inner.Failure> {
    setFailureType(to: Inner.Failure.self).flatMap(strategy, transform)
  }

  /// `flatMap(.merge, transform)`.
  @inlinable @_disfavoredOverload
  public func flatMapMerge<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Inner.Failure> { flatMap(.merge, transform) }

  /// `flatMap(.concat, transform)`.
  @inlinable @_disfavoredOverload
  public func flatMapConcat<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Inner.Failure> { flatMap(.concat, transform) }

  /// `flatMap(.latest, transform)`.
  @inlinable @_disfavoredOverload
  public func flatMapLatest<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Inner.Failure> { flatMap(.latest, transform) }
}
