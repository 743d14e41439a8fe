extension StreamProtocol {
  /// Transforms each element into a stream, and flattens these inner streams into one.
  ///
  /// Completes when the outer stream and all inner streams have completed. A failure of one of them is delivered immediately and
  /// disposes the others. With `.concat` and `.concurrent(limit:)`, elements are pending until `transform` is called for them. The outer
  /// stream is paused at `Watermarks.standard` pending elements.
  ///
  /// Pausing reaches the outer stream and all inner streams, and no inner stream starts during a pause. Synchronous inner streams
  /// do not recurse.
  ///
  /// - Complexity: One allocation for each inner stream.
  @inlinable
  public func flatMap<Inner: StreamProtocol>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Failure {
    flattened(strategy, transform)
  }

  /// Transforms each element into an operation, and flattens these inner operations into one.
  ///
  /// The closure can use a leading dot: `flatMap(.latest) { id in id > 0 ? .just(id) : .completed() }`. Completes when the outer stream
  /// and all inner operations have completed. A failure of one of them is delivered immediately and disposes the others.
  @inlinable
  public func flatMap<NewElement>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Element) -> Operation<NewElement, Failure>
  ) -> Operation<NewElement, Failure> { flattened(strategy, transform) }

  @inlinable
  func flattened<Inner: StreamProtocol>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Failure {
    .unguarded(name: "flatMap(_:_:)") { observer in
      let state = Flattening(observer, strategy, transform)
      state.backlog.link.connect(self, next: { state.next($0) }, termination: { state.terminate($0) })
      return state.exit
    }
  }

  /// Transforms each element into a stream that cannot fail, and flattens these inner streams into one.
  @inlinable @_disfavoredOverload
  public func flatMap<Inner: StreamProtocol>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Never {
    flattened(strategy) { transform($0).setFailureType(to: Failure.self) }
  }

  /// Transforms each element into a stream, and runs all these inner streams at the same time.
  @inlinable
  public func flatMapMerge<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Failure { flatMap(.merge, transform) }

  /// Transforms each element into an operation, and runs all these inner operations at the same time. The closure can
  /// use a leading dot.
  @inlinable
  public func flatMapMerge<NewElement>(
    _ transform: @escaping (Element) -> Operation<NewElement, Failure>
  ) -> Operation<NewElement, Failure> { flatMap(.merge, transform) }

  /// Transforms each element into a stream, and runs these inner streams one after the other.
  @inlinable
  public func flatMapConcat<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Failure { flatMap(.concat, transform) }

  /// Transforms each element into an operation, and runs these inner operations one after the other. The closure can
  /// use a leading dot.
  @inlinable
  public func flatMapConcat<NewElement>(
    _ transform: @escaping (Element) -> Operation<NewElement, Failure>
  ) -> Operation<NewElement, Failure> { flatMap(.concat, transform) }

  /// Transforms each element into a stream, and runs the latest one after disposing the previous one.
  @inlinable
  public func flatMapLatest<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Failure { flatMap(.latest, transform) }

  /// Transforms each element into an operation, and runs the latest one after disposing the previous one. The closure
  /// can use a leading dot.
  @inlinable
  public func flatMapLatest<NewElement>(
    _ transform: @escaping (Element) -> Operation<NewElement, Failure>
  ) -> Operation<NewElement, Failure> { flatMap(.latest, transform) }

  /// Transforms each element into a stream that cannot fail, and runs all these inner streams at the same time.
  @inlinable @_disfavoredOverload
  public func flatMapMerge<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Never { flatMap(.merge, transform) }

  /// Transforms each element into a stream that cannot fail, and runs these inner streams one after the other.
  @inlinable @_disfavoredOverload
  public func flatMapConcat<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Never { flatMap(.concat, transform) }

  /// Transforms each element into a stream that cannot fail, and runs the latest one after disposing the previous one.
  @inlinable @_disfavoredOverload
  public func flatMapLatest<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Failure> where Inner.Failure == Never { flatMap(.latest, transform) }
}

extension StreamProtocol where Failure == Never {
  /// Transforms each element into a stream that can fail, and flattens these inner streams into one.
  @inlinable @_disfavoredOverload
  public func flatMap<Inner: StreamProtocol>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Inner.Failure> {
    setFailureType(to: Inner.Failure.self).flattened(strategy, transform)
  }

  /// Transforms each element into an operation that can fail, and flattens these inner operations into one.
  ///
  /// The closure can use a leading dot.
  @inlinable @_disfavoredOverload
  public func flatMap<NewElement, NewFailure: Error>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Element) -> Operation<NewElement, NewFailure>
  ) -> Operation<NewElement, NewFailure> {
    setFailureType(to: NewFailure.self).flattened(strategy, transform)
  }

  /// Transforms each element into a stream that can fail, and runs all these inner streams at the same time.
  @inlinable @_disfavoredOverload
  public func flatMapMerge<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Inner.Failure> { flatMap(.merge, transform) }

  /// Transforms each element into an operation that can fail, and runs all these inner operations at the same time. The
  /// closure can use a leading dot.
  @inlinable @_disfavoredOverload
  public func flatMapMerge<NewElement, NewFailure: Error>(
    _ transform: @escaping (Element) -> Operation<NewElement, NewFailure>
  ) -> Operation<NewElement, NewFailure> { flatMap(.merge, transform) }

  /// Transforms each element into a stream that can fail, and runs these inner streams one after the other.
  @inlinable @_disfavoredOverload
  public func flatMapConcat<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Inner.Failure> { flatMap(.concat, transform) }

  /// Transforms each element into an operation that can fail, and runs these inner operations one after the other. The
  /// closure can use a leading dot.
  @inlinable @_disfavoredOverload
  public func flatMapConcat<NewElement, NewFailure: Error>(
    _ transform: @escaping (Element) -> Operation<NewElement, NewFailure>
  ) -> Operation<NewElement, NewFailure> { flatMap(.concat, transform) }

  /// Transforms each element into a stream that can fail, and runs the latest one after disposing the previous one.
  @inlinable @_disfavoredOverload
  public func flatMapLatest<Inner: StreamProtocol>(
    _ transform: @escaping (Element) -> Inner
  ) -> Operation<Inner.Element, Inner.Failure> { flatMap(.latest, transform) }

  /// Transforms each element into an operation that can fail, and runs the latest one after disposing the previous one.
  /// The closure can use a leading dot.
  @inlinable @_disfavoredOverload
  public func flatMapLatest<NewElement, NewFailure: Error>(
    _ transform: @escaping (Element) -> Operation<NewElement, NewFailure>
  ) -> Operation<NewElement, NewFailure> { flatMap(.latest, transform) }
}
