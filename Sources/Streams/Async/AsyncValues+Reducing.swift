// The standard library's versions run outside the caller's isolation, which needs a Sendable sequence with Sendable elements. These
// run in the caller's isolation, also with the default settings of Swift 6.

extension AsyncValues {
  /// Accumulates the elements in `result`, which `update` changes in place, and returns it when the stream completes.
  ///
  /// Throws the failure if the stream fails. If the task is canceled, returns the result of the elements that were
  /// delivered before.
  public func reduce<Result>(
    into result: Result, isolation: isolated (any Actor)? = #isolation, _ update: (inout Result, Element) -> Void
  ) async throws(Failure) -> Result {
    var result = result
    var iterator = makeAsyncIterator()
    while let element = try await iterator.next(isolation: isolation) { update(&result, element) }
    return result
  }

  /// Accumulates the elements in `result`, which `update` changes in place, and returns it when the stream completes.
  ///
  /// Throws the failure if the stream fails. The first error that `update` throws ends the subscription and is thrown.
  @_disfavoredOverload
  public func reduce<Result>(
    into result: Result, isolation: isolated (any Actor)? = #isolation, _ update: (inout Result, Element) throws -> Void
  ) async throws -> Result {
    var result = result
    var iterator = makeAsyncIterator()
    while let element = try await iterator.next(isolation: isolation) { try update(&result, element) }
    return result
  }

  /// Combines `initial` with each element by `combine`, and returns the last result when the stream completes.
  ///
  /// Throws the failure if the stream fails. If the task is canceled, returns the result of the elements that were
  /// delivered before.
  public func reduce<Result>(
    _ initial: Result, isolation: isolated (any Actor)? = #isolation, _ combine: (Result, Element) -> Result
  ) async throws(Failure) -> Result {
    try await reduce(into: initial, isolation: isolation) { $0 = combine($0, $1) }
  }

  /// Combines `initial` with each element by `combine`, and returns the last result when the stream completes.
  ///
  /// Throws the failure if the stream fails. The first error that `combine` throws ends the subscription and is thrown.
  @_disfavoredOverload
  public func reduce<Result>(
    _ initial: Result, isolation: isolated (any Actor)? = #isolation, _ combine: (Result, Element) throws -> Result
  ) async throws -> Result {
    try await reduce(into: initial, isolation: isolation) { $0 = try combine($0, $1) }
  }

  /// Returns the first element for which `predicate` is true, and ends the subscription; nil if the stream completes without
  /// one.
  ///
  /// Throws the failure if the stream fails first.
  public func first(
    isolation: isolated (any Actor)? = #isolation, where predicate: (Element) -> Bool
  ) async throws(Failure) -> Element? {
    var iterator = makeAsyncIterator()
    while let element = try await iterator.next(isolation: isolation) {
      if predicate(element) { return element }
    }
    return nil
  }

  /// Returns true at the first element for which `predicate` is true, and ends the subscription; false if the stream completes
  /// without one.
  ///
  /// Throws the failure if the stream fails first.
  public func contains(
    isolation: isolated (any Actor)? = #isolation, where predicate: (Element) -> Bool
  ) async throws(Failure) -> Bool {
    try await first(isolation: isolation, where: predicate) != nil
  }

  /// Returns false at the first element for which `predicate` is false, and ends the subscription; true if the stream completes
  /// without one.
  ///
  /// Throws the failure if the stream fails first.
  public func allSatisfy(
    isolation: isolated (any Actor)? = #isolation, _ predicate: (Element) -> Bool
  ) async throws(Failure) -> Bool {
    try await first(isolation: isolation, where: { !predicate($0) }) == nil
  }

  /// Returns the least element by `areInIncreasingOrder`, the first of equals; nil if there is none.
  ///
  /// Throws the failure if the stream fails.
  public func min(
    isolation: isolated (any Actor)? = #isolation, by areInIncreasingOrder: (Element, Element) -> Bool
  ) async throws(Failure) -> Element? {
    try await reduce(into: Element?.none, isolation: isolation) { least, element in
      if least.map({ areInIncreasingOrder(element, $0) }) ?? true { least = element }
    }
  }

  /// Returns the greatest element by `areInIncreasingOrder`, the first of equals; nil if there is none.
  ///
  /// Throws the failure if the stream fails.
  public func max(
    isolation: isolated (any Actor)? = #isolation, by areInIncreasingOrder: (Element, Element) -> Bool
  ) async throws(Failure) -> Element? {
    try await reduce(into: Element?.none, isolation: isolation) { greatest, element in
      if greatest.map({ areInIncreasingOrder($0, element) }) ?? true { greatest = element }
    }
  }
}

extension AsyncValues where Element: Equatable {
  /// Returns true at the first element that equals `search`, and ends the subscription; false if the stream completes without
  /// one.
  ///
  /// Throws the failure if the stream fails first.
  public func contains(
    _ search: Element, isolation: isolated (any Actor)? = #isolation
  ) async throws(Failure) -> Bool {
    try await contains(isolation: isolation, where: { $0 == search })
  }
}

extension AsyncValues where Element: Comparable {
  /// Returns the least element, the first of equals; nil if there is none.
  ///
  /// Throws the failure if the stream fails.
  public func min(isolation: isolated (any Actor)? = #isolation) async throws(Failure) -> Element? {
    try await min(isolation: isolation, by: <)
  }

  /// Returns the greatest element, the first of equals; nil if there is none.
  ///
  /// Throws the failure if the stream fails.
  public func max(isolation: isolated (any Actor)? = #isolation) async throws(Failure) -> Element? {
    try await max(isolation: isolation, by: <)
  }
}
