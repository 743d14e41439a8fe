// Written by Scripts/generate-arities. Change that script instead of this file.

/// Emits the elements of two streams with one type of failure as they are delivered.
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  .merge([a.toOperation(), b.toOperation()])
}

/// Emits the elements of two streams, of which `a` cannot fail, as they are delivered.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  merge(a.setFailureType(to: Failure.self), b)
}

/// Emits the elements of two streams, of which `b` cannot fail, as they are delivered.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  merge(a, b.setFailureType(to: Failure.self))
}

/// Emits the elements of three streams with one type of failure as they are delivered.
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  .merge([a.toOperation(), b.toOperation(), c.toOperation()])
}

/// Emits the elements of three streams, of which `a` cannot fail, as they are delivered.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  merge(a.setFailureType(to: Failure.self), b, c)
}

/// Emits the elements of three streams, of which `b` cannot fail, as they are delivered.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  merge(a, b.setFailureType(to: Failure.self), c)
}

/// Emits the elements of three streams, of which `c` cannot fail, as they are delivered.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  merge(a, b, c.setFailureType(to: Failure.self))
}

/// Emits the elements of three streams, of which `a` and `b` cannot fail, as they are delivered.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  merge(a.setFailureType(to: Failure.self), b.setFailureType(to: Failure.self), c)
}

/// Emits the elements of three streams, of which `a` and `c` cannot fail, as they are delivered.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  merge(a.setFailureType(to: Failure.self), b, c.setFailureType(to: Failure.self))
}

/// Emits the elements of three streams, of which `b` and `c` cannot fail, as they are delivered.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  merge(a, b.setFailureType(to: Failure.self), c.setFailureType(to: Failure.self))
}

/// Observes two streams with one type of failure and emits the elements of the one that sends an event first.
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  .race([a.toOperation(), b.toOperation()])
}

/// Observes two streams, of which `a` cannot fail, and emits the elements of the one that sends an event first.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  race(a.setFailureType(to: Failure.self), b)
}

/// Observes two streams, of which `b` cannot fail, and emits the elements of the one that sends an event first.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  race(a, b.setFailureType(to: Failure.self))
}

/// Observes three streams with one type of failure and emits the elements of the one that sends an event first.
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  .race([a.toOperation(), b.toOperation(), c.toOperation()])
}

/// Observes three streams, of which `a` cannot fail, and emits the elements of the one that sends an event first.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  race(a.setFailureType(to: Failure.self), b, c)
}

/// Observes three streams, of which `b` cannot fail, and emits the elements of the one that sends an event first.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  race(a, b.setFailureType(to: Failure.self), c)
}

/// Observes three streams, of which `c` cannot fail, and emits the elements of the one that sends an event first.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  race(a, b, c.setFailureType(to: Failure.self))
}

/// Observes three streams, of which `a` and `b` cannot fail, and emits the elements of the one that sends an event first.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  race(a.setFailureType(to: Failure.self), b.setFailureType(to: Failure.self), c)
}

/// Observes three streams, of which `a` and `c` cannot fail, and emits the elements of the one that sends an event first.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  race(a.setFailureType(to: Failure.self), b, c.setFailureType(to: Failure.self))
}

/// Observes three streams, of which `b` and `c` cannot fail, and emits the elements of the one that sends an event first.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  race(a, b.setFailureType(to: Failure.self), c.setFailureType(to: Failure.self))
}
