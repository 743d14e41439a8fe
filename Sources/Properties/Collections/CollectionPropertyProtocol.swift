public import Streams

/// A live collection: a current collection, and a stream of its changes.
///
/// An observer receives a changeset without changes immediately, then one for each change. The stream never fails, and completes when the
/// collection is deallocated. Collections that are derived from it are also live.
public protocol CollectionPropertyProtocol<Items>: StreamProtocol
where Element == CollectionChangeset<Items>, Failure == Never {
  /// The type of the collection.
  associatedtype Items: PositionedCollection

  /// The current collection. Reading it copies nothing. If you retain it, the next change copies the collection.
  var collection: Items { get }

  /// A read-only view of this collection. It does not retain the collection.
  var readOnlyView: AnyCollectionProperty<Items> { get }
}

extension CollectionPropertyProtocol {
  /// The number of elements.
  ///
  /// - Complexity: O(1).
  public var count: Int { collection.count }

  /// True if there is no element.
  public var isEmpty: Bool { collection.isEmpty }

  /// The changesets without the first one, which has no changes.
  public var changes: Stream<CollectionChangeset<Items>> {
    let view = readOnlyView
    return Stream.unguarded { view.connect($0, .changes) }
  }

  /// Returns a stream of a changeset without changes, then one for each change. It does not retain the collection.
  public func toStream() -> Stream<CollectionChangeset<Items>> {
    let view = readOnlyView
    return Stream.unguarded(name: nil) { view.subscribe($0) }
  }

  /// Returns a stream of a changeset without changes, then one for each change. It does not retain the collection.
  public func toOperation() -> Stream<CollectionChangeset<Items>> { toStream() }

  /// The collection as a property.
  ///
  /// - Complexity: O(n) for each change, because the property retains the collection, so that a change copies it.
  public var asProperty: AnyProperty<Items> {
    let view = readOnlyView
    let collections = Stream.unguarded { view.connect($0, .composing) }.map(\.collection)
    var current = collection
    _ = collections.take(1).observe(isolation: nil, next: { current = $0 }, termination: { _ in })
    return AnyProperty(composing: collections.skip(1), from: current, of: [view.source])
  }
}

/// A read-only live collection: a view of another one, or derived from others.
///
/// A view does not retain its source. After the source is deallocated, the view has the last collection and has completed. Releasing a view
/// does not end the streams of its observers.
public struct AnyCollectionProperty<Items: PositionedCollection>: CollectionPropertyProtocol {
  private let read: () -> Items
  let connect: (Observer<CollectionChangeset<Items>, Never>, CollectionConnection) -> any Disposable
  /// The source that gives derived collections their home.
  let source: Composition.Source

  init(
    source: Composition.Source, read: @escaping () -> Items,
    connect: @escaping (Observer<CollectionChangeset<Items>, Never>, CollectionConnection) -> any Disposable
  ) {
    self.source = source
    self.read = read
    self.connect = connect
  }

  /// Creates a view of a cell, which a composition feeds if it is derived.
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

  /// The current collection.
  public var collection: Items { read() }

  /// This collection.
  public var readOnlyView: AnyCollectionProperty { self }

  /// Adds an observer, and returns its subscription.
  public func subscribe(_ observer: Observer<CollectionChangeset<Items>, Never>) -> any Disposable {
    connect(observer, .all)
  }
}

@available(*, unavailable)
extension AnyCollectionProperty: Sendable {}

/// The events that an observer of a live collection receives.
enum CollectionConnection {
  /// The current state, then changes.
  case all
  /// Sends each change.
  case changes
  /// The current state, then changes, without determining a home.
  case composing
}
