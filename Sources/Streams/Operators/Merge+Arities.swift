// Written by Scripts/generate-arities. Change that script instead of this file.

/// The elements, as they come, of two streams that fail in the same way.
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  .merge([a.toOperation(), b.toOperation()])
}

/// The elements, as they come, of two streams, among them `a`, which cannot fail.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  merge(a.setFailureType(to: Failure.self), b)
}

/// The elements, as they come, of two streams, among them `b`, which cannot fail.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  merge(a, b.setFailureType(to: Failure.self))
}

/// The elements, as they come, of three streams that fail in the same way.
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  .merge([a.toOperation(), b.toOperation(), c.toOperation()])
}

/// The elements, as they come, of three streams, among them `a`, which cannot fail.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  merge(a.setFailureType(to: Failure.self), b, c)
}

/// The elements, as they come, of three streams, among them `b`, which cannot fail.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  merge(a, b.setFailureType(to: Failure.self), c)
}

/// The elements, as they come, of three streams, among them `c`, which cannot fail.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  merge(a, b, c.setFailureType(to: Failure.self))
}

/// The elements, as they come, of three streams, among them `a` and `b`, which cannot fail.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  merge(a.setFailureType(to: Failure.self), b.setFailureType(to: Failure.self), c)
}

/// The elements, as they come, of three streams, among them `a` and `c`, which cannot fail.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  merge(a.setFailureType(to: Failure.self), b, c.setFailureType(to: Failure.self))
}

/// The elements, as they come, of three streams, among them `b` and `c`, which cannot fail.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  merge(a, b.setFailureType(to: Failure.self), c.setFailureType(to: Failure.self))
}

/// The one that sends anything first, an element or its end, of two streams that fail in the same way.
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  .race([a.toOperation(), b.toOperation()])
}

/// The one that sends anything first, an element or its end, of two streams, among them `a`, which cannot fail.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  race(a.setFailureType(to: Failure.self), b)
}

/// The one that sends anything first, an element or its end, of two streams, among them `b`, which cannot fail.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  race(a, b.setFailureType(to: Failure.self))
}

/// The one that sends anything first, an element or its end, of three streams that fail in the same way.
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  .race([a.toOperation(), b.toOperation(), c.toOperation()])
}

/// The one that sends anything first, an element or its end, of three streams, among them `a`, which cannot fail.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  race(a.setFailureType(to: Failure.self), b, c)
}

/// The one that sends anything first, an element or its end, of three streams, among them `b`, which cannot fail.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  race(a, b.setFailureType(to: Failure.self), c)
}

/// The one that sends anything first, an element or its end, of three streams, among them `c`, which cannot fail.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  race(a, b, c.setFailureType(to: Failure.self))
}

/// The one that sends anything first, an element or its end, of three streams, among them `a` and `b`, which cannot fail.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Failure>
) -> Operation<Element, Failure> {
  race(a.setFailureType(to: Failure.self), b.setFailureType(to: Failure.self), c)
}

/// The one that sends anything first, an element or its end, of three streams, among them `a` and `c`, which cannot fail.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Never>,
  _ b: some StreamProtocol<Element, Failure>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  race(a.setFailureType(to: Failure.self), b, c.setFailureType(to: Failure.self))
}

/// The one that sends anything first, an element or its end, of three streams, among them `b` and `c`, which cannot fail.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ a: some StreamProtocol<Element, Failure>,
  _ b: some StreamProtocol<Element, Never>,
  _ c: some StreamProtocol<Element, Never>
) -> Operation<Element, Failure> {
  race(a, b.setFailureType(to: Failure.self), c.setFailureType(to: Failure.self))
}
