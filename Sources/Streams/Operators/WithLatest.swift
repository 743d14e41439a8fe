extension StreamProtocol {
  /// Emits each element of this stream with the latest element of `other`.
  ///
  /// `other` is observed first. Elements before the first one of `other` are dropped. Completes when this stream completes. A failure of
  /// either is delivered immediately. Pausing reaches both. Holds one element of `other`.
  @inlinable
  public func withLatest<Other: StreamProtocol>(
    from other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Failure {
    Operation(unguarded: { observer in
      let state = Until(observer)
      let latest = Newest<Other.Element>()
      state.trigger.connect(
        other, next: { latest.replace(with: $0) }, termination: { if case .failed = $0 { state.finish($0) } })
      if state.exit.isDisposed { return state.exit }
      state.link.connect(
        self, next: { if let value = latest.take() { state.exit.next(($0, value)) } },
        termination: { state.finish($0) })
      return state.exit
    })
  }

  /// Emits each element of this stream with the latest element of `other`, which cannot fail.
  @inlinable @_disfavoredOverload
  public func withLatest<Other: StreamProtocol>(
    from other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Never {
    withLatest(from: other.setFailureType(to: Failure.self))
  }
}
