internal import Streams

/// A collection with its observers.
///
/// Between two changes only the cell refers to the collection, so that a change copies nothing.
@usableFromInline
final class CollectionCell<Items: PositionedCollection>: HotCell<CollectionChangeset<Items>> {
  // Unchecked, because an exclusivity check would take longer than the rest. `isChanging` replaces it, because a change can call the user's
  // closures and operators.
  @exclusivity(unchecked) private var storage: Items
  private var isChanging = false
  /// The number of changes, including silent and unsent ones.
  private(set) var generation: UInt64 = 0
  /// The number of the last changeset. A silent change uses one up.
  private var number: UInt64 = 0
  /// The changes of the running batch.
  private var batch: (any BatchRecorder<Items.Position>)?
  private var makeRecorder: ((Items) -> any BatchRecorder<Items.Position>)?

  init(_ items: Items) {
    storage = items
    super.init(isEnded: false)
  }

  /// The collection. Traps inside a change.
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

  private let origin = ChangesetStamp.makeOrigin()
  private var stamp: ChangesetStamp { ChangesetStamp(origin: origin, number: number) }

  /// Sends the current collection without changes, then each change.
  func subscribe(
    _ observer: Observer<CollectionChangeset<Items>, Never>, isComposing: Bool = false
  ) -> any Disposable {
    tellBatch()
    let (collection, stamp) = (current.collection, current.stamp)
    return subscribe(
      observer, startingWith: CollectionChangeset(collection: collection, stamp: stamp), isComposing: isComposing)
  }

  /// Sends each change.
  func subscribeToChanges(_ observer: Observer<CollectionChangeset<Items>, Never>) -> any Disposable {
    tellBatch()
    return enter(observer, isComposing: false)
  }

  /// Makes a change and sends it. `body` changes the collection and returns its changes. It releases no elements, because a deinit can run
  /// any code.
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
      // A batch can have begun in a delivery that is over.
      lagging = nil
      deliver(changeset)
    }
  }

  /// Sends all changes that `body` makes as one changeset. The outermost batch sends.
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

  /// Sends the changes of the running batch so far, before an observer is added that begins with the current collection.
  private func tellBatch() {
    guard let changes = batch?.finish(), let makeRecorder else { return }
    batch = makeRecorder(items)
    tell(changes)
  }

  /// Changes the collection without sending a change. The previous changes of a batch are sent.
  func setSilently(_ newItems: Items) {
    tellBatch()
    checkIdle()
    var old = newItems
    swap(&old, &storage)
    generation &+= 1
    number &+= 1
    if let makeRecorder { batch = makeRecorder(storage) }
    withExtendedLifetime(old) {}
  }

  /// Returns whether changes can lead from this collection to another. For dictionaries and sets all can.
  func fits(_ changes: CollectionChanges<Items.Position>, to newItems: Items) -> Bool {
    guard Items.self is any PositionedList.Type, let changes = changes as? CollectionChanges<Int> else { return true }
    return changes.lead(from: items.count, to: newItems.count)
  }
}

/// A recorder that merges the changes of a batch into one. Each change has the positions of the collection at that time.
protocol BatchRecorder<Position> {
  associatedtype Position: Hashable

  mutating func record(_ changes: CollectionChanges<Position>)
  func finish() -> CollectionChanges<Position>
}
