/// A change of a collection, with the collection after it.
///
/// `deletes` are positions in the old collection; `inserts` and `updates` are positions in the new one. The positions of a list ascend. To
/// convert the old collection into the new one, delete, insert, then copy the updated elements.
///
/// A move of one element within a list has the whole range between both positions in `updates`, so an observer can ignore `moves`.
public struct CollectionChangeset<Items: PositionedCollection> {
  /// The collection after the change.
  public let collection: Items
  /// The changes.
  public let changes: CollectionChanges<Items.Position>
  /// The identity of the change; nil if no live collection made it.
  let stamp: ChangesetStamp?

  /// Creates a changeset of a collection and its changes, none by default.
  public init(
    collection: Items, changes: CollectionChanges<Items.Position> = CollectionChanges()
  ) { self.init(collection: collection, changes: changes, stamp: nil) }

  init(collection: Items, changes: CollectionChanges<Items.Position> = CollectionChanges(), stamp: ChangesetStamp?) {
    self.collection = collection
    self.changes = changes
    self.stamp = stamp
  }

  /// The positions of new elements in the collection after the change.
  public var inserts: [Items.Position] { changes.inserts }
  /// The positions of removed elements in the collection before the change.
  public var deletes: [Items.Position] { changes.deletes }
  /// The positions of changed elements in the collection after the change.
  public var updates: [Items.Position] { changes.updates }
  /// The moves of elements.
  public var moves: [CollectionMove<Items.Position>] { changes.moves }
  /// True for the first changeset of an observer, and for a change that changed nothing.
  public var isEmpty: Bool { changes.isEmpty }
}

extension CollectionChangeset: Equatable where Items: Equatable {
  /// Returns whether both changesets have equal collections and changes.
  public static func == (one: Self, other: Self) -> Bool {
    one.changes == other.changes && one.collection == other.collection
  }
}

extension CollectionChangeset: Sendable where Items: Sendable, Items.Position: Sendable {}

/// The identity of a changeset, which shows whether it directly follows another. If it does not, because one was dropped or a change was
/// silent, its changes cannot be applied.
struct ChangesetStamp: Equatable {
  /// The number of the collection's cell. Not its address, which the cell of the next collection can have.
  let origin: UInt64
  let number: UInt64

  private static let lastOrigin = Lock<UInt64>(0)

  static func makeOrigin() -> UInt64 {
    lastOrigin.withLock { last in
      last += 1
      return last
    }
  }

  func follows(_ other: ChangesetStamp?) -> Bool {
    guard let other else { return false }
    return origin == other.origin && number == other.number &+ 1
  }
}

/// The positions of the changes in a `CollectionChangeset`.
public struct CollectionChanges<Position: Hashable>: Equatable {
  /// The positions of new elements after the change.
  public var inserts: [Position]
  /// The positions of removed elements before the change.
  public var deletes: [Position]
  /// The positions of changed elements after the change.
  public var updates: [Position]
  /// The moves of elements. `updates` also has the whole range of each move.
  public var moves: [CollectionMove<Position>]

  /// Creates changes, none by default.
  public init(
    inserts: [Position] = [], deletes: [Position] = [], updates: [Position] = [],
    moves: [CollectionMove<Position>] = []
  ) {
    self.inserts = inserts
    self.deletes = deletes
    self.updates = updates
    self.moves = moves
  }

  /// True if there is no change.
  public var isEmpty: Bool { inserts.isEmpty && deletes.isEmpty && updates.isEmpty && moves.isEmpty }

  /// The number of positions.
  var count: Int { inserts.count + deletes.count + updates.count }
}

extension CollectionChanges where Position == Int {
  /// Returns whether the changes can lead from a list of one length to one of another: the positions ascend, exist, and add up.
  func lead(from oldCount: Int, to newCount: Int) -> Bool {
    func ascend(_ positions: [Int], below bound: Int) -> Bool {
      var last = -1
      for position in positions {
        if position <= last { return false }
        last = position
      }
      return last < bound
    }
    guard oldCount - deletes.count + inserts.count == newCount, ascend(deletes, below: oldCount),
      ascend(inserts, below: newCount), ascend(updates, below: newCount)
    else { return false }
    let touched = Set(updates)
    for move in moves where !(0..<oldCount ~= move.from && 0..<newCount ~= move.to && touched.contains(move.to)) {
      return false
    }
    return inserts.isEmpty || touched.isDisjoint(with: inserts)
  }

  /// Returns the changes of a move of one element.
  static func move(from source: Int, to target: Int) -> CollectionChanges {
    if source == target { return CollectionChanges() }
    return CollectionChanges(
      updates: Array(min(source, target)...max(source, target)), moves: [CollectionMove(from: source, to: target)])
  }

  /// The move if it is the only change, or nil.
  var onlyMove: CollectionMove<Int>? {
    guard let move = moves.first, moves.count == 1, inserts.isEmpty, deletes.isEmpty,
      updates.count == abs(move.to - move.from) + 1
    else { return nil }
    return move
  }
}

extension CollectionChanges: Sendable where Position: Sendable {}

/// A move of an element.
public struct CollectionMove<Position: Hashable>: Hashable {
  /// The position before the change.
  public let from: Position
  /// The position after the change.
  public let to: Position

  /// Creates a move.
  public init(from: Position, to: Position) {
    self.from = from
    self.to = to
  }
}

extension CollectionMove: Sendable where Position: Sendable {}
