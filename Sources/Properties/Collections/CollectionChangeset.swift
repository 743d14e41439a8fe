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
  /// Which change of which live collection it is; nil for one that somebody else has made.
  let stamp: ChangesetStamp?

  /// A collection and what has happened to it; nothing by default.
  public init(
    collection: Items, changes: CollectionChanges<Items.Position> = CollectionChanges()
  ) { self.init(collection: collection, changes: changes, stamp: nil) }

  init(collection: Items, changes: CollectionChanges<Items.Position> = CollectionChanges(), stamp: ChangesetStamp?) {
    self.collection = collection
    self.changes = changes
    self.stamp = stamp
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

extension CollectionChangeset: Equatable where Items: Equatable {
  /// Whether both tell the same.
  public static func == (one: Self, other: Self) -> Bool {
    one.changes == other.changes && one.collection == other.collection
  }
}

extension CollectionChangeset: Sendable where Items: Sendable, Items.Position: Sendable {}

/// Tells whether one changeset follows another: whoever gets a changeset after one that it does not follow, because something
/// was left out between them or changed silently, cannot rely on its changes.
struct ChangesetStamp: Equatable {
  let origin: ObjectIdentifier
  let number: UInt64

  func follows(_ other: ChangesetStamp?) -> Bool {
    guard let other else { return false }
    return origin == other.origin && number == other.number &+ 1
  }
}

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
  /// Whether they can lead from a list of one length to one of another: positions ascend, exist, and add up.
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

  /// That an element has changed its place, and nothing else has happened.
  static func move(from source: Int, to target: Int) -> CollectionChanges {
    if source == target { return CollectionChanges() }
    return CollectionChanges(
      updates: Array(min(source, target)...max(source, target)), moves: [CollectionMove(from: source, to: target)])
  }

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
