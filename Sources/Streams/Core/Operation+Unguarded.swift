extension Operation {
  /// Creates an operation from a source that keeps the contracts itself. For the other modules of the package.
  @inlinable
  package static func unguarded(
    name: StaticString? = #function, _ producer: @escaping (Observer<Element, Failure>) -> any Disposable
  ) -> Operation { Operation(name: name, unguarded: producer) }
}
