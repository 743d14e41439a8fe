/// A collection whose elements have positions by which changes are told: indices of an array, keys of a dictionary, members
/// of a set.
///
/// A dictionary's and a set's own indices are of no use for that: they are invalid after the next change.
public protocol PositionedCollection<Element, Position>: Collection {
  /// What tells where an element is.
  associatedtype Position: Hashable

  /// Where its elements are. O(n).
  var positions: [Position] { get }
}

extension PositionedCollection {
  /// Replacing everything as a change: all old elements are deleted, all new ones inserted.
  static func replacing(_ old: Self, with new: Self) -> CollectionChanges<Position> {
    CollectionChanges(inserts: new.positions, deletes: old.positions)
  }
}

/// A positioned collection in order, whose positions are 0, 1, 2, …
public protocol PositionedList<Element>: PositionedCollection, RandomAccessCollection
where Position == Int, Index == Int {}

extension PositionedList {
  /// 0, 1, 2, …
  public var positions: [Int] { Array(indices) }
}

extension Array: PositionedList {
  /// An index.
  public typealias Position = Int
}

extension Dictionary: PositionedCollection {
  /// A key.
  public typealias Position = Key

  /// Its keys.
  public var positions: [Key] { Array(keys) }
}

extension Set: PositionedCollection {
  /// A member.
  public typealias Position = Element

  /// Its members.
  public var positions: [Element] { Array(self) }
}

extension LazyMapSequence: PositionedCollection, PositionedList where Base: PositionedList {
  /// An index.
  public typealias Position = Int
}
