/// Elements that an operator holds back. Those that it still has when it is released are dropped.
@usableFromInline
final class Held<Elements: RangeReplaceableCollection & BidirectionalCollection & MutableCollection> {
  @exclusivity(unchecked) @usableFromInline var value = Elements()

  @inlinable
  init() {}

  @inlinable
  deinit { if !value.isEmpty { drop() } }

  /// Gives all of them away.
  @inlinable
  func take() -> Elements {
    var all = Elements()
    swap(&all, &value)
    return all
  }

  @usableFromInline
  func drop() { Untaken.disposeAll(&value) }
}

/// The newest element of one source, for an operator that emits it together with others, or again.
@usableFromInline
final class Newest<Element> {
  @exclusivity(unchecked) @usableFromInline var element: Element?
  @exclusivity(unchecked) @usableFromInline var wasTaken = false

  @inlinable
  init() {}

  /// Replaces the element, and returns the one before if it was never taken, to be disposed of when all is in order again.
  @inlinable
  func exchange(_ element: Element) -> Element? {
    var old: Element?
    if !wasTaken { swap(&old, &self.element) }
    self.element = element
    wasTaken = false
    return old
  }

  /// Replaces the element; one that was never taken is disposed of.
  @inlinable
  func replace(with element: Element) {
    var old = exchange(element)
    if old != nil { Untaken.dispose(&old) }
  }

  /// The element, which stays.
  @inlinable
  func take() -> Element? {
    wasTaken = true
    return element
  }

  @inlinable
  deinit { if !wasTaken, element != nil { Untaken.dispose(&element) } }
}
