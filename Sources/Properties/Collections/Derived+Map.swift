internal import Streams

extension CollectionPropertyProtocol where Items: PositionedList {
  /// Returns a live list of the transformed elements. `transform` is called once for each element that is inserted or updated.
  ///
  /// - Complexity: For each change, the same as for that change in an array.
  public func map<NewElement>(
    _ transform: @escaping (Items.Element) -> NewElement
  ) -> AnyCollectionProperty<[NewElement]> {
    AnyCollectionProperty(of: readOnlyView, by: MapDerivation(transform: transform))
  }

  /// Returns a live list of the transformed elements. `transform` is called at each access. Holds nothing.
  ///
  /// - Complexity: O(1) for each change.
  public func lazyMap<NewElement>(
    _ transform: @escaping (Items.Element) -> NewElement
  ) -> AnyCollectionProperty<LazyMapSequence<Items, NewElement>> {
    let source = readOnlyView
    typealias Output = LazyMapSequence<Items, NewElement>
    return AnyCollectionProperty<Output>(
      source: source.source, read: { source.collection.lazy.map(transform) },
      connect: { observer, connection in
        source.connect(
          Observer(
            for: observer.subscription,
            next: { changeset in
              observer.next(
                CollectionChangeset<Output>(
                  collection: changeset.collection.lazy.map(transform), changes: changeset.changes,
                  stamp: changeset.stamp))
            }, termination: { observer.terminate($0) }), connection)
      })
  }
}

extension CollectionPropertyProtocol {
  /// Returns a live dictionary of the transformed values. `transform` is called once for each value that is inserted or updated.
  public func mapValues<Key, Value, NewValue>(
    _ transform: @escaping (Value) -> NewValue
  ) -> AnyCollectionProperty<[Key: NewValue]> where Items == [Key: Value] {
    AnyCollectionProperty(of: readOnlyView, by: ValuesDerivation(transform: transform))
  }
}

struct MapDerivation<Source: PositionedList, NewElement>: Derivation {
  let transform: (Source.Element) -> NewElement
  /// The removed results of `transform`, which are released after the change was sent.
  private var removed: [NewElement] = []

  init(transform: @escaping (Source.Element) -> NewElement) { self.transform = transform }

  func start(_ source: Source) -> [NewElement] { source.map(transform) }

  mutating func follow(
    _ changeset: CollectionChangeset<Source>, _ output: inout [NewElement]
  ) -> CollectionChanges<Int> {
    let changes = changeset.changes
    output.removeAll(at: changes.deletes) { removed.append($0) }
    output.insert(at: changes.inserts) { transform(changeset.collection[$0]) }
    if let move = changes.onlyMove {
      output.insert(output.remove(at: move.from), at: move.to)
    } else {
      for index in changes.updates {
        var element = transform(changeset.collection[index])
        swap(&output[index], &element)
        removed.append(element)
      }
    }
    return changes
  }

  mutating func release() {
    let old = removed
    removed = []
    withExtendedLifetime(old) {}
  }
}

struct ValuesDerivation<Key: Hashable, Value, NewValue>: Derivation {
  let transform: (Value) -> NewValue

  func start(_ source: [Key: Value]) -> [Key: NewValue] { source.mapValues(transform) }

  func follow(
    _ changeset: CollectionChangeset<[Key: Value]>, _ output: inout [Key: NewValue]
  ) -> CollectionChanges<Key> {
    for key in changeset.deletes { output[key] = nil }
    for key in changeset.inserts + changeset.updates {
      if let value = changeset.collection[key] { output[key] = transform(value) }
    }
    return changeset.changes
  }
}

extension Array {
  /// The number of changes up to which they are made one by one. More are made in one pass over the list.
  static var fewChanges: Int { 32 }

  /// Removes the elements at ascending indices, and passes them to `giveAway`.
  mutating func removeAll(at indices: [Int], _ giveAway: (Element) -> Void) {
    if indices.count <= Self.fewChanges {
      for index in indices.reversed() { giveAway(remove(at: index)) }
      return
    }
    var next = indices[...]
    var position = -1
    removeAll { element in
      position += 1
      guard next.first == position else { return false }
      next.removeFirst()
      giveAway(element)
      return true
    }
  }

  /// Inserts elements so that they are at ascending indices afterwards.
  mutating func insert(at indices: [Int], _ make: (Int) -> Element) {
    if indices.count <= Self.fewChanges || indices.first == count {
      for index in indices { insert(make(index), at: index) }
      return
    }
    let old = self
    var next = indices[...]
    var rest = old[...]
    self = []
    reserveCapacity(old.count + indices.count)
    for index in 0..<old.count + indices.count {
      if next.first == index {
        next.removeFirst()
        append(make(index))
      } else if let element = rest.popFirst() {
        append(element)
      }
    }
  }
}
