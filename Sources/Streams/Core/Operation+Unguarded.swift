extension Operation {
  /// Creates an operation from a source that keeps the contracts itself. For the other modules of the package.
  @inlinable
  package static func unguarded(
    _ producer: @escaping (Observer<Element, Failure>) -> any Disposable
  ) -> Operation { Operation(unguarded: producer) }
}
