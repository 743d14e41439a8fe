/// The pending elements of an operator. On deallocation they are dropped.
@usableFromInline
final class Held<Elements: RangeReplaceableCollection & BidirectionalCollection & MutableCollection> {
  @exclusivity(unchecked) @usableFromInline var value = Elements()

  @inlinable
  init() {}

  @inlinable
  deinit { if !value.isEmpty { drop() } }

  /// Takes all elements out.
  @inlinable
  func take() -> Elements {
    var all = Elements()
    swap(&all, &value)
    return all
  }

  @usableFromInline
  func drop() { Untaken.disposeAll(&value) }
}

/// An element that waits for its delivery. If it is not taken before the deallocation, it is disposed.
@usableFromInline
package final class HeldElement<Element> {
  @usableFromInline var element: Element?

  @inlinable
  package init(_ element: Element) { self.element = element }

  @inlinable
  package func take() -> Element? { element.take() }

  @inlinable
  deinit { if element != nil { Untaken.dispose(&element) } }
}

// One thread at a time has it: that which sends the element, and then that which takes or drops it.
extension HeldElement: @unchecked Sendable where Element: Sendable {}

/// The latest element of one source, for an operator that emits it with others or repeatedly.
@usableFromInline
final class Newest<Element> {
  @exclusivity(unchecked) @usableFromInline var element: Element?
  @exclusivity(unchecked) @usableFromInline var wasTaken = false

  @inlinable
  init() {}

  /// Replaces the element. Returns the previous one if it was never taken, so that the caller disposes it later.
  @inlinable
  func exchange(_ element: Element) -> Element? {
    var old: Element? = element
    swap(&old, &self.element)
    let isUntaken = !wasTaken
    wasTaken = false
    if isUntaken { return old }
    // Released after the new one is stored, because a deinit can run any code. Optimized code may release it before a later store
    // otherwise.
    withExtendedLifetime(old) {}
    return nil
  }

  /// Replaces the element. A previous one that was never taken is disposed.
  @inlinable
  func replace(with element: Element) {
    var old = exchange(element)
    if old != nil { Untaken.dispose(&old) }
  }

  /// The element, which is kept.
  @inlinable
  func take() -> Element? {
    wasTaken = true
    return element
  }

  @inlinable
  deinit { if !wasTaken, element != nil { Untaken.dispose(&element) } }
}
