/// A hot stream that you send to.
///
/// Events after the end are ignored. A conforming type implements `next` and `terminate`. The other methods have default
/// implementations.
///
/// ```swift
/// func log(_ line: String, to subject: any SubjectProtocol<String, Never>) { subject.next(line) }
/// ```
public protocol SubjectProtocol<Element, Failure>: AnyObject, StreamProtocol {
  /// Delivers an element to all observers.
  func next(_ element: Element)

  /// Completes or fails the stream.
  func terminate(_ termination: Termination<Failure>)
}

extension SubjectProtocol {
  /// Completes the stream.
  @inlinable
  public func completed() { terminate(.completed) }

  /// Fails the stream.
  @inlinable
  public func failed(_ error: Failure) { terminate(.failed(error)) }

  /// Delivers an event.
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

/// A type-erased subject.
public typealias AnySubject<Element, Failure: Error> = any SubjectProtocol<Element, Failure>

/// A subject that replays nothing: the usual name of `PushOperation` in other libraries.
public typealias PublishSubject<Element, Failure: Error> = PushOperation<Element, Failure>
