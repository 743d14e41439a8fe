internal import Streams

extension CollectionPropertyProtocol where Items: PositionedList {
  /// Returns a live list of the sorted elements. Elements that compare equal stay in the order of the source.
  ///
  /// An update that does not move the element is sent as an update. An update that moves it is sent as a delete and an
  /// insert.
  ///
  /// - Complexity: O(log n) comparisons and a move of memory for each change. k changes in one changeset: O(n + k log
  ///   k).
  public func sorted(
    by areInIncreasingOrder: @escaping (Items.Element, Items.Element) -> Bool
  ) -> AnyCollectionProperty<[Items.Element]> {
    AnyCollectionProperty(of: readOnlyView, by: SortDerivation<Items>(precedes: areInIncreasingOrder))
  }
}

extension CollectionPropertyProtocol where Items: PositionedList, Items.Element: Comparable {
  /// Returns a live list of the elements in ascending order. Equal elements stay in the order of the source.
  public func sorted() -> AnyCollectionProperty<[Items.Element]> { sorted(by: <) }
}

struct SortDerivation<Source: PositionedList>: Derivation {
  let precedes: (Source.Element, Source.Element) -> Bool
  /// For each index of the result, the index in the source. 32 bits, because a change shifts all of them.
  private var origins: [Int32] = []
  /// For each index of the source, the index in the result.
  private var ranks: [Int32] = []

  init(precedes: @escaping (Source.Element, Source.Element) -> Bool) { self.precedes = precedes }

  mutating func start(_ source: Source) -> [Source.Element] {
    if source.count > Int32.max { misuse("sorted(by:): a live list of more than \(Int32.max) elements is not sorted.") }
    let order = source.indices.sorted { comes(source[$0], $0, before: source[$1], $1) }
    origins = order.map { Int32($0) }
    setRanks()
    return order.map { source[$0] }
  }

  private mutating func setRanks() {
    ranks = Array(repeating: 0, count: origins.count)
    for (rank, origin) in origins.enumerated() { ranks[Int(origin)] = Int32(rank) }
  }

  /// Returns whether one element of the source precedes another, by their indices if they compare equal.
  private func comes(_ one: Source.Element, _ index: Int, before other: Source.Element, _ otherIndex: Int) -> Bool {
    if precedes(one, other) { return true }
    if precedes(other, one) { return false }
    return index < otherIndex
  }

