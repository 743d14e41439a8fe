/// A collection whose elements have positions for changes: the indices of an array, the keys of a dictionary, the members of a set.
///
/// The indices of a dictionary and of a set cannot be positions, because the next change invalidates them.
public protocol PositionedCollection<Element, Position>: Collection {
  /// The type of a position.
  associatedtype Position: Hashable

  /// The positions of all elements.
  ///
  /// - Complexity: O(n).
  var positions: [Position] { get }
}

extension PositionedCollection {
  /// Returns the changes of a replacement: deletes of all old elements and inserts of all new ones.
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
