/// A merge of many elements into a sorted list in one pass. The kept elements are sorted, and so are the new and updated ones.
struct SortedMerge {
  /// The origin of an element of the new list.
  enum Place {
    /// The element at this index of the old list.
    case kept(Int)
    /// The incoming element with this index.
    case incoming(Int)
  }

  private(set) var places: [Place] = []
  /// The changes. An updated element that stays between the same neighbors is an update.
  private(set) var changes = CollectionChanges<Int>()

  /// - Parameters:
  ///   - count: The count of the old list.
  ///   - isKept: Whether the new list has the element at an index of the old one unchanged.
  ///   - incoming: For each new or updated element, in order, the old index; nil for a new one.
  ///   - comesBefore: Whether an incoming element precedes the kept element at an index of the old list.
  init(
    count: Int, isKept: (Int) -> Bool, incoming: [Int?], comesBefore: (_ incoming: Int, _ rank: Int) -> Bool
  ) {
    places.reserveCapacity(count + incoming.count)
    var stays = [Bool](repeating: false, count: count)
    var next = 0
    // The old index of the last element that stays.
    var last = -1
    func take(before end: Int) {
      if let rank = incoming[next], last < rank, rank < end {
        changes.updates.append(places.count)
        stays[rank] = true
        last = rank
      } else {
        changes.inserts.append(places.count)
      }
      places.append(.incoming(next))
      next += 1
    }
    for rank in 0..<count where isKept(rank) {
      while next < incoming.count, comesBefore(next, rank) { take(before: rank) }
      places.append(.kept(rank))
      stays[rank] = true
      last = rank
    }
    while next < incoming.count { take(before: count) }
    for rank in 0..<count where !stays[rank] { changes.deletes.append(rank) }
  }
}
