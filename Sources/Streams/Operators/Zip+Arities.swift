// Written by Scripts/generate-arities. Change that script instead of this file.

/// Emits the first elements of two streams as one tuple, then the second ones, and so on.
///
/// Observes the streams in order. A stream that is ahead is paused at `Watermarks.standard` pending elements. Completes as soon as no further
/// tuple is possible: when one stream has completed and all its elements were emitted. A failure is delivered immediately, drops the
/// pending elements, and disposes the others. Pausing reaches all.
public func zip<A, B, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>
) -> Operation<(A, B), Failure> {
  zipPack(a.toOperation(), b.toOperation())
}

/// Emits the first elements of three streams as one tuple, then the second ones, and so on.
///
/// Observes the streams in order. A stream that is ahead is paused at `Watermarks.standard` pending elements. Completes as soon as no further
/// tuple is possible: when one stream has completed and all its elements were emitted. A failure is delivered immediately, drops the
/// pending elements, and disposes the others. Pausing reaches all.
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  zipPack(a.toOperation(), b.toOperation(), c.toOperation())
}

/// Emits the first elements of four streams as one tuple, then the second ones, and so on.
///
/// Observes the streams in order. A stream that is ahead is paused at `Watermarks.standard` pending elements. Completes as soon as no further
/// tuple is possible: when one stream has completed and all its elements were emitted. A failure is delivered immediately, drops the
/// pending elements, and disposes the others. Pausing reaches all.
public func zip<A, B, C, D, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>
) -> Operation<(A, B, C, D), Failure> {
  zipPack(a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation())
}

/// Emits the first elements of five streams as one tuple, then the second ones, and so on.
///
/// Observes the streams in order. A stream that is ahead is paused at `Watermarks.standard` pending elements. Completes as soon as no further
/// tuple is possible: when one stream has completed and all its elements were emitted. A failure is delivered immediately, drops the
/// pending elements, and disposes the others. Pausing reaches all.
public func zip<A, B, C, D, E, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>,
  _ e: some StreamProtocol<E, Failure>
) -> Operation<(A, B, C, D, E), Failure> {
  zipPack(a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation(), e.toOperation())
}

/// Emits the first elements of six streams as one tuple, then the second ones, and so on.
///
/// Observes the streams in order. A stream that is ahead is paused at `Watermarks.standard` pending elements. Completes as soon as no further
/// tuple is possible: when one stream has completed and all its elements were emitted. A failure is delivered immediately, drops the
/// pending elements, and disposes the others. Pausing reaches all.
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

/// Emits the first elements of seven streams as one tuple, then the second ones, and so on.
///
/// Observes the streams in order. A stream that is ahead is paused at `Watermarks.standard` pending elements. Completes as soon as no further
/// tuple is possible: when one stream has completed and all its elements were emitted. A failure is delivered immediately, drops the
/// pending elements, and disposes the others. Pausing reaches all.
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

/// Emits the first elements of eight streams as one tuple, then the second ones, and so on.
///
/// Observes the streams in order. A stream that is ahead is paused at `Watermarks.standard` pending elements. Completes as soon as no further
/// tuple is possible: when one stream has completed and all its elements were emitted. A failure is delivered immediately, drops the
/// pending elements, and disposes the others. Pausing reaches all.
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

/// Emits the first elements of two streams, of which `a` cannot fail, as one tuple, then the second ones, and so on.
@_disfavoredOverload
public func zip<A, B, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Failure>
) -> Operation<(A, B), Failure> {
  zip(a.setFailureType(to: Failure.self), b)
}

/// Emits the first elements of two streams, of which `b` cannot fail, as one tuple, then the second ones, and so on.
@_disfavoredOverload
public func zip<A, B, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Never>
) -> Operation<(A, B), Failure> {
  zip(a, b.setFailureType(to: Failure.self))
}

/// Emits the first elements of three streams, of which `a` cannot fail, as one tuple, then the second ones, and so on.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  zip(a.setFailureType(to: Failure.self), b, c)
}

/// Emits the first elements of three streams, of which `b` cannot fail, as one tuple, then the second ones, and so on.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Never>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  zip(a, b.setFailureType(to: Failure.self), c)
}

/// Emits the first elements of three streams, of which `c` cannot fail, as one tuple, then the second ones, and so on.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Never>
) -> Operation<(A, B, C), Failure> {
  zip(a, b, c.setFailureType(to: Failure.self))
}

/// Emits the first elements of three streams, of which `a` and `b` cannot fail, as one tuple, then the second ones, and so on.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Never>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  zip(a.setFailureType(to: Failure.self), b.setFailureType(to: Failure.self), c)
}

/// Emits the first elements of three streams, of which `a` and `c` cannot fail, as one tuple, then the second ones, and so on.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Never>
) -> Operation<(A, B, C), Failure> {
  zip(a.setFailureType(to: Failure.self), b, c.setFailureType(to: Failure.self))
}

/// Emits the first elements of three streams, of which `b` and `c` cannot fail, as one tuple, then the second ones, and so on.
@_disfavoredOverload
public func zip<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Never>,
  _ c: some StreamProtocol<C, Never>
) -> Operation<(A, B, C), Failure> {
  zip(a, b.setFailureType(to: Failure.self), c.setFailureType(to: Failure.self))
}
