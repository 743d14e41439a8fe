/// An element or the end of a stream, as one value.
///
/// ```swift
/// Stream.sequence(1...3).observe { event in
///   switch event {
///   case .next(let number): print(number)
///   case .completed: print("done")
///   }
/// }.dispose(in: bag)
/// ```
///
/// Streams call separate closures for elements and for the end, which is faster than one enum value for each element. Use
/// `Event` with `observe`, in tests, and to store events.
@frozen
public enum Event<Element, Failure: Error> {
  /// An element.
  case next(Element)
  /// The stream failed. No event follows.
  case failed(Failure)
  /// The stream completed. No event follows.
  case completed

  /// Creates the terminal event for `termination`.
  @inlinable
  public init(_ termination: Termination<Failure>) {
    switch termination {
    case .completed: self = .completed
    case .failed(let error): self = .failed(error)
    }
  }
}

extension Event: Sendable where Element: Sendable {}
extension Event: Equatable where Element: Equatable, Failure: Equatable {}
extension Event: Hashable where Element: Hashable, Failure: Hashable {}

extension Event {
  /// The element of `next`, or nil.
  @inlinable
  public var element: Element? {
    if case .next(let element) = self { return element }
    return nil
  }

  /// The error of `failed`, or nil.
  @inlinable
  public var error: Failure? {
    if case .failed(let error) = self { return error }
    return nil
  }

  /// True for `completed`.
  @inlinable
  public var isCompletion: Bool {
    if case .completed = self { return true }
    return false
  }

  /// True for `failed`.
  @inlinable
  public var isFailure: Bool { error != nil }

  /// True for `completed` and `failed`: no event follows this one.
  @inlinable
  public var isTermination: Bool {
    if case .next = self { return false }
    return true
  }

  /// Returns the event with its element, if it has one, transformed.
  @inlinable
  public func map<NewElement>(_ transform: (Element) -> NewElement) -> Event<NewElement, Failure> {
    switch self {
    case .next(let element): return .next(transform(element))
    case .failed(let error): return .failed(error)
    case .completed: return .completed
    }
  }

  /// Returns the event with its error, if it has one, transformed.
  @inlinable
  public func mapError<NewFailure: Error>(_ transform: (Failure) -> NewFailure) -> Event<Element, NewFailure> {
    switch self {
    case .next(let element): return .next(element)
    case .failed(let error): return .failed(transform(error))
    case .completed: return .completed
    }
  }
}

extension Event: CustomStringConvertible {
  /// `next(x)`, `failed(error)`, or `completed`.
  public var description: String {
    switch self {
    case .next(let element): return "next(\(element))"
    case .failed(let error): return "failed(\(error))"
    case .completed: return "completed"
    }
  }
}
