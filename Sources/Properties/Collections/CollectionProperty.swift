public import Streams

/// An observable array, dictionary, or set that sends its changes with their positions.
///
/// ```swift
/// let names = CollectionProperty(["Steve", "Tim"])
/// names.observeNext { print($0.collection, $0.inserts) }.dispose(in: bag)
/// names.append("Craig")                                // prints ["Steve", "Tim", "Craig"] [2]
/// ```
///
/// - An observer receives a changeset without changes immediately, then one for each change.
/// - A change is visible before the observers run. A change by an observer is visible immediately, and is sent after the current one, to all
///   observers in order.
/// - `batchUpdate` sends several changes as one.
/// - When the property is deallocated, its observers receive the completion. They do not retain it.
///
/// It is confined to the first domain that observes it. Use a `Confined` to change it from other threads.
///
/// - Complexity: A change is made in place and copies nothing, unless an observer retains an earlier changeset.
public final class CollectionProperty<Items: PositionedCollection>: CollectionPropertyProtocol {
  let cell: CollectionCell<Items>
  private var token: Lifetime.Token?

  /// Creates an observable collection of an array, a dictionary, or a set.
  public init(_ collection: Items) { cell = CollectionCell(collection) }

  deinit { cell.endAtHome() }

  /// The current collection.
  public var collection: Items { cell.items }

  /// Replaces the collection without notifying observers.
  ///
  /// Collections that are derived from this one start again with the next change. Other observers can then receive a changeset whose
  /// positions do not refer to the collection that they received last.
  public func silentUpdate(_ collection: Items) { cell.setSilently(collection) }

  /// Replaces the collection by that of a changeset, and sends the changeset.
  ///
  /// Traps if the positions in a list's changes do not ascend or exist, or if the counts do not add up. Other wrong changes are not noticed,
  /// and lead derived collections astray. To follow another live collection, bind that collection to this one.
  public func update(_ changeset: CollectionChangeset<Items>) {
    if !cell.fits(changeset.changes, to: changeset.collection) {
      misuse(
        """
        update(_:) was called with changes that do not lead from a list of \(collection.count) elements to one of \
        \(changeset.collection.count). Deletes are ascending positions in the old list; inserts and updates are ascending \
        positions in the new one. If you do not know them, use replace(with:).
        """)
    }
    // The old collection is released after the change was sent, because a deinit can run any code.
    var old = changeset.collection
    cell.change { items in
      Swift.swap(&items, &old)
      return changeset.changes
    }
  }

  /// Calls `update` for an element, and ignores the end, because a collection ends only when it is deallocated.
  public func send(_ event: Event<CollectionChangeset<Items>, Never>) {
    if let changeset = event.element { update(changeset) }
  }

  /// A read-only view of this collection. It does not retain the collection.
  public var readOnlyView: AnyCollectionProperty<Items> { AnyCollectionProperty(cell, keeping: nil) }

  /// The number of observers, including derived collections.
  public var observerCount: Int { cell.push.observerCount }

  /// Adds an observer, and returns its subscription.
  public func subscribe(_ observer: Observer<CollectionChangeset<Items>, Never>) -> any Disposable {
    cell.subscribe(observer)
  }
}

extension CollectionProperty: LifetimeProviding {
  /// The lifetime of the property.
  public var lifetime: Lifetime {
    if let token { return Lifetime(token) }
    let token = Lifetime.Token()
    self.token = token
    return Lifetime(token)
  }
}

extension CollectionProperty: BindingTargetProvider {
  /// A target that applies each changeset of another live collection to this collection. The first changeset, which has no changes,
  /// replaces this collection. A changeset that does not follow the previous one also replaces it: this collection has been changed, or
  /// changesets were dropped.
  public var bindingTarget: BindingTarget<CollectionChangeset<Items>> {
    let cell = cell
    var generation: UInt64?
    var stamp: ChangesetStamp?
    return BindingTarget(lifetime: lifetime) { changeset in
      let isUntouched = generation == cell.generation || generation == nil && changeset.stamp == nil
      let follows = changeset.stamp == nil ? stamp == nil : changeset.stamp?.follows(stamp) == true
      let isTold =
        isUntouched && follows && !changeset.isEmpty && cell.fits(changeset.changes, to: changeset.collection)
      var old = changeset.collection
      cell.change { items in
        (generation, stamp) = (cell.generation, changeset.stamp)
        Swift.swap(&items, &old)
        return isTold ? changeset.changes : Items.replacing(old, with: items)
      }
    }
  }
}

@available(*, unavailable)
extension CollectionProperty: Sendable {}
