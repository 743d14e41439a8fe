// Lists: every mutator of an array, told by index.

extension CollectionProperty {
  /// Adds an element at the end. Amortised O(1).
  public func append<Element>(_ element: Element) where Items == [Element] {
    cell.change { items in
      items.append(element)
      return CollectionChanges(inserts: [items.count - 1])
    }
  }

  /// Adds elements at the end, as one change.
  public func append<Element>(contentsOf elements: some Sequence<Element>) where Items == [Element] {
    // The sequence runs before the change: it may do anything.
    let elements = Array(elements)
    cell.change { items in
      let start = items.count
      items.append(contentsOf: elements)
      return CollectionChanges(inserts: Array(start..<items.count))
    }
  }

  /// Inserts an element before the one at `index`; at the end where that is the count.
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

  /// Removes the first element and returns it. There has to be one.
  @discardableResult
  public func removeFirst<Element>() -> Element where Items == [Element] { remove(at: 0) }

  /// Removes the last element and returns it. There has to be one.
  @discardableResult
  public func removeLast<Element>() -> Element where Items == [Element] { remove(at: cell.items.count - 1) }

  /// Removes so many elements from the front, as one change. There have to be as many.
  public func removeFirst<Element>(_ count: Int) where Items == [Element] { removeSubrange(0..<count) }

  /// Removes so many elements from the end, as one change. There have to be as many.
  public func removeLast<Element>(_ count: Int) where Items == [Element] {
    removeSubrange(cell.items.count - count..<cell.items.count)
  }

  /// Removes the elements in a range, as one change.
  public func removeSubrange<Element>(_ range: Range<Int>) where Items == [Element] {
    replaceSubrange(range, with: EmptyCollection())
  }

  /// Removes the elements of which `shouldBeRemoved` says so, as one change. The closure may not use this collection. O(n).
  public func removeAll<Element>(where shouldBeRemoved: (Element) -> Bool) where Items == [Element] {
    // Released when the change has been told: that may run anything.
    var removed: [Element] = []
    cell.change { items in
      let deletes = items.indices.filter { shouldBeRemoved(items[$0]) }
      items.removeAll(at: deletes) { removed.append($0) }
      return CollectionChanges(deletes: deletes)
    }
    _ = consume removed
  }

  /// Removes the last element and returns it, or nil where there is none.
  @discardableResult
  public func popLast<Element>() -> Element? where Items == [Element] { cell.items.isEmpty ? nil : removeLast() }

  /// Removes all elements, as one change. Tells nothing where there is none.
  public func removeAll<Element>(keepingCapacity: Bool = false) where Items == [Element] {
    // Elements are released when the change has been told: that may run anything.
    var old: [Element] = []
    cell.change { items in
      Swift.swap(&items, &old)
      if keepingCapacity { items.reserveCapacity(old.capacity) }
      return CollectionChanges(deletes: Array(old.indices))
    }
  }

  /// Takes the element at `source` out and puts it in so that it is at `target` afterwards. Told as a move, and as an update
  /// of the whole range between.
  public func move<Element>(from source: Int, to target: Int) where Items == [Element] {
    cell.change { items in
      if source != target { items.insert(items.remove(at: source), at: target) }
      return .move(from: source, to: target)
    }
  }

  /// Swaps two elements. Told as an update of both.
  public func swapAt<Element>(_ one: Int, _ other: Int) where Items == [Element] {
    cell.change { items in
      if one == other { return CollectionChanges() }
      items.swapAt(one, other)
      return CollectionChanges(updates: [min(one, other), max(one, other)])
    }
  }

  /// Replaces a range by other elements, as one change: as many as both have in common are updates, the rest is deleted or
  /// inserted.
  public func replaceSubrange<Element>(_ range: Range<Int>, with elements: some Collection<Element>)
  where Items == [Element] {
    let elements = Array(elements)
    // Released when the change has been told: that may run anything.
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

  /// The element at `index`. Setting it is told as an update.
  public subscript<Element>(index: Int) -> Element where Items == [Element] {
    get { cell.items[index] }
    set {
      // The old element is released when the change has been told: that may run anything.
      var element = newValue
      cell.change { items in
        Swift.swap(&items[index], &element)
        return CollectionChanges(updates: [index])
      }
    }
  }

  /// Replaces everything: all old elements are deleted, all new ones inserted.
  public func replace<Element>(with elements: [Element]) where Items == [Element] {
    var list = elements
    cell.change { items in
      Swift.swap(&items, &list)
      return Items.replacing(list, with: items)
    }
  }

  /// Replaces everything; with `performDiff` only what differs is told, as deletes and inserts.
  ///
  /// With `performDiff` an element that is equal to an old one at its place in the order does not replace it, so that the
  /// collection holds exactly what its observers have been told. If `==` compares IDs alone, changes of the other properties
  /// are not found: set such an element by its index.
  ///
  /// Cost of finding out, where n and m are the counts and d is how many elements differ: O((n + m)·d) time, O(n + m) memory.
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

  /// Tells all changes that `body` makes as one. Batches may be nested; the outermost tells. Where `body` throws, what it
  /// has changed stays changed and is told.
  @discardableResult
  public func batchUpdate<Element, Result, Failure: Error>(
    _ body: (CollectionProperty) throws(Failure) -> Result
  ) throws(Failure) -> Result where Items == [Element] {
    try cell.inBatch({ ListRecorder(count: $0.count) }) { () throws(Failure) in try body(self) }
  }
}
