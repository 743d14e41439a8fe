internal import Streams

extension CollectionPropertyProtocol {
  /// Returns a live list of the sorted pairs. If two pairs compare equal, the older one is first.
  ///
  /// An update that does not move the pair is sent as an update. An update that moves it is sent as a delete and an
  /// insert.
  ///
  /// - Complexity: O(log n) comparisons, one more for each equal pair, and a move of memory for each change. k changes in one
  ///   changeset: O(n + k log k).
  public func sorted<Key, Value>(
    by areInIncreasingOrder: @escaping ((key: Key, value: Value), (key: Key, value: Value)) -> Bool
  ) -> AnyCollectionProperty<[(key: Key, value: Value)]> where Items == [Key: Value] {
    AnyCollectionProperty(
      of: readOnlyView,
      by: KeyedSort<[Key: Value]>(
        precedes: areInIncreasingOrder, key: { $0.key },
        element: { items, key in items[key].map { (key, $0) } }))
  }

  /// Returns a live list of the sorted members. If two members compare equal, the older one is first.
  public func sorted<Member>(
    by areInIncreasingOrder: @escaping (Member, Member) -> Bool
  ) -> AnyCollectionProperty<[Member]> where Items == Set<Member> {
    AnyCollectionProperty(
      of: readOnlyView,
      by: KeyedSort<Set<Member>>(
        precedes: areInIncreasingOrder, key: { $0 },
        element: { items, member in items.firstIndex(of: member).map { items[$0] } }))
  }
}

/// A sorted list of elements with keys. The index of a key is found by the order of its element.
struct KeyedSort<Source: PositionedCollection>: Derivation {
  let precedes: (Source.Element, Source.Element) -> Bool
  let key: (Source.Element) -> Source.Position
  let element: (Source, Source.Position) -> Source.Element?
  /// The elements in the list by key, to find the element of a removed key.
  private var held: [Source.Position: Source.Element] = [:]

  init(
    precedes: @escaping (Source.Element, Source.Element) -> Bool, key: @escaping (Source.Element) -> Source.Position,
    element: @escaping (Source, Source.Position) -> Source.Element?
  ) {
    self.precedes = precedes
    self.key = key
    self.element = element
  }

  mutating func start(_ source: Source) -> [Source.Element] {
    for element in source { held[key(element)] = element }
    return source.sorted(by: precedes)
  }

  mutating func follow(
    _ changeset: CollectionChangeset<Source>, _ output: inout [Source.Element]
  ) -> CollectionChanges<Int> {
    if changeset.changes.count > [Source.Element].fewChanges { return followMany(changeset, &output) }
    var recorder = ListRecorder(count: output.count)
    for position in changeset.deletes {
      guard let old = held.removeValue(forKey: position) else { continue }
      let rank = place(of: old, position, in: output)
      output.remove(at: rank)
      recorder.remove(at: rank)
    }
    for position in changeset.inserts + changeset.updates {
      guard let new = element(changeset.collection, position) else { continue }
      if let old = held.updateValue(new, forKey: position) {
        let rank = place(of: old, position, in: output)
        if stays(new, rank, output) {
          output[rank] = new
          recorder.update(at: rank)
          continue
        }
        output.remove(at: rank)
        recorder.remove(at: rank)
      }
      let rank = end(of: new, in: output)
      output.insert(new, at: rank)
      recorder.insert(at: rank)
    }
    return recorder.finish()
  }

  /// Follows many changes in one pass over the list.
  private mutating func followMany(
    _ changeset: CollectionChangeset<Source>, _ output: inout [Source.Element]
  ) -> CollectionChanges<Int> {
    // The indices of the removed and updated elements.
    var ranks: [Source.Position: Int] = [:]
    for position in changeset.deletes { ranks[position] = -1 }
    for position in changeset.updates { ranks[position] = -1 }
    for position in changeset.inserts where held[position] != nil { ranks[position] = -1 }
    for (rank, element) in output.enumerated() where ranks[key(element)] != nil { ranks[key(element)] = rank }
    let touched = Set(ranks.values)
    for position in changeset.deletes { held[position] = nil }

    var incoming: [(element: Source.Element, rank: Int?)] = []
    for position in changeset.inserts + changeset.updates {
      guard let new = element(changeset.collection, position) else { continue }
      held[position] = new
      incoming.append((new, ranks[position].flatMap { $0 < 0 ? nil : $0 }))
    }
    incoming.sort { precedes($0.element, $1.element) }
    let old = output
    let merge = SortedMerge(count: old.count, isKept: { !touched.contains($0) }, incoming: incoming.map(\.rank)) {
      precedes(incoming[$0].element, old[$1])
    }
    output = merge.places.map { place in
      switch place {
      case .kept(let rank): old[rank]
      case .incoming(let new): incoming[new].element
      }
    }
    return merge.changes
  }

  private func stays(_ element: Source.Element, _ rank: Int, _ output: [Source.Element]) -> Bool {
    if rank > 0, precedes(element, output[rank - 1]) { return false }
    if rank + 1 < output.count, precedes(output[rank + 1], element) { return false }
    return true
  }

  /// Returns the first index after all elements that do not follow this one.
  private func end(of element: Source.Element, in output: [Source.Element]) -> Int {
    var (low, high) = (0, output.count)
    while low < high {
      let middle = (low + high) / 2
      if precedes(element, output[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Returns the index of the element with this key.
  private func place(of old: Source.Element, _ position: Source.Position, in output: [Source.Element]) -> Int {
    var (low, high) = (0, output.count)
    while low < high {
      let middle = (low + high) / 2
      if precedes(output[middle], old) { low = middle + 1 } else { high = middle }
    }
    // Searches among the elements that compare equal.
    while low < output.count, !precedes(old, output[low]) {
      if key(output[low]) == position { return low }
      low += 1
    }
    // An object that was changed in place is not at the index of its order.
    guard let rank = output.firstIndex(where: { key($0) == position }) else {
      misuse(
        """
        A sorted live list cannot find \(position), which its source contains: the element was changed in place and no longer \
        equals itself. Remove it, change it, then insert it.
        """)
    }
    return rank
  }
}
