extension Operation {
  /// Makes an operation out of the entry of a source that keeps the contracts by itself. For the modules on top.
  @inlinable
  package static func unguarded(
    _ producer: @escaping (Observer<Element, Failure>) -> any Disposable
  ) -> Operation { Operation(unguarded: producer) }
}
