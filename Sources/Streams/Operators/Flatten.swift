extension StreamProtocol where Element: StreamProtocol, Element.Failure == Failure {
  /// Emits the elements of all inner streams as they are delivered. Completes when the outer stream and all inner
  /// streams have completed. A failure of one of them is delivered immediately and disposes the others.
  @inlinable
  public func merge() -> Operation<Element.Element, Failure> { flatMap(.merge) { $0 } }

  /// Emits the elements of the inner streams, one stream after the other. The outer stream is paused at
  /// `Watermarks.standard` pending inner streams. Completes when the outer stream and all inner streams have completed.
  /// A failure of one of them is delivered immediately and disposes the others.
  @inlinable
  public func concat() -> Operation<Element.Element, Failure> { flatMap(.concat) { $0 } }

  /// Emits the elements of the latest inner stream. The previous one is disposed. Completes when the outer stream and the
  /// last inner stream have completed. A failure of one of them is delivered immediately and disposes the other.
  @inlinable
  public func switchToLatest() -> Operation<Element.Element, Failure> { flatMap(.latest) { $0 } }

  /// Emits the elements of the inner streams, which run as `strategy` determines. Completes when the outer stream and
  /// all inner streams have completed. A failure of one of them is delivered immediately and disposes the others.
  @inlinable
  public func flatten(_ strategy: FlattenStrategy) -> Operation<Element.Element, Failure> { flatMap(strategy) { $0 } }
}

extension StreamProtocol where Element: StreamProtocol {
  /// Emits the elements of all inner streams as they are delivered. The inner streams have another type of failure,
  /// which `mapError` converts.
  @inlinable
  public func merge(
    mapError transform: @escaping (Element.Failure) -> Failure
  ) -> Operation<Element.Element, Failure> { flatMap(.merge) { $0.mapError(transform) } }

  /// Emits the elements of the inner streams, one stream after the other. The inner streams have another type of
  /// failure, which `mapError` converts.
  @inlinable
  public func concat(
    mapError transform: @escaping (Element.Failure) -> Failure
  ) -> Operation<Element.Element, Failure> { flatMap(.concat) { $0.mapError(transform) } }

  /// Emits the elements of the latest inner stream. The previous one is disposed. The inner streams have another type
  /// of failure, which `mapError` converts.
  @inlinable
  public func switchToLatest(
    mapError transform: @escaping (Element.Failure) -> Failure
  ) -> Operation<Element.Element, Failure> { flatMap(.latest) { $0.mapError(transform) } }
}

extension StreamProtocol where Element: StreamProtocol, Failure == Never {
  /// Emits the elements of all inner streams, which can fail, as they are delivered.
  @inlinable @_disfavoredOverload
  public func merge() -> Operation<Element.Element, Element.Failure> { flatMap(.merge) { $0 } }

  /// Emits the elements of the inner streams, which can fail, one stream after the other.
  @inlinable @_disfavoredOverload
  public func concat() -> Operation<Element.Element, Element.Failure> { flatMap(.concat) { $0 } }

  /// Emits the elements of the latest inner stream, which can fail. The previous one is disposed.
  @inlinable @_disfavoredOverload
  public func switchToLatest() -> Operation<Element.Element, Element.Failure> { flatMap(.latest) { $0 } }

  /// Emits the elements of the inner streams, which can fail and run as `strategy` determines.
  @inlinable @_disfavoredOverload
  public func flatten(_ strategy: FlattenStrategy) -> Operation<Element.Element, Element.Failure> {
    flatMap(strategy) { $0 }
  }
}

extension StreamProtocol where Element: StreamProtocol, Element.Failure == Never {
  /// Emits the elements of all inner streams, which cannot fail, as they are delivered.
  @inlinable @_disfavoredOverload
  public func merge() -> Operation<Element.Element, Failure> { flatMap(.merge) { $0 } }

  /// Emits the elements of the inner streams, which cannot fail, one stream after the other.
  @inlinable @_disfavoredOverload
  public func concat() -> Operation<Element.Element, Failure> { flatMap(.concat) { $0 } }

  /// Emits the elements of the latest inner stream, which cannot fail. The previous one is disposed.
  @inlinable @_disfavoredOverload
  public func switchToLatest() -> Operation<Element.Element, Failure> { flatMap(.latest) { $0 } }

  /// Emits the elements of the inner streams, which cannot fail and run as `strategy` determines.
  @inlinable @_disfavoredOverload
  public func flatten(_ strategy: FlattenStrategy) -> Operation<Element.Element, Failure> { flatMap(strategy) { $0 } }
}
