extension StreamProtocol {
  /// Sends each element to `subject` too, before it is passed on. The stream holds `subject`.
  @inlinable
  public func feedNextInto<Subject: SubjectProtocol>(_ subject: Subject) -> Operation<Element, Failure>
  where Subject.Element == Element {
    doOn(next: { subject.next($0) })
  }

  /// Sends what `map` makes of each element for which `isFed` says true to `subject`, before the element is passed on.
  @inlinable
  public func feedNextInto<Subject: SubjectProtocol>(
    _ subject: Subject, when isFed: @escaping (Element) -> Bool = { _ in true },
    map: @escaping (Element) -> Subject.Element
  ) -> Operation<Element, Failure> {
    doOn(next: { if isFed($0) { subject.next(map($0)) } })
  }

  /// Sends the error to `subject` too, before the failure is passed on. The stream holds `subject`.
  @inlinable
  public func feedErrorInto<Subject: SubjectProtocol>(_ subject: Subject) -> Operation<Element, Failure>
  where Subject.Element == Failure {
    doOn(failed: { subject.next($0) })
  }

  /// Sends true to `subject` when the stream is observed and false when it has ended or has been disposed of.
  @inlinable
  public func feedActivityInto<Subject: SubjectProtocol>(_ subject: Subject) -> Operation<Element, Failure>
  where Subject.Element == Bool {
    doOn(start: { subject.next(true) }, disposed: { subject.next(false) })
  }

  /// Sends all events to `subject` too, the end included, before they are passed on.
  @inlinable
  public func feedInto<Subject: SubjectProtocol>(_ subject: Subject) -> Operation<Element, Failure>
  where Subject.Element == Element, Subject.Failure == Failure {
    doOn(
      next: { subject.next($0) }, completed: { subject.completed() }, failed: { subject.failed($0) })
  }
}
