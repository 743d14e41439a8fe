extension CollectionPropertyProtocol where Items: PositionedList {
  /// Returns a live list of the elements for which `isIncluded` returns true.
  ///
  /// `isIncluded` is called once for each element that is inserted or updated, but not for one that only moves. A change that does not
  /// change this list is not sent.
  ///
  /// - Complexity: For each change, a call of `isIncluded`, a move of memory, and a count of n/64 words.
  public func filter(_ isIncluded: @escaping (Items.Element) -> Bool) -> AnyCollectionProperty<[Items.Element]> {
    AnyCollectionProperty(of: readOnlyView, by: FilterDerivation<Items>(isIncluded: isIncluded))
  }
}

extension CollectionPropertyProtocol {
  /// Returns a live dictionary of the pairs for which `isIncluded` returns true. It is called once for each pair that is inserted or updated.
  public func filter<Key, Value>(
    _ isIncluded: @escaping ((key: Key, value: Value)) -> Bool
  ) -> AnyCollectionProperty<[Key: Value]> where Items == [Key: Value] {
    AnyCollectionProperty(of: readOnlyView, by: DictionaryFilter(isIncluded: isIncluded))
  }

  /// Returns a live set of the members for which `isIncluded` returns true. It is called once for each member that is inserted or updated.
  public func filter<Member>(
    _ isIncluded: @escaping (Member) -> Bool
  ) -> AnyCollectionProperty<Set<Member>> where Items == Set<Member> {
    AnyCollectionProperty(of: readOnlyView, by: SetFilter(isIncluded: isIncluded))
  }
}

struct FilterDerivation<Source: PositionedList>: Derivation {
  let isIncluded: (Source.Element) -> Bool
  /// The elements of the source that pass the filter.
  private var passes = BitRow()

  init(isIncluded: @escaping (Source.Element) -> Bool) { self.isIncluded = isIncluded }

  mutating func start(_ source: Source) -> [Source.Element] {
    source.filter { element in
      let isSeen = isIncluded(element)
      passes.append(isSeen)
      return isSeen
    }
  }

  mutating func follow(
    _ changeset: CollectionChangeset<Source>, _ output: inout [Source.Element]
  ) -> CollectionChanges<Int> {
    if let move = changeset.changes.onlyMove { return follow(move, &output) }
    if changeset.changes.count > Array<Source.Element>.fewChanges { return followMany(changeset, &output) }
    var recorder = ListRecorder(count: output.count)
    for index in changeset.deletes.reversed() {
      let wasSeen = passes[index]
      passes.remove(at: index)
      if wasSeen {
        let rank = passes.rank(index)
        output.remove(at: rank)
        recorder.remove(at: rank)
      }
    }
    for index in changeset.inserts {
      let element = changeset.collection[index]
      let isSeen = isIncluded(element)
      passes.insert(isSeen, at: index)
      if isSeen { add(element, index, &output, &recorder) }
    }
    for index in changeset.updates {
      let element = changeset.collection[index]
      let (wasSeen, isSeen) = (passes[index], isIncluded(element))
      passes[index] = isSeen
      switch (wasSeen, isSeen) {
      case (true, true):
        let rank = passes.rank(index)
        output[rank] = element
        recorder.update(at: rank)
      case (true, false):
        let rank = passes.rank(index)
        output.remove(at: rank)
        recorder.remove(at: rank)
      case (false, true): add(element, index, &output, &recorder)
      case (false, false): break
      }
    }
    return recorder.finish()
  }

  /// Follows a move. The element passes the filter as before.
  private mutating func follow(
    _ move: CollectionMove<Int>, _ output: inout [Source.Element]
  ) -> CollectionChanges<Int> {
    let isSeen = passes[move.from]
    let rank = passes.rank(move.from)
    passes.remove(at: move.from)
    passes.insert(isSeen, at: move.to)
    if !isSeen { return CollectionChanges() }
    let newRank = passes.rank(move.to)
    if rank != newRank { output.insert(output.remove(at: rank), at: newRank) }
    return .move(from: rank, to: newRank)
  }