  /// Returns the index in `output` at which an element belongs.
  private func place(of element: Source.Element, _ index: Int, in output: [Source.Element]) -> Int {
    var (low, high) = (0, output.count)
    while low < high {
      let middle = (low + high) / 2
      if comes(output[middle], Int(origins[middle]), before: element, index) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  mutating func follow(
    _ changeset: CollectionChangeset<Source>, _ output: inout [Source.Element]
  ) -> CollectionChanges<Int> {
    if let move = changeset.changes.onlyMove { return follow(move, &output) }
    if changeset.changes.count > Array<Source.Element>.fewChanges { return followMany(changeset, &output) }
    var recorder = ListRecorder(count: output.count)
    for index in changeset.deletes.reversed() {
      let rank = Int(ranks.remove(at: index))
      take(rank, &output, &recorder)
      // After an append no index changes.
      if index < ranks.count { origins.shift(from: Int32(index), by: -1) }
    }
    for index in changeset.inserts {
      if index < ranks.count { origins.shift(from: Int32(index), by: 1) }
      let element = changeset.collection[index]
      let rank = place(of: element, index, in: output)
      ranks.shift(from: Int32(rank), by: 1)
      ranks.insert(Int32(rank), at: index)
      put(element, index, rank, &output, &recorder)
    }
    for index in changeset.updates {
      let rank = Int(ranks[index])
      let element = changeset.collection[index]
      if stays(element, index, rank, output) {
        output[rank] = element
        recorder.update(at: rank)
        continue
      }
      take(rank, &output, &recorder)
      let newRank = place(of: element, index, in: output)
      ranks.shift(from: Int32(newRank), by: 1)
      ranks[index] = Int32(newRank)
      put(element, index, newRank, &output, &recorder)
    }
    return recorder.finish()
  }

  /// Returns whether an updated element keeps its index.
  private func stays(_ element: Source.Element, _ index: Int, _ rank: Int, _ output: [Source.Element]) -> Bool {
    if rank > 0, !comes(output[rank - 1], Int(origins[rank - 1]), before: element, index) { return false }
    if rank + 1 < output.count, !comes(element, index, before: output[rank + 1], Int(origins[rank + 1])) {
      return false
    }
    return true
  }

  private mutating func take(_ rank: Int, _ output: inout [Source.Element], _ recorder: inout ListRecorder) {
    output.remove(at: rank)
    origins.remove(at: rank)
    ranks.shift(from: Int32(rank), by: -1)
    recorder.remove(at: rank)
  }

  private mutating func put(
    _ element: Source.Element, _ index: Int, _ rank: Int, _ output: inout [Source.Element],
    _ recorder: inout ListRecorder
  ) {
    output.insert(element, at: rank)
    origins.insert(Int32(index), at: rank)
    recorder.insert(at: rank)
  }

  /// Follows a move in the source. The element moves here only among equal elements.
  private mutating func follow(
    _ move: CollectionMove<Int>, _ output: inout [Source.Element]
  ) -> CollectionChanges<Int> {
    var recorder = ListRecorder(count: output.count)
    let rank = Int(ranks.remove(at: move.from))
    let element = output[rank]
    take(rank, &output, &recorder)
    origins.shift(from: Int32(move.from), by: -1)
    origins.shift(from: Int32(move.to), by: 1)
    let newRank = place(of: element, move.to, in: output)
    ranks.shift(from: Int32(newRank), by: 1)
    ranks.insert(Int32(newRank), at: move.to)
    put(element, move.to, newRank, &output, &recorder)
    return rank == newRank ? CollectionChanges() : recorder.finish()
  }

  /// Follows many changes in one pass: the unchanged elements are sorted, and the new and updated ones are sorted and merged.
  private mutating func followMany(
    _ changeset: CollectionChangeset<Source>, _ output: inout [Source.Element]
  ) -> CollectionChanges<Int> {
    // The new index of each old element, or -1 for removed and updated ones.
    var moved = [Int32](repeating: -1, count: ranks.count)
    var deletes = changeset.deletes[...]
    var incoming: [(index: Int, rank: Int?)] = []
    var inserts = changeset.inserts[...]
    var updates = changeset.updates[...]
    var old = 0
    for index in changeset.collection.indices {
      if inserts.first == index {
        inserts.removeFirst()
        incoming.append((index, nil))
        continue
      }
      while deletes.first == old {
        deletes.removeFirst()
        old += 1
      }
      if updates.first == index {
        updates.removeFirst()
        incoming.append((index, Int(ranks[old])))
      } else {
        moved[old] = Int32(index)
      }
      old += 1
    }
    let source = changeset.collection
    incoming.sort { comes(source[$0.index], $0.index, before: source[$1.index], $1.index) }

    let (oldOutput, oldOrigins) = (output, origins)
    let merge = SortedMerge(
      count: oldOutput.count, isKept: { moved[Int(oldOrigins[$0])] >= 0 }, incoming: incoming.map(\.rank)
    ) { new, rank in
      let index = incoming[new].index
      return comes(source[index], index, before: oldOutput[rank], Int(moved[Int(oldOrigins[rank])]))
    }
    output = []
    output.reserveCapacity(source.count)
    origins = []
    origins.reserveCapacity(source.count)
    for place in merge.places {
      switch place {
      case .kept(let rank):
        output.append(oldOutput[rank])
        origins.append(moved[Int(oldOrigins[rank])])
      case .incoming(let new):
        output.append(source[incoming[new].index])
        origins.append(Int32(incoming[new].index))
      }
    }
    setRanks()
    return merge.changes
  }
}

extension [Int32] {
  /// Adds `difference` to all numbers that are at least `bound`. Without a branch, so that the compiler vectorizes the loop.
  fileprivate mutating func shift(from bound: Int32, by difference: Int32) {
    withUnsafeMutableBufferPointer { numbers in
      for index in numbers.indices { numbers[index] &+= numbers[index] >= bound ? difference : 0 }
    }
  }
}
