extension Operation {
  /// Creates an operation that calls an asynchronous closure, emits its result, and completes.
  ///
  /// ```swift
  /// let late = Stream<Int>.awaiting {
  ///   try? await Task.sleep(for: .seconds(1))
  ///   return 42
  /// }
  /// late.observeNext { print($0) }.dispose(in: bag)
  /// ```
  ///
  /// Each observer starts a task that calls the closure in the observer's isolation, and delivers there. Nothing is delivered before
  /// `observe` has returned. Fails with the error that the closure throws. Disposing cancels the task. While the observer is paused,
  /// the closure is not called, and a result that it has returned is held. A held result is disposed with the observer.
  ///
  /// Traps if it is observed anywhere but on a loop's thread, on the main actor, or in the actor that created it. The task retains an
  /// actor without a loop until the closure has returned.
  ///
  /// - Complexity: One task for each observer.
  /// - Parameters:
  ///   - isolation: The actor in which the task runs if there is no loop. Leave it out.
  ///   - work: A closure that returns the element. It runs again for each observer.
  public static func awaiting(
    isolation: isolated (any Actor)? = #isolation,
    _ work: nonisolated(nonsending) @escaping () async throws(Failure) -> Element
  ) -> Operation {
    Operation(Single(work), isolation: isolation)
  }
}

/// The sequence of one element that a closure returns.
private struct Single<Element, Failure: Error>: AsyncSequence {
  let work: nonisolated(nonsending) () async throws(Failure) -> Element

  init(_ work: nonisolated(nonsending) @escaping () async throws(Failure) -> Element) { self.work = work }

  func makeAsyncIterator() -> Iterator { Iterator(work: work) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var work: (nonisolated(nonsending) () async throws(Failure) -> Element)?

    mutating func next() async throws(Failure) -> Element? { try await next(isolation: #isolation) }

    mutating func next(isolation: isolated (any Actor)?) async throws(Failure) -> Element? {
      guard let work = work.take() else { return nil }
      return try await work()
    }
  }
}