  private func add(
    _ element: Source.Element, _ index: Int, _ output: inout [Source.Element], _ recorder: inout ListRecorder
  ) {
    let rank = passes.rank(index)
    output.insert(element, at: rank)
    recorder.insert(at: rank)
  }

  /// Follows many changes in one pass over the list.
  private mutating func followMany(
    _ changeset: CollectionChangeset<Source>, _ output: inout [Source.Element]
  ) -> CollectionChanges<Int> {
    let (old, oldPasses) = (output, passes)
    var changes = CollectionChanges<Int>()
    output = []
    passes = BitRow()
    var oldIndex = 0
    var oldRank = 0
    var deletes = changeset.deletes[...]
    var inserts = changeset.inserts[...]
    var updates = changeset.updates[...]
    func dropDeleted() {
      while deletes.first == oldIndex {
        deletes.removeFirst()
        if oldPasses[oldIndex] {
          changes.deletes.append(oldRank)
          oldRank += 1
        }
        oldIndex += 1
      }
    }
    for (index, element) in changeset.collection.enumerated() {
      if inserts.first == index {
        inserts.removeFirst()
        let isSeen = isIncluded(element)
        passes.append(isSeen)
        if isSeen {
          changes.inserts.append(output.count)
          output.append(element)
        }
        continue
      }
      dropDeleted()
      let wasSeen = oldPasses[oldIndex]
      oldIndex += 1
      var isSeen = wasSeen
      if updates.first == index {
        updates.removeFirst()
        isSeen = isIncluded(element)
        switch (wasSeen, isSeen) {
        case (true, true): changes.updates.append(output.count)
        case (true, false): changes.deletes.append(oldRank)
        case (false, true): changes.inserts.append(output.count)
        case (false, false): break
        }
        if isSeen { output.append(element) }
      } else if wasSeen {
        output.append(old[oldRank])
      }
      if wasSeen { oldRank += 1 }
      passes.append(isSeen)
    }
    dropDeleted()
    return changes
  }
}

private struct DictionaryFilter<Key: Hashable, Value>: Derivation {
  let isIncluded: ((key: Key, value: Value)) -> Bool

  func start(_ source: [Key: Value]) -> [Key: Value] { source.filter { isIncluded($0) } }

  func follow(_ changeset: CollectionChangeset<[Key: Value]>, _ output: inout [Key: Value]) -> CollectionChanges<Key> {
    var recorder = KeyedRecorder<Key>()
    for key in changeset.deletes where output.removeValue(forKey: key) != nil {
      recorder.record(CollectionChanges(deletes: [key]))
    }
    for key in changeset.inserts + changeset.updates {
      guard let value = changeset.collection[key] else { continue }
      if isIncluded((key, value)) {
        let isNew = output.updateValue(value, forKey: key) == nil
        recorder.record(isNew ? CollectionChanges(inserts: [key]) : CollectionChanges(updates: [key]))
      } else if output.removeValue(forKey: key) != nil {
        recorder.record(CollectionChanges(deletes: [key]))
      }
    }
    return recorder.finish()
  }
}

private struct SetFilter<Member: Hashable>: Derivation {
  let isIncluded: (Member) -> Bool

  func start(_ source: Set<Member>) -> Set<Member> { source.filter { isIncluded($0) } }

  func follow(_ changeset: CollectionChangeset<Set<Member>>, _ output: inout Set<Member>) -> CollectionChanges<Member> {
    var recorder = KeyedRecorder<Member>()
    for member in changeset.deletes where output.remove(member) != nil {
      recorder.record(CollectionChanges(deletes: [member]))
    }
    for member in changeset.inserts + changeset.updates {
      // An equal member can differ in properties that `==` ignores.
      if isIncluded(member) {
        let isNew = output.update(with: member) == nil
        recorder.record(isNew ? CollectionChanges(inserts: [member]) : CollectionChanges(updates: [member]))
      } else if output.remove(member) != nil {
        recorder.record(CollectionChanges(deletes: [member]))
      }
    }
    return recorder.finish()
  }
}
