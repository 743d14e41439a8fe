import CStreams

/// The table of the last subscriptions of all chains in one domain. When its loop closes, it disposes those that are still open.
///
/// A subscription enters when it is created and leaves when it is deallocated, without a lock, on the thread of its domain. If
/// another thread deallocates it, its entry is cleared under a lock of all domains and is not used again. Growth of the table,
/// and the walk at the end, take that lock too, because they read all entries.
final class OpenSubscriptions {
  /// The entry of a subscription.
  struct Place {
    let index: UInt32
    /// The ID of the domain, or 0 without an entry.
    let domain: UInt32
  }

  private let domain: UInt32
  @exclusivity(unchecked) private var places = OpenSubscriptions.makePlaces(16)
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private var vacant: [UInt32] = []

  init(domain: UInt) { self.domain = UInt32(domain) }

  deinit { places.deallocate() }

  /// Enters `subscription` into the table of the caller's domain, if there is one. The table does not retain it.
  static func enter(_ subscription: Unmanaged<Subscription>) -> Place {
    guard let table = current else { return Place(index: 0, domain: 0) }
    return table._withUnsafeGuaranteedRef { Place(index: $0.add(subscription), domain: $0.domain) }
  }

  /// Clears the entry that `enter` returned.
  static func leave(_ place: Place) {
    let isAtHome = current?._withUnsafeGuaranteedRef { table in
      if table.domain != place.domain { return false }
      table.places[Int(place.index)] = nil
      table.vacant.append(place.index)
      return true
    }
    if isAtHome != true { HomeThread.withTable(of: place.domain) { $0?.places[Int(place.index)] = nil } }
  }

  private static var current: Unmanaged<OpenSubscriptions>? {
    headwater_open_subscriptions().map { .fromOpaque($0) }
  }

  private func add(_ subscription: Unmanaged<Subscription>) -> UInt32 {
    let index: UInt32
    if let last = vacant.popLast() {
      index = last
    } else {
      if used == places.count { grow() }
      index = UInt32(used)
      used += 1
    }
    places[Int(index)] = subscription
    return index
  }

  private static func makePlaces(_ count: Int) -> UnsafeMutableBufferPointer<Unmanaged<Subscription>?> {
    let places = UnsafeMutableBufferPointer<Unmanaged<Subscription>?>.allocate(capacity: count)
    places.initialize(repeating: nil)
    return places
  }

  private func grow() {
    let larger = OpenSubscriptions.makePlaces(used * 2)
    HomeThread.withTable(of: domain) { _ in
      _ = larger.update(fromContentsOf: places)
      places.deallocate()
      places = larger
    }
  }

  /// Returns the open subscription at `index`, or nil, even if another thread is deallocating it.
  private func subscription(at index: Int) -> Subscription? {
    HomeThread.withTable(of: domain) { _ in
      // Retaining an object during its deallocation would not keep it alive. A weak reference detects that.
      weak let subscription = places[index]?._withUnsafeGuaranteedRef { $0 }
      return subscription
    }
  }

  /// Disposes all open subscriptions in the order of their entries. Returns false if there are none.
  func disposeOfAll() -> Bool {
    var hasDisposed = false
    var index = 0
    // A disposal can add subscriptions.
    while index < used {
      if let subscription = subscription(at: index), !subscription.isOver {
        subscription.dispose()
        hasDisposed = true
      }
      index += 1
    }
    return hasDisposed
  }
}

extension HomeThread {
  /// Disposes the subscriptions that are open in the domain of the calling thread, whose loop closes. Observers are not
  /// notified. Returns false if there are none.
  package static func disposeOfOpenSubscriptions() -> Bool {
    guard let table = headwater_open_subscriptions() else { return false }
    return Unmanaged<OpenSubscriptions>.fromOpaque(table).takeUnretainedValue().disposeOfAll()
  }
}
