/// What has happened to a collection, and the collection that it has become.
///
/// `deletes` are positions in the collection before, `inserts` and `updates` positions in the one after; those of a list
/// ascend. To come from the old collection to the new one delete, insert, then take the updated elements from the new one.
///
/// A move of one element within a list has the whole range between its ends in `updates`: whoever does not look at `moves`
/// misses nothing.
public struct CollectionChangeset<Items: PositionedCollection> {
  /// The collection after the change.
  public let collection: Items
  /// What has happened.
  public let changes: CollectionChanges<Items.Position>

  /// A collection and what has happened to it; nothing by default.
  public init(
    collection: Items, changes: CollectionChanges<Items.Position> = CollectionChanges()
  ) {
    self.collection = collection
    self.changes = changes
  }

  /// Positions in the collection after the change that were not there before.
  public var inserts: [Items.Position] { changes.inserts }
  /// Positions in the collection before the change that are not there any more.
  public var deletes: [Items.Position] { changes.deletes }
  /// Positions in the collection after the change whose elements have changed.
  public var updates: [Items.Position] { changes.updates }
  /// Elements that have changed their place.
  public var moves: [CollectionMove<Items.Position>] { changes.moves }
  /// True for the first changeset that an observer gets, and for a change that changed nothing.
  public var isEmpty: Bool { changes.isEmpty }
}

extension CollectionChangeset: Equatable where Items: Equatable {}
extension CollectionChangeset: Sendable where Items: Sendable, Items.Position: Sendable {}

/// The positions that a change has touched. See `CollectionChangeset`.
public struct CollectionChanges<Position: Hashable>: Equatable {
  /// Positions after the change that were not there before.
  public var inserts: [Position]
  /// Positions before the change that are not there any more.
  public var deletes: [Position]
  /// Positions after the change whose elements have changed.
  public var updates: [Position]
  /// Elements that have changed their place; `updates` has the whole range, too.
  public var moves: [CollectionMove<Position>]

  /// Changes; none by default.
  public init(
    inserts: [Position] = [], deletes: [Position] = [], updates: [Position] = [],
    moves: [CollectionMove<Position>] = []
  ) {
    self.inserts = inserts
    self.deletes = deletes
    self.updates = updates
    self.moves = moves
  }

  /// True when nothing has happened.
  public var isEmpty: Bool { inserts.isEmpty && deletes.isEmpty && updates.isEmpty && moves.isEmpty }

  /// How many positions it names.
  var count: Int { inserts.count + deletes.count + updates.count }
}

extension CollectionChanges where Position == Int {
  /// The move that is all that has happened, or nil.
  var onlyMove: CollectionMove<Int>? {
    guard let move = moves.first, moves.count == 1, inserts.isEmpty, deletes.isEmpty,
      updates.count == abs(move.to - move.from) + 1
    else { return nil }
    return move
  }
}

extension CollectionChanges: Sendable where Position: Sendable {}

/// That an element has changed its place.
public struct CollectionMove<Position: Hashable>: Hashable {
  /// Where it was.
  public let from: Position
  /// Where it is.
  public let to: Position

  /// From where to where.
  public init(from: Position, to: Position) {
    self.from = from
    self.to = to
  }
}

extension CollectionMove: Sendable where Position: Sendable {}
