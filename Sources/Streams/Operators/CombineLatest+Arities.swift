// Written by Scripts/generate-arities. Change that script instead of this file.

/// Emits the latest elements of two streams as one tuple, each time one of them emits.
///
/// Observes the streams in order. The first tuple is emitted after each stream has emitted. Completes when all streams have completed, and as
/// soon as one completes without an element. A failure is delivered immediately and disposes the others. An element that is sent during a
/// delivery is delivered after it. Pausing reaches all. Holds one element of each stream.
public func combineLatest<A, B, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>
) -> Operation<(A, B), Failure> {
  combineLatestPack(a.toOperation(), b.toOperation())
}

/// Emits the latest elements of three streams as one tuple, each time one of them emits.
///
/// Observes the streams in order. The first tuple is emitted after each stream has emitted. Completes when all streams have completed, and as
/// soon as one completes without an element. A failure is delivered immediately and disposes the others. An element that is sent during a
/// delivery is delivered after it. Pausing reaches all. Holds one element of each stream.
public func combineLatest<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  combineLatestPack(a.toOperation(), b.toOperation(), c.toOperation())
}

/// Emits the latest elements of four streams as one tuple, each time one of them emits.
///
/// Observes the streams in order. The first tuple is emitted after each stream has emitted. Completes when all streams have completed, and as
/// soon as one completes without an element. A failure is delivered immediately and disposes the others. An element that is sent during a
/// delivery is delivered after it. Pausing reaches all. Holds one element of each stream.
public func combineLatest<A, B, C, D, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>
) -> Operation<(A, B, C, D), Failure> {
  combineLatestPack(a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation())
}

/// Emits the latest elements of five streams as one tuple, each time one of them emits.
///
/// Observes the streams in order. The first tuple is emitted after each stream has emitted. Completes when all streams have completed, and as
/// soon as one completes without an element. A failure is delivered immediately and disposes the others. An element that is sent during a
/// delivery is delivered after it. Pausing reaches all. Holds one element of each stream.
public func combineLatest<A, B, C, D, E, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>,
  _ e: some StreamProtocol<E, Failure>
) -> Operation<(A, B, C, D, E), Failure> {
  combineLatestPack(a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation(), e.toOperation())
}

/// Emits the latest elements of six streams as one tuple, each time one of them emits.
///
/// Observes the streams in order. The first tuple is emitted after each stream has emitted. Completes when all streams have completed, and as
/// soon as one completes without an element. A failure is delivered immediately and disposes the others. An element that is sent during a
/// delivery is delivered after it. Pausing reaches all. Holds one element of each stream.
public func combineLatest<A, B, C, D, E, F, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>,
  _ e: some StreamProtocol<E, Failure>,
  _ f: some StreamProtocol<F, Failure>
) -> Operation<(A, B, C, D, E, F), Failure> {
  combineLatestPack(
    a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation(), e.toOperation(), f.toOperation())
}

/// Emits the latest elements of seven streams as one tuple, each time one of them emits.
///
/// Observes the streams in order. The first tuple is emitted after each stream has emitted. Completes when all streams have completed, and as
/// soon as one completes without an element. A failure is delivered immediately and disposes the others. An element that is sent during a
/// delivery is delivered after it. Pausing reaches all. Holds one element of each stream.
public func combineLatest<A, B, C, D, E, F, G, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>,
  _ e: some StreamProtocol<E, Failure>,
  _ f: some StreamProtocol<F, Failure>,
  _ g: some StreamProtocol<G, Failure>
) -> Operation<(A, B, C, D, E, F, G), Failure> {
  combineLatestPack(
    a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation(), e.toOperation(), f.toOperation(),
    g.toOperation())
}

/// Emits the latest elements of eight streams as one tuple, each time one of them emits.
///
/// Observes the streams in order. The first tuple is emitted after each stream has emitted. Completes when all streams have completed, and as
/// soon as one completes without an element. A failure is delivered immediately and disposes the others. An element that is sent during a
/// delivery is delivered after it. Pausing reaches all. Holds one element of each stream.
public func combineLatest<A, B, C, D, E, F, G, H, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>,
  _ d: some StreamProtocol<D, Failure>,
  _ e: some StreamProtocol<E, Failure>,
  _ f: some StreamProtocol<F, Failure>,
  _ g: some StreamProtocol<G, Failure>,
  _ h: some StreamProtocol<H, Failure>
) -> Operation<(A, B, C, D, E, F, G, H), Failure> {
  combineLatestPack(
    a.toOperation(), b.toOperation(), c.toOperation(), d.toOperation(), e.toOperation(), f.toOperation(),
    g.toOperation(), h.toOperation())
}

/// Emits the latest elements of two streams, of which `a` cannot fail, as one tuple, each time one of them emits.
@_disfavoredOverload
public func combineLatest<A, B, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Failure>
) -> Operation<(A, B), Failure> {
  combineLatest(a.setFailureType(to: Failure.self), b)
}

/// Emits the latest elements of two streams, of which `b` cannot fail, as one tuple, each time one of them emits.
@_disfavoredOverload
public func combineLatest<A, B, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Never>
) -> Operation<(A, B), Failure> {
  combineLatest(a, b.setFailureType(to: Failure.self))
}

/// Emits the latest elements of three streams, of which `a` cannot fail, as one tuple, each time one of them emits.
@_disfavoredOverload
public func combineLatest<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  combineLatest(a.setFailureType(to: Failure.self), b, c)
}

/// Emits the latest elements of three streams, of which `b` cannot fail, as one tuple, each time one of them emits.
@_disfavoredOverload
public func combineLatest<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Never>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  combineLatest(a, b.setFailureType(to: Failure.self), c)
}

/// Emits the latest elements of three streams, of which `c` cannot fail, as one tuple, each time one of them emits.
@_disfavoredOverload
public func combineLatest<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Never>
) -> Operation<(A, B, C), Failure> {
  combineLatest(a, b, c.setFailureType(to: Failure.self))
}

/// Emits the latest elements of three streams, of which `a` and `b` cannot fail, as one tuple, each time one of them emits.
@_disfavoredOverload
public func combineLatest<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Never>,
  _ c: some StreamProtocol<C, Failure>
) -> Operation<(A, B, C), Failure> {
  combineLatest(a.setFailureType(to: Failure.self), b.setFailureType(to: Failure.self), c)
}

/// Emits the latest elements of three streams, of which `a` and `c` cannot fail, as one tuple, each time one of them emits.
@_disfavoredOverload
public func combineLatest<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Never>,
  _ b: some StreamProtocol<B, Failure>,
  _ c: some StreamProtocol<C, Never>
) -> Operation<(A, B, C), Failure> {
  combineLatest(a.setFailureType(to: Failure.self), b, c.setFailureType(to: Failure.self))
}

/// Emits the latest elements of three streams, of which `b` and `c` cannot fail, as one tuple, each time one of them emits.
@_disfavoredOverload
public func combineLatest<A, B, C, Failure: Error>(
  _ a: some StreamProtocol<A, Failure>,
  _ b: some StreamProtocol<B, Never>,
  _ c: some StreamProtocol<C, Never>
) -> Operation<(A, B, C), Failure> {
  combineLatest(a, b.setFailureType(to: Failure.self), c.setFailureType(to: Failure.self))
}
