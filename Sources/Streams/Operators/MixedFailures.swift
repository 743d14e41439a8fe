// Combinations of two streams of which one cannot fail. The result has the failure type of the other one.

extension StreamProtocol {
  /// `combineLatest(with:)` with a stream that cannot fail.
  @inlinable @_disfavoredOverload
  public func combineLatest<Other: StreamProtocol>(
    with other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Never {
    combineLatest(with: other.setFailureType(to: Failure.self))
  }

  /// `zip(with:)` with a stream that cannot fail.
  @inlinable @_disfavoredOverload
  public func zip<Other: StreamProtocol>(
    with other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Never {
    zip(with: other.setFailureType(to: Failure.self))
  }

  /// `merge(with:)` with a stream that cannot fail.
  @inlinable @_disfavoredOverload
  public func merge<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Never { merge(with: other.setFailureType(to: Failure.self)) }

  /// `concat(with:)` with a stream that cannot fail.
  @inlinable @_disfavoredOverload
  public func concat<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Never { concat(with: other.setFailureType(to: Failure.self)) }

  /// `amb(with:)` with a stream that cannot fail.
  @inlinable @_disfavoredOverload
  public func amb<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Never { amb(with: other.setFailureType(to: Failure.self)) }

  /// `take(untilReplacement:)` with a stream that cannot fail.
  @inlinable @_disfavoredOverload
  public func take<Replacement: StreamProtocol>(
    untilReplacement replacement: Replacement
  ) -> Operation<Element, Failure> where Replacement.Element == Element, Replacement.Failure == Never {
    take(untilReplacement: replacement.setFailureType(to: Failure.self))
  }
}

extension StreamProtocol where Failure == Never {
  /// `combineLatest(with:)` with a stream that can fail.
  @inlinable @_disfavoredOverload
  public func combineLatest<Other: StreamProtocol>(
    with other: Other
  ) -> Operation<(Element, Other.Element), Other.Failure> {
    setFailureType(to: Other.Failure.self).combineLatest(with: other)
  }

  /// `zip(with:)` with a stream that can fail.
  @inlinable @_disfavoredOverload
  public func zip<Other: StreamProtocol>(with other: Other) -> Operation<(Element, Other.Element), Other.Failure> {
    setFailureType(to: Other.Failure.self).zip(with: other)
  }

  /// `withLatest(from:)` with a stream that can fail.
  @inlinable @_disfavoredOverload
  public func withLatest<Other: StreamProtocol>(
    from other: Other
  ) -> Operation<(Element, Other.Element), Other.Failure> {
    setFailureType(to: Other.Failure.self).withLatest(from: other)
  }

  /// `merge(with:)` with a stream that can fail.
  @inlinable @_disfavoredOverload
  public func merge<Other: StreamProtocol>(with other: Other) -> Operation<Element, Other.Failure>
  where Other.Element == Element { setFailureType(to: Other.Failure.self).merge(with: other) }

  /// `concat(with:)` with a stream that can fail.
  @inlinable @_disfavoredOverload
  public func concat<Other: StreamProtocol>(with other: Other) -> Operation<Element, Other.Failure>
  where Other.Element == Element { setFailureType(to: Other.Failure.self).concat(with: other) }

  /// `amb(with:)` with a stream that can fail.
  @inlinable @_disfavoredOverload
  public func amb<Other: StreamProtocol>(with other: Other) -> Operation<Element, Other.Failure>
  where Other.Element == Element { setFailureType(to: Other.Failure.self).amb(with: other) }

  /// `take(untilReplacement:)` with a stream that can fail.
  @inlinable @_disfavoredOverload
  public func take<Replacement: StreamProtocol>(
    untilReplacement replacement: Replacement
  ) -> Operation<Element, Replacement.Failure> where Replacement.Element == Element {
    setFailureType(to: Replacement.Failure.self).take(untilReplacement: replacement)
  }
}
