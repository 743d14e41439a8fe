// Written by Scripts/generate-arities. Change that script instead of this file.

internal import Streams

/// Returns a property with the values of two properties as one tuple. The tuple changes each time one of them changes.
public func combineLatest<A, B>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>
) -> AnyProperty<(A, B)> {
  combineLatestPack(a.readOnlyView, b.readOnlyView)
}

/// Returns a property with the values of three properties as one tuple. The tuple changes each time one of them changes.
public func combineLatest<A, B, C>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>
) -> AnyProperty<(A, B, C)> {
  combineLatestPack(a.readOnlyView, b.readOnlyView, c.readOnlyView)
}

/// Returns a property with the values of four properties as one tuple. The tuple changes each time one of them changes.
public func combineLatest<A, B, C, D>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>,
  _ d: some PropertyProtocol<D>
) -> AnyProperty<(A, B, C, D)> {
  combineLatestPack(a.readOnlyView, b.readOnlyView, c.readOnlyView, d.readOnlyView)
}

/// Returns a property with the values of five properties as one tuple. The tuple changes each time one of them changes.
public func combineLatest<A, B, C, D, E>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>,
  _ d: some PropertyProtocol<D>,
  _ e: some PropertyProtocol<E>
) -> AnyProperty<(A, B, C, D, E)> {
  combineLatestPack(a.readOnlyView, b.readOnlyView, c.readOnlyView, d.readOnlyView, e.readOnlyView)
}

/// Returns a property with the values of six properties as one tuple. The tuple changes each time one of them changes.
public func combineLatest<A, B, C, D, E, F>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>,
  _ d: some PropertyProtocol<D>,
  _ e: some PropertyProtocol<E>,
  _ f: some PropertyProtocol<F>
) -> AnyProperty<(A, B, C, D, E, F)> {
  combineLatestPack(a.readOnlyView, b.readOnlyView, c.readOnlyView, d.readOnlyView, e.readOnlyView, f.readOnlyView)
}

/// Returns a property with the values of seven properties as one tuple. The tuple changes each time one of them changes.
public func combineLatest<A, B, C, D, E, F, G>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>,
  _ d: some PropertyProtocol<D>,
  _ e: some PropertyProtocol<E>,
  _ f: some PropertyProtocol<F>,
  _ g: some PropertyProtocol<G>
) -> AnyProperty<(A, B, C, D, E, F, G)> {
  combineLatestPack(
    a.readOnlyView, b.readOnlyView, c.readOnlyView, d.readOnlyView, e.readOnlyView, f.readOnlyView, g.readOnlyView)
}

/// Returns a property with the values of eight properties as one tuple. The tuple changes each time one of them changes.
public func combineLatest<A, B, C, D, E, F, G, H>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>,
  _ d: some PropertyProtocol<D>,
  _ e: some PropertyProtocol<E>,
  _ f: some PropertyProtocol<F>,
  _ g: some PropertyProtocol<G>,
  _ h: some PropertyProtocol<H>
) -> AnyProperty<(A, B, C, D, E, F, G, H)> {
  combineLatestPack(
    a.readOnlyView, b.readOnlyView, c.readOnlyView, d.readOnlyView, e.readOnlyView, f.readOnlyView, g.readOnlyView,
    h.readOnlyView)
}

/// Returns a property with tuples of the values of two properties: the first value of each, then the second of each, and so on.
public func zip<A, B>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>
) -> AnyProperty<(A, B)> {
  zipPack(a.readOnlyView, b.readOnlyView)
}

/// Returns a property with tuples of the values of three properties: the first value of each, then the second of each, and so on.
public func zip<A, B, C>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>
) -> AnyProperty<(A, B, C)> {
  zipPack(a.readOnlyView, b.readOnlyView, c.readOnlyView)
}

/// Returns a property with tuples of the values of four properties: the first value of each, then the second of each, and so on.
public func zip<A, B, C, D>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>,
  _ d: some PropertyProtocol<D>
) -> AnyProperty<(A, B, C, D)> {
  zipPack(a.readOnlyView, b.readOnlyView, c.readOnlyView, d.readOnlyView)
}

/// Returns a property with tuples of the values of five properties: the first value of each, then the second of each, and so on.
public func zip<A, B, C, D, E>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>,
  _ d: some PropertyProtocol<D>,
  _ e: some PropertyProtocol<E>
) -> AnyProperty<(A, B, C, D, E)> {
  zipPack(a.readOnlyView, b.readOnlyView, c.readOnlyView, d.readOnlyView, e.readOnlyView)
}

/// Returns a property with tuples of the values of six properties: the first value of each, then the second of each, and so on.
public func zip<A, B, C, D, E, F>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>,
  _ d: some PropertyProtocol<D>,
  _ e: some PropertyProtocol<E>,
  _ f: some PropertyProtocol<F>
) -> AnyProperty<(A, B, C, D, E, F)> {
  zipPack(a.readOnlyView, b.readOnlyView, c.readOnlyView, d.readOnlyView, e.readOnlyView, f.readOnlyView)
}

/// Returns a property with tuples of the values of seven properties: the first value of each, then the second of each, and so on.
public func zip<A, B, C, D, E, F, G>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>,
  _ d: some PropertyProtocol<D>,
  _ e: some PropertyProtocol<E>,
  _ f: some PropertyProtocol<F>,
  _ g: some PropertyProtocol<G>
) -> AnyProperty<(A, B, C, D, E, F, G)> {
  zipPack(
    a.readOnlyView, b.readOnlyView, c.readOnlyView, d.readOnlyView, e.readOnlyView, f.readOnlyView, g.readOnlyView)
}

/// Returns a property with tuples of the values of eight properties: the first value of each, then the second of each, and so on.
public func zip<A, B, C, D, E, F, G, H>(
  _ a: some PropertyProtocol<A>,
  _ b: some PropertyProtocol<B>,
  _ c: some PropertyProtocol<C>,
  _ d: some PropertyProtocol<D>,
  _ e: some PropertyProtocol<E>,
  _ f: some PropertyProtocol<F>,
  _ g: some PropertyProtocol<G>,
  _ h: some PropertyProtocol<H>
) -> AnyProperty<(A, B, C, D, E, F, G, H)> {
  zipPack(
    a.readOnlyView, b.readOnlyView, c.readOnlyView, d.readOnlyView, e.readOnlyView, f.readOnlyView, g.readOnlyView,
    h.readOnlyView)
}
