extension StreamProtocol where Element: StreamProtocol, Element.Failure == Failure {
  /// Emits the elements of all inner streams when they are delivered. The rules are those of `flatMap(.merge)`.
  @inlinable
  public func merge() -> Operation<Element.Element, Failure> { flatMap(.merge) { $0 } }

  /// Emits the elements of the inner streams, one stream after the other. The rules are those of `flatMap(.concat)`.
  @inlinable
  public func concat() -> Operation<Element.Element, Failure> { flatMap(.concat) { $0 } }

  /// Emits the elements of the newest inner stream. The previous one is disposed. The rules are those of `flatMap(.latest)`.
  @inlinable
  public func switchToLatest() -> Operation<Element.Element, Failure> { flatMap(.latest) { $0 } }

  /// Flattens the inner streams with a strategy. The rules are those of `flatMap`.
  @inlinable
  public func flatten(_ strategy: FlattenStrategy) -> Operation<Element.Element, Failure> { flatMap(strategy) { $0 } }
}

extension StreamProtocol where Element: StreamProtocol {
  /// `merge()` of inner streams with another type of failure, which `mapError` converts.
  @inlinable
  public func merge(
    mapError transform: @escaping (Element.Failure) -> Failure
  ) -> Operation<Element.Element, Failure> { flatMap(.merge) { $0.mapError(transform) } }

  /// `concat()` of inner streams with another type of failure, which `mapError` converts.
  @inlinable
  public func concat(
    mapError transform: @escaping (Element.Failure) -> Failure
  ) -> Operation<Element.Element, Failure> { flatMap(.concat) { $0.mapError(transform) } }

  /// `switchToLatest()` of inner streams with another type of failure, which `mapError` converts.
  @inlinable
  public func switchToLatest(
    mapError transform: @escaping (Element.Failure) -> Failure
  ) -> Operation<Element.Element, Failure> { flatMap(.latest) { $0.mapError(transform) } }
}

extension StreamProtocol where Element: StreamProtocol, Failure == Never {
  /// `merge()` of inner streams that can fail.
  @inlinable @_disfavoredOverload
  public func merge() -> Operation<Element.Element, Element.Failure> { flatMap(.merge) { $0 } }

  /// `concat()` of inner streams that can fail.
  @inlinable @_disfavoredOverload
  public func concat() -> Operation<Element.Element, Element.Failure> { flatMap(.concat) { $0 } }

  /// `switchToLatest()` of inner streams that can fail.
  @inlinable @_disfavoredOverload
  public func switchToLatest() -> Operation<Element.Element, Element.Failure> { flatMap(.latest) { $0 } }

  /// `flatten(_:)` of inner streams that can fail.
  @inlinable @_disfavoredOverload
  public func flatten(_ strategy: FlattenStrategy) -> Operation<Element.Element, Element.Failure> {
    flatMap(strategy) { $0 }
  }
}

extension StreamProtocol where Element: StreamProtocol, Element.Failure == Never {
  /// `merge()` of inner streams that cannot fail.
  @inlinable @_disfavoredOverload
  public func merge() -> Operation<Element.Element, Failure> { flatMap(.merge) { $0 } }

  /// `concat()` of inner streams that cannot fail.
  @inlinable @_disfavoredOverload
  public func concat() -> Operation<Element.Element, Failure> { flatMap(.concat) { $0 } }

  /// `switchToLatest()` of inner streams that cannot fail.
  @inlinable @_disfavoredOverload
  public func switchToLatest() -> Operation<Element.Element, Failure> { flatMap(.latest) { $0 } }

  /// `flatten(_:)` of inner streams that cannot fail.
  @inlinable @_disfavoredOverload
  public func flatten(_ strategy: FlattenStrategy) -> Operation<Element.Element, Failure> { flatMap(strategy) { $0 } }
}
