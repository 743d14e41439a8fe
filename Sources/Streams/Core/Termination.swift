/// How a stream ended: it completed, or it failed.
///
/// ```swift
/// Stream.sequence(1...3).observe(
///   next: { print($0) }, termination: { end in if case .completed = end { print("done") } }
/// ).dispose(in: bag)
/// ```
///
/// For a `Stream` (`Failure == Never`) only `completed` can be built.
@frozen
public enum Termination<Failure: Error> {
  /// The stream ended without an error.
  case completed
  /// The stream ended with an error.
  case failed(Failure)
}

extension Termination: Sendable {}
extension Termination: Equatable where Failure: Equatable {}
extension Termination: Hashable where Failure: Hashable {}

extension Termination {
  /// The error of a failure, or nil.
  @inlinable
  public var failure: Failure? {
    if case .failed(let error) = self { return error }
    return nil
  }
}
