internal import Streams

/// A collection and those who observe it.
///
/// Between two changes nothing but the cell has the collection, so that changing it copies nothing.
@usableFromInline
final class CollectionCell<Items: PositionedCollection>: HotCell<CollectionChangeset<Items>> {
  // A dynamic exclusivity check would cost more than the rest; changes are made in place, by functions of this module that
  // run no foreign code meanwhile.
  @exclusivity(unchecked) var items: Items
  /// What has happened in the batch that is under way.
  private var batch: (any BatchRecorder<Items.Position>)?
  private var makeRecorder: ((Items) -> any BatchRecorder<Items.Position>)?

  init(_ items: Items) {
    self.items = items
    super.init(isEnded: false)
  }

  /// The current collection, without changes, then changes.
  func subscribe(
    _ observer: Observer<CollectionChangeset<Items>, Never>, isComposing: Bool = false
  ) -> any Disposable {
    tellBatch()
    let current = CollectionChangeset(collection: lagging?.collection ?? items)
    return subscribe(observer, startingWith: current, isComposing: isComposing)
  }

  /// Changes alone.
  func subscribeToChanges(_ observer: Observer<CollectionChangeset<Items>, Never>) -> any Disposable {
    tellBatch()
    return enter(observer, isComposing: false)
  }

  /// Makes a change and tells it. `body` changes the collection and says what it has done; it does not release elements,
  /// which may run anything.
  func change(_ body: (inout Items) -> CollectionChanges<Items.Position>) {
    if isBusy, lagging == nil { lagging = CollectionChangeset(collection: items) }
    let changes = body(&items)
    if batch != nil {
      batch?.record(changes)
    } else {
      tell(changes)
    }
  }

  private func tell(_ changes: CollectionChanges<Items.Position>) {
    if changes.isEmpty {
      forgetLagging()
      return
    }
    let changeset = CollectionChangeset(collection: items, changes: changes)
    if isBusy { deliverLater(changeset) } else { deliver(changeset) }
  }

  /// Tells all changes that `body` makes as one. The outermost batch tells.
  func inBatch<Result, Failure: Error>(
    _ makeRecorder: @escaping (Items) -> any BatchRecorder<Items.Position>, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if batch != nil { return try body() }
    self.makeRecorder = makeRecorder
    batch = makeRecorder(items)
    defer {
      let changes = batch.take()?.finish()
      self.makeRecorder = nil
      if let changes { tell(changes) }
    }
    return try body()
  }

  /// Who comes in the middle of a batch begins with the collection of that moment: what has happened so far is told first.
  private func tellBatch() {
    guard let changes = batch?.finish(), let makeRecorder else { return }
    batch = makeRecorder(items)
    tell(changes)
  }

  /// Changes the collection without telling anybody.
  func setSilently(_ newItems: Items) {
    var old = newItems
    swap(&old, &items)
    _ = consume old
  }
}

/// Turns the changes of a batch into one. Positions that come in are those of the collection at that moment.
protocol BatchRecorder<Position> {
  associatedtype Position: Hashable

  mutating func record(_ changes: CollectionChanges<Position>)
  func finish() -> CollectionChanges<Position>
}
