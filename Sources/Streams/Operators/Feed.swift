extension StreamProtocol {
  /// Sends each element to `subject` before it is forwarded. The stream retains `subject`.
  @inlinable
  public func feedNextInto<Subject: SubjectProtocol>(_ subject: Subject) -> Operation<Element, Failure>
  where Subject.Element == Element {
    doOn(next: { subject.next($0) })
  }

  /// Sends the result of `map` for each element for which `isFed` returns true to `subject`, before the element is forwarded.
  @inlinable
  public func feedNextInto<Subject: SubjectProtocol>(
    _ subject: Subject, when isFed: @escaping (Element) -> Bool = { _ in true },
    map: @escaping (Element) -> Subject.Element
  ) -> Operation<Element, Failure> {
    doOn(next: { if isFed($0) { subject.next(map($0)) } })
  }

  /// Sends the error of a failure to `subject` before the failure is forwarded. The stream retains `subject`.
  @inlinable
  public func feedErrorInto<Subject: SubjectProtocol>(_ subject: Subject) -> Operation<Element, Failure>
  where Subject.Element == Failure {
    doOn(failed: { subject.next($0) })
  }

  /// Sends true to `subject` when the stream is observed, and false when it has ended or was disposed.
  @inlinable
  public func feedActivityInto<Subject: SubjectProtocol>(_ subject: Subject) -> Operation<Element, Failure>
  where Subject.Element == Bool {
    doOn(start: { subject.next(true) }, disposed: { subject.next(false) })
  }

  /// Sends all events to `subject`, including the end, before they are forwarded.
  @inlinable
  public func feedInto<Subject: SubjectProtocol>(_ subject: Subject) -> Operation<Element, Failure>
  where Subject.Element == Element, Subject.Failure == Failure {
    doOn(
      next: { subject.next($0) }, completed: { subject.completed() }, failed: { subject.failed($0) })
  }
}
