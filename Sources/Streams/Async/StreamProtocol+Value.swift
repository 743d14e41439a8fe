/// The stream that was asked for a value has completed without one.
///
/// ```swift
/// do {
///   print(try await Stream<Int>.completed().value)
/// } catch { print(error) }
/// ```
public struct StreamEnded: Error, Hashable, CustomStringConvertible {
  /// Makes one.
  public init() {}

  /// A sentence that says so.
  public var description: String { "The stream has completed without an element." }
}

extension Operation {
  /// The first element: `try await operation.value`. The source is disposed as soon as it has come.
  ///
  /// Throws the failure if the operation fails first, `StreamEnded` if it completes without an element, and
  /// `CancellationError` if the task is cancelled first, which disposes of the source.
  ///
  /// It observes the operation anew each time, in the caller's isolation. The element need not be Sendable.
  public var value: Element {
    get async throws {
      if let element = try await firstValue() { return element }
      try Task.checkCancellation()
      throw StreamEnded()
    }
  }
}

extension StreamProtocol {
  /// The first element, or nil if the stream completes without one or the task is cancelled first.
  ///
  /// Throws the failure if the operation fails first; a `Stream` does not throw. The source is disposed as soon as the
  /// element has come, and on cancellation. It observes the stream anew each time, in the caller's isolation.
  public func firstValue() async throws(Failure) -> Element? {
    if Task.isCancelled { return nil }
    var iterator = take(1).values(.unbounded).makeAsyncIterator()
    return try await iterator.next()
  }
}
