// Combinations of two streams of which one cannot fail. The result has the failure type of the other one.

extension StreamProtocol {
  /// Emits the latest elements of this stream and of `other`, which cannot fail, each time one of them emits.
  @inlinable @_disfavoredOverload
  public func combineLatest<Other: StreamProtocol>(
    with other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Never {
    combineLatest(with: other.setFailureType(to: Failure.self))
  }

  /// Emits the first element of this stream with the first of `other`, which cannot fail, then the second ones, and so
  /// on.
  @inlinable @_disfavoredOverload
  public func zip<Other: StreamProtocol>(
    with other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Never {
    zip(with: other.setFailureType(to: Failure.self))
  }

  /// Emits the elements of this stream and of `other`, which cannot fail, as they are delivered.
  @inlinable @_disfavoredOverload
  public func merge<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Never { merge(with: other.setFailureType(to: Failure.self)) }

  /// Emits the elements of this stream, then those of `other`, which cannot fail.
  @inlinable @_disfavoredOverload
  public func concat<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Never { concat(with: other.setFailureType(to: Failure.self)) }

  /// Emits the elements of this stream or of `other`, which cannot fail: those of the stream that sends an event first.
  @inlinable @_disfavoredOverload
  public func amb<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Never { amb(with: other.setFailureType(to: Failure.self)) }

  /// Emits the elements until `replacement`, which cannot fail, sends an event, then forwards the events of
  /// `replacement`.
  @inlinable @_disfavoredOverload
  public func take<Replacement: StreamProtocol>(
    untilReplacement replacement: Replacement
  ) -> Operation<Element, Failure> where Replacement.Element == Element, Replacement.Failure == Never {
    take(untilReplacement: replacement.setFailureType(to: Failure.self))
  }
}

extension StreamProtocol where Failure == Never {
  /// Emits the latest elements of this stream and of `other`, which can fail, each time one of them emits.
  @inlinable @_disfavoredOverload
  public func combineLatest<Other: StreamProtocol>(
    with other: Other
  ) -> Operation<(Element, Other.Element), Other.Failure> {
    setFailureType(to: Other.Failure.self).combineLatest(with: other)
  }

  /// Emits the first element of this stream with the first of `other`, which can fail, then the second ones, and so on.
  @inlinable @_disfavoredOverload
  public func zip<Other: StreamProtocol>(with other: Other) -> Operation<(Element, Other.Element), Other.Failure> {
    setFailureType(to: Other.Failure.self).zip(with: other)
  }

  /// Emits each element of this stream with the latest element of `other`, which can fail.
  @inlinable @_disfavoredOverload
  public func withLatest<Other: StreamProtocol>(
    from other: Other
  ) -> Operation<(Element, Other.Element), Other.Failure> {
    setFailureType(to: Other.Failure.self).withLatest(from: other)
  }

  /// Emits the elements of this stream and of `other`, which can fail, as they are delivered.
  @inlinable @_disfavoredOverload
  public func merge<Other: StreamProtocol>(with other: Other) -> Operation<Element, Other.Failure>
  where Other.Element == Element { setFailureType(to: Other.Failure.self).merge(with: other) }

  /// Emits the elements of this stream, then those of `other`, which can fail.
  @inlinable @_disfavoredOverload
  public func concat<Other: StreamProtocol>(with other: Other) -> Operation<Element, Other.Failure>
  where Other.Element == Element { setFailureType(to: Other.Failure.self).concat(with: other) }

  /// Emits the elements of this stream or of `other`, which can fail: those of the stream that sends an event first.
  @inlinable @_disfavoredOverload
  public func amb<Other: StreamProtocol>(with other: Other) -> Operation<Element, Other.Failure>
  where Other.Element == Element { setFailureType(to: Other.Failure.self).amb(with: other) }

  /// Emits the elements until `replacement`, which can fail, sends an event, then forwards the events of `replacement`.
  @inlinable @_disfavoredOverload
  public func take<Replacement: StreamProtocol>(
    untilReplacement replacement: Replacement
  ) -> Operation<Element, Replacement.Failure> where Replacement.Element == Element {
    setFailureType(to: Replacement.Failure.self).take(untilReplacement: replacement)
  }
}
