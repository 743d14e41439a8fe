public import Streams

/// A collection that is observed: an array, a dictionary or a set whose changes are told by position.
///
/// ```swift
/// let names = CollectionProperty(["Steve", "Tim"])
/// names.observeNext { print($0.collection, $0.inserts) }.dispose(in: bag)
/// names.append("Craig")                                // prints ["Steve", "Tim", "Craig"] [2]
/// ```
///
/// - Observing gives a changeset without changes at once, then one for each change.
/// - A change is visible before the observers run. One that is made from inside an observer is visible at once and told
///   after the current one, to all observers in order.
/// - `batchUpdate` tells several changes as one.
/// - When the property goes its observers get the completion. They do not keep it.
///
/// Confined to the domain in which it is first observed. Other threads change it through a `Confined`.
///
/// Cost: a change is made in place and copies nothing, unless an observer keeps an earlier changeset.
public final class CollectionProperty<Items: PositionedCollection>: CollectionPropertyProtocol {
  let cell: CollectionCell<Items>
  private var token: Lifetime.Token?

  /// Makes one of an array, a dictionary or a set.
  public init(_ collection: Items) { cell = CollectionCell(collection) }

  deinit { cell.endAtHome() }

  /// The collection as it is now.
  public var collection: Items { cell.items }

  /// Changes the collection without telling the observers. What is derived of it does not hear of it either, and begins anew
  /// with the next change that is told. Observers of your own may see a changeset then that does not lead from what they
  /// know.
  public func silentUpdate(_ collection: Items) { cell.setSilently(collection) }

  /// Takes over a collection and what has happened to it. The changes have to lead from this collection to the one in the
  /// changeset; they are told as they are. Traps where they cannot: the positions of a list ascend, exist and add up.
  ///
  /// To follow another live collection bind that one to this.
  public func update(_ changeset: CollectionChangeset<Items>) {
    if !cell.fits(changeset.changes, to: changeset.collection) {
      misuse(
        """
        update(_:) was called with changes that do not lead from a list of \(collection.count) elements to one of \
        \(changeset.collection.count). Deletes are ascending positions in the old list; inserts and updates are ascending \
        positions in the new one. If you do not know them, use replace(with:).
        """)
    }
    // What it had is released when the change has been told: that may run anything.
    var old = changeset.collection
    cell.change { items in
      Swift.swap(&items, &old)
      return changeset.changes
    }
  }

  /// Takes an element as `update` does and ignores the end: a collection ends only when it goes.
  public func send(_ event: Event<CollectionChangeset<Items>, Never>) {
    if let changeset = event.element { update(changeset) }
  }

  /// The same collection without the right to change it. It does not keep this one.
  public var readOnlyView: AnyCollectionProperty<Items> { AnyCollectionProperty(cell, keeping: nil) }

  /// The number of observers, views that were derived of it included.
  public var observerCount: Int { cell.push.observerCount }

  /// See `StreamProtocol`.
  public func subscribe(_ observer: Observer<CollectionChangeset<Items>, Never>) -> any Disposable {
    cell.subscribe(observer)
  }
}

extension CollectionProperty: LifetimeProviding {
  /// Ends when the property goes.
  public var lifetime: Lifetime {
    if let token { return Lifetime(token) }
    let token = Lifetime.Token()
    self.token = token
    return Lifetime(token)
  }
}

extension CollectionProperty: BindingTargetProvider {
  /// Follows another live collection: takes over each changeset. The first one, which has no changes, replaces everything; so
  /// does one that does not follow the one before it, because this collection has been changed meanwhile or changesets were
  /// left out.
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
