// Lists, with the mutators of an array. Their changes have indices as positions.

extension CollectionProperty {
  /// Appends an element.
  ///
  /// - Complexity: Amortized O(1).
  public func append<Element>(_ element: Element) where Items == [Element] {
    cell.change { items in
      items.append(element)
      return CollectionChanges(inserts: [items.count - 1])
    }
  }

  /// Appends elements, as one change.
  public func append<Element>(contentsOf elements: some Sequence<Element>) where Items == [Element] {
    // Iterated before the change, because the sequence can run any code.
    let elements = Array(elements)
    cell.change { items in
      let start = items.count
      items.append(contentsOf: elements)
      return CollectionChanges(inserts: Array(start..<items.count))
    }
  }

  /// Inserts an element before the one at `index`, or at the end if `index` is the count.
  public func insert<Element>(_ element: Element, at index: Int) where Items == [Element] {
    cell.change { items in
      items.insert(element, at: index)
      return CollectionChanges(inserts: [index])
    }
  }

  /// Inserts elements before the one at `index`, as one change.
  public func insert<Element>(contentsOf elements: some Collection<Element>, at index: Int) where Items == [Element] {
    let elements = Array(elements)
    cell.change { items in
      items.insert(contentsOf: elements, at: index)
      return CollectionChanges(inserts: Array(index..<index + elements.count))
    }
  }

  /// Removes the element at `index` and returns it.
  @discardableResult
  public func remove<Element>(at index: Int) -> Element where Items == [Element] {
    var removed: Element?
    cell.change { items in
      removed = items.remove(at: index)
      return CollectionChanges(deletes: [index])
    }
    return removed.unsafelyUnwrapped
  }

  /// Removes the first element and returns it. Traps if the list is empty.
  @discardableResult
  public func removeFirst<Element>() -> Element where Items == [Element] { remove(at: 0) }

  /// Removes the last element and returns it. Traps if the list is empty.
  @discardableResult
  public func removeLast<Element>() -> Element where Items == [Element] { remove(at: cell.items.count - 1) }

  /// Removes the first `count` elements, as one change. Traps if there are fewer.
  public func removeFirst<Element>(_ count: Int) where Items == [Element] { removeSubrange(0..<count) }

  /// Removes the last `count` elements, as one change. Traps if there are fewer.
  public func removeLast<Element>(_ count: Int) where Items == [Element] {
    removeSubrange(cell.items.count - count..<cell.items.count)
  }

  /// Removes the elements in a range, as one change.
  public func removeSubrange<Element>(_ range: Range<Int>) where Items == [Element] {
    replaceSubrange(range, with: EmptyCollection())
  }

  /// Removes the elements for which `shouldBeRemoved` returns true, as one change. The closure must not use this collection.
  ///
  /// - Complexity: O(n).
  public func removeAll<Element>(where shouldBeRemoved: (Element) -> Bool) where Items == [Element] {
    // Released after the change was sent, because a deinit can run any code.
    var removed: [Element] = []
    cell.change { items in
      let deletes = items.indices.filter { shouldBeRemoved(items[$0]) }
      items.removeAll(at: deletes) { removed.append($0) }
      return CollectionChanges(deletes: deletes)
    }
    withExtendedLifetime(removed) {}
  }

  /// Removes the last element and returns it, or returns nil if the list is empty.
  @discardableResult
  public func popLast<Element>() -> Element? where Items == [Element] { cell.items.isEmpty ? nil : removeLast() }

  /// Removes all elements, as one change. Sends nothing if the list is empty.
  public func removeAll<Element>(keepingCapacity: Bool = false) where Items == [Element] {
    // Elements are released after the change was sent, because a deinit can run any code.
    var old: [Element] = []
    cell.change { items in
      Swift.swap(&items, &old)
      if keepingCapacity { items.reserveCapacity(old.capacity) }
      return CollectionChanges(deletes: Array(old.indices))
    }
  }

  /// Moves the element at `source`, so that it is at `target` afterwards. Sends a move, and an update of the whole range between.
  public func move<Element>(from source: Int, to target: Int) where Items == [Element] {
    cell.change { items in
      if source != target { items.insert(items.remove(at: source), at: target) }
      return .move(from: source, to: target)
    }
  }

  /// Swaps two elements. Sends an update of both.
  public func swapAt<Element>(_ one: Int, _ other: Int) where Items == [Element] {
    cell.change { items in
      if one == other { return CollectionChanges() }
      items.swapAt(one, other)
      return CollectionChanges(updates: [min(one, other), max(one, other)])
    }
  }

  /// Replaces a range by other elements, as one change. Sends updates for the common length, and deletes or inserts for the rest.
  public func replaceSubrange<Element>(_ range: Range<Int>, with elements: some Collection<Element>)
  where Items == [Element] {
    let elements = Array(elements)
    // Released after the change was sent, because a deinit can run any code.
    let old = Array(cell.items[range])
    defer { withExtendedLifetime(old) {} }
    cell.change { items in
      let count = elements.count
      items.replaceSubrange(range, with: elements)
      let common = min(range.count, count)
      let (rest, new) = (range.lowerBound + common, range.lowerBound + count)
      return CollectionChanges(
        inserts: Array(rest..<max(rest, new)), deletes: Array(rest..<max(rest, range.upperBound)),
        updates: Array(range.lowerBound..<rest))
    }
  }

  /// The element at `index`. Setting it sends an update.
  public subscript<Element>(index: Int) -> Element where Items == [Element] {
    get { cell.items[index] }
    set {
      // The old element is released after the change was sent, because a deinit can run any code.
      var element = newValue
      cell.change { items in
        Swift.swap(&items[index], &element)
        return CollectionChanges(updates: [index])
      }
    }
  }

  /// Replaces the list. Sends deletes of all old elements and inserts of all new ones.
  public func replace<Element>(with elements: [Element]) where Items == [Element] {
    var list = elements
    cell.change { items in
      Swift.swap(&items, &list)
      return Items.replacing(list, with: items)
    }
  }

  /// Replaces the list. With `performDiff`, sends only the differences, as deletes and inserts.
  ///
  /// With `performDiff`, an element that equals the old one at its position in the order does not replace it, so that the collection has
  /// exactly the elements that its observers have received. If `==` compares only IDs, changes of other properties are not found; set such
  /// an element by its index.
  ///
  /// - Complexity: With `performDiff`, O((n + m)·d) time and O(n + m) memory for the counts n and m and d differences.
  public func replace<Element: Equatable>(with elements: [Element], performDiff: Bool) where Items == [Element] {
    if !performDiff {
      replace(with: elements)
      return
    }
    var list = elements
    cell.change { items in
      Swift.swap(&items, &list)
      let changes = listDifference(from: list, to: items)
      items.keepUnchanged(of: list, changes)
      return changes
    }
  }

  /// Sends all changes that `body` makes as one changeset. Batches can be nested; the outermost one sends. If `body` throws, its changes
  /// stay and are sent.
  @discardableResult
  public func batchUpdate<Element, Result, Failure: Error>(
    _ body: (CollectionProperty) throws(Failure) -> Result
  ) throws(Failure) -> Result where Items == [Element] {
    try cell.inBatch({ ListRecorder(count: $0.count) }) { () throws(Failure) in try body(self) }
  }
}
