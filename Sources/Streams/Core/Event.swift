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
/// Streams do not deliver events as values: that would cost a generic enum for each element. `Event` is the form for
/// `observe`, for tests and for storing what happened.
@frozen
public enum Event<Element, Failure: Error> {
  /// An element.
  case next(Element)
  /// The end after an error. Nothing follows.
  case failed(Failure)
  /// The regular end. Nothing follows.
  case completed

  /// Makes the event that ends a stream as `termination` says.
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

  /// The same event with its element, if it has one, transformed.
  @inlinable
  public func map<NewElement>(_ transform: (Element) -> NewElement) -> Event<NewElement, Failure> {
    switch self {
    case .next(let element): return .next(transform(element))
    case .failed(let error): return .failed(error)
    case .completed: return .completed
    }
  }

  /// The same event with its error, if it has one, transformed.
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
  /// `next(x)`, `failed(error)` or `completed`.
  public var description: String {
    switch self {
    case .next(let element): return "next(\(element))"
    case .failed(let error): return "failed(\(error))"
    case .completed: return "completed"
    }
  }
}
