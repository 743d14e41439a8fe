/// A sorted list into which many elements are merged at once, in one pass: those that are kept are in order already, those that
/// have come or changed have been sorted by themselves.
struct SortedMerge {
  /// What is at a place of the new list.
  enum Place {
    /// The element that was at this place of the old one.
    case kept(Int)
    /// This one of the incoming elements.
    case incoming(Int)
  }

  private(set) var places: [Place] = []
  /// What has happened. An element that has changed and still stands between the same others is an update.
  private(set) var changes = CollectionChanges<Int>()

  /// - Parameters:
  ///   - count: Of the old list.
  ///   - isKept: Whether the element at a place of the old list is in the new one, unchanged.
  ///   - incoming: For each that has come or changed, in order, where it was: nil for those that have come.
  ///   - comesBefore: Whether an incoming element comes before the one that was at a place of the old list and is kept.
  init(
    count: Int, isKept: (Int) -> Bool, incoming: [Int?], comesBefore: (_ incoming: Int, _ rank: Int) -> Bool
  ) {
    places.reserveCapacity(count + incoming.count)
    var stays = [Bool](repeating: false, count: count)
    var next = 0
    // The place in the old list of the last element that stays.
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
