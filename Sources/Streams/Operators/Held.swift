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
