/// A hot stream into which you push.
///
/// What is sent after the end is ignored. `next` and `terminate` are all that a subject has to provide; the rest follows.
///
/// ```swift
/// func log(_ line: String, to subject: any SubjectProtocol<String, Never>) { subject.next(line) }
/// ```
public protocol SubjectProtocol<Element, Failure>: AnyObject, StreamProtocol {
  /// Delivers an element to all observers.
  func next(_ element: Element)

  /// Ends the stream as `termination` says.
  func terminate(_ termination: Termination<Failure>)
}

extension SubjectProtocol {
  /// Ends the stream regularly.
  @inlinable
  public func completed() { terminate(.completed) }

  /// Ends the stream with an error.
  @inlinable
  public func failed(_ error: Failure) { terminate(.failed(error)) }

  /// Delivers an element or the end.
  @inlinable
  public func send(_ event: Event<Element, Failure>) {
    switch event {
    case .next(let element): next(element)
    case .failed(let error): failed(error)
    case .completed: completed()
    }
  }
}

extension SubjectProtocol where Element == Void {
  /// Delivers the empty element.
  @inlinable
  public func next() { next(()) }
}

/// A subject whose type is forgotten.
public typealias AnySubject<Element, Failure: Error> = any SubjectProtocol<Element, Failure>

/// The subject that remembers nothing: the name under which other libraries know `PushOperation`.
public typealias PublishSubject<Element, Failure: Error> = PushOperation<Element, Failure>
