extension StreamProtocol {
  /// Drops the elements of this stream, and emits those of `next`, which is observed after the completion of this stream.
  ///
  /// ```swift
  /// let preparations = Stream.interval(.milliseconds(100)).take(3)
  /// preparations.then(Stream.just("ready")).observeNext { print($0) }.dispose(in: bag)
  /// ```
  ///
  /// A failure of either is delivered immediately. Pausing reaches the stream that runs.
  @inlinable
  public func then<Next: StreamProtocol>(_ next: Next) -> Operation<Next.Element, Failure>
  where Next.Failure == Failure {
    map { _ in Next.Element?.none }.concat(with: next.map { Optional($0) }).ignoreNil()
  }

  /// Emits the elements of `next`, which cannot fail, after the completion of this stream.
  @inlinable @_disfavoredOverload
  public func then<Next: StreamProtocol>(_ next: Next) -> Operation<Next.Element, Failure> where Next.Failure == Never {
    then(next.setFailureType(to: Failure.self))
  }
}

extension StreamProtocol where Failure == Never {
  /// Emits the elements of `next`, which can fail, after the completion of this stream.
  @inlinable @_disfavoredOverload
  public func then<Next: StreamProtocol>(_ next: Next) -> Operation<Next.Element, Next.Failure> {
    setFailureType(to: Next.Failure.self).then(next)
  }
}
