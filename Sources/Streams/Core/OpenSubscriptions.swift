import CStreams

/// The subscriptions at the ends of chains in one domain: its loop disposes of those that are still open when it closes.
///
/// A subscription enters when it is made and leaves when it is deallocated, without a lock, on the thread of its domain. Where
/// another thread deallocates it, its place is cleared under the lock of all domains and not used again; growth and the walk at
/// the end, which read the places of others, take that lock, too.
final class OpenSubscriptions {
  /// Where a subscription stands.
  struct Place {
    let index: UInt32
    /// The number of the domain; 0 without a place.
    let domain: UInt32
  }

  private let domain: UInt32
  @exclusivity(unchecked) private var places = OpenSubscriptions.makePlaces(16)
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private var vacant: [UInt32] = []

  init(domain: UInt) { self.domain = UInt32(domain) }

  deinit { places.deallocate() }

  /// Gives `subscription` a place in the table of the caller's domain, if that has one. The place does not retain it.
  static func enter(_ subscription: Unmanaged<Subscription>) -> Place {
    guard let table = current else { return Place(index: 0, domain: 0) }
    return table._withUnsafeGuaranteedRef { Place(index: $0.add(subscription), domain: $0.domain) }
  }

  /// Clears the place that `enter` has given.
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

  /// The open subscription at `index`; nil also where another thread is deallocating it.
  private func subscription(at index: Int) -> Subscription? {
    HomeThread.withTable(of: domain) { _ in
      // Retaining an object that is being deallocated would not keep it; a weak reference tells.
      weak let subscription = places[index]?._withUnsafeGuaranteedRef { $0 }
      return subscription
    }
  }

  /// Disposes of what is open, in the order of the places. False if nothing is.
  func disposeOfAll() -> Bool {
    var hasDisposed = false
    var index = 0
    // What is disposed of may subscribe anew.
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
  /// Disposes of the subscriptions that are still open in the domain of the calling thread: its loop closes. False if there
  /// are none. Observers are not notified.
  package static func disposeOfOpenSubscriptions() -> Bool {
    guard let table = headwater_open_subscriptions() else { return false }
    return Unmanaged<OpenSubscriptions>.fromOpaque(table).takeUnretainedValue().disposeOfAll()
  }
}
