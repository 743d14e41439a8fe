extension StreamProtocol {
  /// What `next` sends, which is observed when this stream has completed; the elements of this stream are dropped.
  ///
  /// ```swift
  /// let preparations = Stream.interval(.milliseconds(100)).take(3)
  /// preparations.then(Stream.just("ready")).observeNext { print($0) }.dispose(in: bag)
  /// ```
  ///
  /// For work whose end alone matters. A failure of either passes at once. Pausing reaches the one that runs.
  @inlinable
  public func then<Next: StreamProtocol>(_ next: Next) -> Operation<Next.Element, Failure>
  where Next.Failure == Failure {
    map { _ in Next.Element?.none }.concat(with: next.map { Optional($0) }).ignoreNil()
  }

  /// What `next`, which cannot fail, sends once this stream has completed.
  @inlinable @_disfavoredOverload
  public func then<Next: StreamProtocol>(_ next: Next) -> Operation<Next.Element, Failure> where Next.Failure == Never {
    then(next.setFailureType(to: Failure.self))
  }
}

extension StreamProtocol where Failure == Never {
  /// What `next`, which may fail, sends once this stream has completed.
  @inlinable @_disfavoredOverload
  public func then<Next: StreamProtocol>(_ next: Next) -> Operation<Next.Element, Next.Failure> {
    setFailureType(to: Next.Failure.self).then(next)
  }
}
