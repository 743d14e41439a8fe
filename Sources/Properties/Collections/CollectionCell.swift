internal import Streams

/// A collection and those who observe it.
///
/// Between two changes nothing but the cell has the collection, so that changing it copies nothing.
@usableFromInline
final class CollectionCell<Items: PositionedCollection>: HotCell<CollectionChangeset<Items>> {
  // A dynamic exclusivity check would cost more than the rest. `isChanging` takes its place, as changes may call closures and
  // operators of users.
  @exclusivity(unchecked) private var storage: Items
  private var isChanging = false
  /// The number of changes, silent and untold ones included.
  private(set) var generation: UInt64 = 0
  /// The number of the last changeset. A silent change uses one up.
  private var number: UInt64 = 0
  /// What has happened in the batch that is under way.
  private var batch: (any BatchRecorder<Items.Position>)?
  private var makeRecorder: ((Items) -> any BatchRecorder<Items.Position>)?

  init(_ items: Items) {
    storage = items
    super.init(isEnded: false)
  }

  /// The collection. Not from inside of a change.
  var items: Items {
    checkIdle()
    return storage
  }

  private func checkIdle() {
    push.checkHome("A live collection")
    if isChanging {
      misuse(
        """
        A live collection of type \(Items.self) was used during the change that it is making: by a closure that derives or \
        changes it (map, filter, sorted, removeAll), or by == or hash(into:) of an element. Use it in an observer instead.
        """)
    }
  }

  private var current: CollectionChangeset<Items> {
    lagging ?? CollectionChangeset(collection: items, stamp: stamp)
  }

  private var stamp: ChangesetStamp { ChangesetStamp(origin: ObjectIdentifier(self), number: number) }

  /// The current collection, without changes, then changes.
  func subscribe(
    _ observer: Observer<CollectionChangeset<Items>, Never>, isComposing: Bool = false
  ) -> any Disposable {
    tellBatch()
    let (collection, stamp) = (current.collection, current.stamp)
    return subscribe(
      observer, startingWith: CollectionChangeset(collection: collection, stamp: stamp), isComposing: isComposing)
  }

  /// Changes alone.
  func subscribeToChanges(_ observer: Observer<CollectionChangeset<Items>, Never>) -> any Disposable {
    tellBatch()
    return enter(observer, isComposing: false)
  }

  /// Makes a change and tells it. `body` changes the collection and says what it has done; it does not release elements,
  /// which may run anything.
  func change(_ body: (inout Items) -> CollectionChanges<Items.Position>) {
    checkIdle()
    if isBusy, lagging == nil { lagging = CollectionChangeset(collection: storage, stamp: stamp) }
    generation &+= 1
    isChanging = true
    let changes = body(&storage)
    isChanging = false
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
    number &+= 1
    let changeset = CollectionChangeset(collection: storage, changes: changes, stamp: stamp)
    if isBusy {
      deliverLater(changeset)
    } else {
      // A batch may have begun in a delivery that is over.
      lagging = nil
      deliver(changeset)
    }
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

  /// Changes the collection without telling anybody. What a batch has changed before is told.
  func setSilently(_ newItems: Items) {
    tellBatch()
    checkIdle()
    var old = newItems
    swap(&old, &storage)
    generation &+= 1
    number &+= 1
    if let makeRecorder { batch = makeRecorder(storage) }
    _ = consume old
  }

  /// Whether changes can lead from this collection to another. Of dictionaries and sets all can.
  func fits(_ changes: CollectionChanges<Items.Position>, to newItems: Items) -> Bool {
    guard Items.self is any PositionedList.Type, let changes = changes as? CollectionChanges<Int> else { return true }
    return changes.lead(from: items.count, to: newItems.count)
  }
}

/// Turns the changes of a batch into one. Positions that come in are those of the collection at that moment.
protocol BatchRecorder<Position> {
  associatedtype Position: Hashable

  mutating func record(_ changes: CollectionChanges<Position>)
  func finish() -> CollectionChanges<Position>
}
