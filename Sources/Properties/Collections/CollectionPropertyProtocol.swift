public import Streams

/// A live collection: it is there at any time, and a stream of what happens to it.
///
/// Observing gives a changeset without changes at once, then one for each change. It never fails; it completes when what it
/// stands for has gone. What is derived of it is live, too.
public protocol CollectionPropertyProtocol<Items>: StreamProtocol
where Element == CollectionChangeset<Items>, Failure == Never {
  /// The collection's type.
  associatedtype Items: PositionedCollection

  /// The collection as it is now. Reading it copies nothing; a copy that is kept makes the next change copy the collection.
  var collection: Items { get }

  /// The same collection without the right to change it. It does not keep this one.
  var readOnlyView: AnyCollectionProperty<Items> { get }
}

extension CollectionPropertyProtocol {
  /// The number of elements. O(1).
  public var count: Int { collection.count }

  /// True when there is no element.
  public var isEmpty: Bool { collection.isEmpty }

  /// The changesets alone, without the one that comes at once.
  public var changes: Stream<CollectionChangeset<Items>> {
    let view = readOnlyView
    return Stream.unguarded { view.connect($0, .changes) }
  }

  /// A changeset at once, then one for each change, as a plain stream. It does not keep the collection.
  public func toStream() -> Stream<CollectionChangeset<Items>> {
    let view = readOnlyView
    return Stream.unguarded { view.subscribe($0) }
  }

  /// The same as `toStream()`.
  public func toOperation() -> Stream<CollectionChangeset<Items>> { toStream() }

  /// The collection as a property: its value is the collection after each change. It keeps a value, so each change copies the
  /// collection: O(n).
  public var asProperty: AnyProperty<Items> {
    let view = readOnlyView
    let collections = Stream.unguarded { view.connect($0, .composing) }.map(\.collection)
    var current = collection
    _ = collections.take(1).observe(isolation: nil, next: { current = $0 }, termination: { _ in })
    return AnyProperty(composing: collections.skip(1), from: current, of: [view.source])
  }
}

/// A live collection that can be read and observed, but not changed: a view of another, or derived of others.
///
/// A view keeps nothing it looks at. When that has gone the view has the last collection, and has completed. Letting go of a
/// view does not end what its observers see.
public struct AnyCollectionProperty<Items: PositionedCollection>: CollectionPropertyProtocol {
  private let read: () -> Items
  let connect: (Observer<CollectionChangeset<Items>, Never>, CollectionConnection) -> any Disposable
  /// Where what is derived of this collection has its home.
  let source: Composition.Source

  init(
    source: Composition.Source, read: @escaping () -> Items,
    connect: @escaping (Observer<CollectionChangeset<Items>, Never>, CollectionConnection) -> any Disposable
  ) {
    self.source = source
    self.read = read
    self.connect = connect
  }

  /// A view of a cell, fed by a composition if it is a derived one.
  init(_ cell: CollectionCell<Items>, keeping composition: Composition?) {
    source = Composition.Source(home: cell.push, composition: composition)
    read = { withExtendedLifetime(composition) { cell.items } }
    connect = { observer, connection in
      if connection != .composing { composition?.settle() }
      let observer = composition.map { observer.keeping($0) } ?? observer
      return connection == .changes
        ? cell.subscribeToChanges(observer) : cell.subscribe(observer, isComposing: connection == .composing)
    }
  }

  /// The collection as it is now.
  public var collection: Items { read() }

  /// The collection itself.
  public var readOnlyView: AnyCollectionProperty { self }

  /// See `StreamProtocol`.
  public func subscribe(_ observer: Observer<CollectionChangeset<Items>, Never>) -> any Disposable {
    connect(observer, .all)
  }
}

@available(*, unavailable)
extension AnyCollectionProperty: Sendable {}

/// What one who connects to a live collection wants.
enum CollectionConnection {
  /// The current state, then changes.
  case all
  /// Sends each change.
  case changes
  /// The current state, then changes, without settling a home.
  case composing
}
