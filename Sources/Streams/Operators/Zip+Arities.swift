// Written by Scripts/generate-arities. Change that script instead of this file.

/// The first elements of two streams as one tuple, then the second ones, and so on.
///
/// The streams are observed in order. Elements that wait for the others are held: up to `BacklogBound.zip` of each stream,
/// which is paused there. Completes as soon as no further tuple is possible: when one has completed and all its elements
/// have been emitted. A failure passes at once, drops the elements that wait, and disposes the others. Pausing reaches all.
public func zip<A, B, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>
) -> Operation<(A, B), Failure> {
  zipPack(a.toOperation(), b.toOperation())
}

/// The first elements of three streams as one tuple, then the second ones, and so on.
///
/// The streams are observed in order. Elements that wait for the others are held: up to `BacklogBound.zip` of each stream,
/// which is paused there. Completes as soon as no further tuple is possible: when one has completed and all its elements
/// have been emitted. A failure passes at once, drops the elements that wait, and disposes the others. Pausing reaches all.
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  zipPack(a.toOperation(), b.toOperation(), c.toOperation())
}

/// The first elements of four streams as one tuple, then the second ones, and so on.
///
/// The streams are observed in order. Elements that wait for the others are held: up to `BacklogBound.zip` of each stream,
/// which is paused there. Completes as soon as no further tuple is possible: when one has completed and all its elements
/// have been emitted. A failure passes at once, drops the elements that wait, and disposes the others. Pausing reaches all.
public func zip<A, B, C, D, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>
) -> Operation<(A, B, C, D), Failure> {
  zipPack(a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation())
}

/// The first elements of five streams as one tuple, then the second ones, and so on.
///
/// The streams are observed in order. Elements that wait for the others are held: up to `BacklogBound.zip` of each stream,
/// which is paused there. Completes as soon as no further tuple is possible: when one has completed and all its elements
/// have been emitted. A failure passes at once, drops the elements that wait, and disposes the others. Pausing reaches all.
public func zip<A, B, C, D, E, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>,
  _ e: some StreamProtocol<E, Failure>
) -> Operation<(A, B, C, D, E), Failure> {
  zipPack(a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation(), e.toOperation())
}

/// The first elements of six streams as one tuple, then the second ones, and so on.
///
/// The streams are observed in order. Elements that wait for the others are held: up to `BacklogBound.zip` of each stream,
/// which is paused there. Completes as soon as no further tuple is possible: when one has completed and all its elements
/// have been emitted. A failure passes at once, drops the elements that wait, and disposes the others. Pausing reaches all.
public func zip<A, B, C, D, E, F, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>,
  _ e: some StreamProtocol<E, Failure>,
  _ f: some StreamProtocol<F, Failure>
) -> Operation<(A, B, C, D, E, F), Failure> {
  zipPack(a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation(), e.toOperation(), f.toOperation())
}

/// The first elements of seven streams as one tuple, then the second ones, and so on.
///
/// The streams are observed in order. Elements that wait for the others are held: up to `BacklogBound.zip` of each stream,
/// which is paused there. Completes as soon as no further tuple is possible: when one has completed and all its elements
/// have been emitted. A failure passes at once, drops the elements that wait, and disposes the others. Pausing reaches all.
public func zip<A, B, C, D, E, F, G, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>,
  _ e: some StreamProtocol<E, Failure>,
  _ f: some StreamProtocol<F, Failure>,
  _ g: some StreamProtocol<G, Failure>
) -> Operation<(A, B, C, D, E, F, G), Failure> {
  zipPack(
    a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation(), e.toOperation(), f.toOperation(),
    g.toOperation())
}

/// The first elements of eight streams as one tuple, then the second ones, and so on.
///
/// The streams are observed in order. Elements that wait for the others are held: up to `BacklogBound.zip` of each stream,
/// which is paused there. Completes as soon as no further tuple is possible: when one has completed and all its elements
/// have been emitted. A failure passes at once, drops the elements that wait, and disposes the others. Pausing reaches all.
public func zip<A, B, C, D, E, F, G, H, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>,
  _ e: some StreamProtocol<E, Failure>,
  _ f: some StreamProtocol<F, Failure>,
  _ g: some StreamProtocol<G, Failure>,
  _ h: some StreamProtocol<H, Failure>
) -> Operation<(A, B, C, D, E, F, G, H), Failure> {
  zipPack(
    a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation(), e.toOperation(), f.toOperation(),
    g.toOperation(), h.toOperation())
}

/// `zip` of two streams, among them `a`, which cannot fail.
@_disfavoredOverload
public func zip<A, B, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Failure>
) -> Operation<(A, B), Failure> {
  zip(a.setFailureType(to: Failure.self), b)
}

/// `zip` of two streams, among them `b`, which cannot fail.
@_disfavoredOverload
public func zip<A, B, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Never>
) -> Operation<(A, B), Failure> {
  zip(a, b.setFailureType(to: Failure.self))
}

/// `zip` of three streams, among them `a`, which cannot fail.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  zip(a.setFailureType(to: Failure.self), b, c)
}

/// `zip` of three streams, among them `b`, which cannot fail.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Never>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  zip(a, b.setFailureType(to: Failure.self), c)
}

/// `zip` of three streams, among them `c`, which cannot fail.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Never>
) -> Operation<(A, B, C), Failure> {
  zip(a, b, c.setFailureType(to: Failure.self))
}

/// `zip` of three streams, among them `a` and `b`, which cannot fail.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Never>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  zip(a.setFailureType(to: Failure.self), b.setFailureType(to: Failure.self), c)
}

/// `zip` of three streams, among them `a` and `c`, which cannot fail.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Never>
) -> Operation<(A, B, C), Failure> {
  zip(a.setFailureType(to: Failure.self), b, c.setFailureType(to: Failure.self))
}

/// `zip` of three streams, among them `b` and `c`, which cannot fail.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Never>,
  _ c: some StreamProtocol<C, Never>
) -> Operation<(A, B, C), Failure> {
  zip(a, b.setFailureType(to: Failure.self), c.setFailureType(to: Failure.self))
}
