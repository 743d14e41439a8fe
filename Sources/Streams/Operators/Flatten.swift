extension StreamProtocol where Element: StreamProtocol, Element.Failure == Failure {
  /// The elements of all inner streams, as they come. See `flatMap`.
  @inlinable
  public func merge() -> Operation<Element.Element, Failure> { flatMap(.merge) { $0 } }

  /// The inner streams one after the other. See `flatMap`.
  @inlinable
  public func concat() -> Operation<Element.Element, Failure> { flatMap(.concat) { $0 } }

  /// The newest inner stream; the one before is disposed first. See `flatMap`.
  @inlinable
  public func switchToLatest() -> Operation<Element.Element, Failure> { flatMap(.latest) { $0 } }

  /// The inner streams flattened as `strategy` says. See `flatMap`.
  @inlinable
  public func flatten(_ strategy: FlattenStrategy) -> Operation<Element.Element, Failure> { flatMap(strategy) { $0 } }
}

extension StreamProtocol where Element: StreamProtocol {
  /// `merge()` of inner streams that fail in another way: `mapError` makes their failures into those of this stream.
  @inlinable
  public func merge(
    mapError transform: @escaping (Element.Failure) -> Failure
  ) -> Operation<Element.Element, Failure> { flatMap(.merge) { $0.mapError(transform) } }

  /// `concat()` of inner streams that fail in another way.
  @inlinable
  public func concat(
    mapError transform: @escaping (Element.Failure) -> Failure
  ) -> Operation<Element.Element, Failure> { flatMap(.concat) { $0.mapError(transform) } }

  /// `switchToLatest()` of inner streams that fail in another way.
  @inlinable
  public func switchToLatest(
    mapError transform: @escaping (Element.Failure) -> Failure
  ) -> Operation<Element.Element, Failure> { flatMap(.latest) { $0.mapError(transform) } }
}

extension StreamProtocol where Element: StreamProtocol, Failure == Never {
  /// The elements of all inner streams, which may fail, as they come.
  @inlinable @_disfavoredOverload
  public func merge() -> Operation<Element.Element, Element.Failure> { flatMap(.merge) { $0 } }

  /// The inner streams, which may fail, one after the other.
  @inlinable @_disfavoredOverload
  public func concat() -> Operation<Element.Element, Element.Failure> { flatMap(.concat) { $0 } }

  /// The newest inner stream, which may fail; the one before is disposed first.
  @inlinable @_disfavoredOverload
  public func switchToLatest() -> Operation<Element.Element, Element.Failure> { flatMap(.latest) { $0 } }

  /// The inner streams, which may fail, flattened as `strategy` says.
  @inlinable @_disfavoredOverload
  public func flatten(_ strategy: FlattenStrategy) -> Operation<Element.Element, Element.Failure> {
    flatMap(strategy) { $0 }
  }
}

extension StreamProtocol where Element: StreamProtocol, Element.Failure == Never {
  /// The elements of all inner streams, which cannot fail, as they come.
  @inlinable @_disfavoredOverload
  public func merge() -> Operation<Element.Element, Failure> { flatMap(.merge) { $0 } }

  /// The inner streams, which cannot fail, one after the other.
  @inlinable @_disfavoredOverload
  public func concat() -> Operation<Element.Element, Failure> { flatMap(.concat) { $0 } }

  /// The newest inner stream, which cannot fail; the one before is disposed first.
  @inlinable @_disfavoredOverload
  public func switchToLatest() -> Operation<Element.Element, Failure> { flatMap(.latest) { $0 } }

  /// The inner streams, which cannot fail, flattened as `strategy` says.
  @inlinable @_disfavoredOverload
  public func flatten(_ strategy: FlattenStrategy) -> Operation<Element.Element, Failure> { flatMap(strategy) { $0 } }
}
