/// One level of a `DeadlineWheel`: 64 slots, each an array of deadlines in the order in which they were added.
struct WheelLevel {
  static let bits = 6
  static let mask: UInt64 = 63
  private static let slotCount = 64
  /// How many deadlines of memory a slot keeps when it is emptied.
  private static let keptCapacity: Int32 = 4

  private struct Slot {
    var items: UnsafeMutablePointer<WheelItem>?
    var count: Int32 = 0
    var capacity: Int32 = 0
    /// Not later than any deadline in the slot.
    var earliest = Int64.max
  }

  private var slots: UnsafeMutablePointer<Slot>?
  /// One bit for each slot that is not empty.
  private(set) var occupied: UInt64 = 0

  /// The earliest deadline of a level that is not empty. After a cancellation it may be too early, never too late.
  var earliest: Int64 { slots![occupied.trailingZeroBitCount].earliest }

  func deallocate() {
    guard let slots else { return }
    for index in 0..<Self.slotCount { slots[index].items?.deallocate() }
    slots.deallocate()
  }

  @inline(__always)
  mutating func append(_ item: WheelItem, at index: Int) {
    let slot = (slots ?? makeSlots()) + index
    if slot.pointee.count == slot.pointee.capacity { Self.grow(slot) }
    slot.pointee.items.unsafelyUnwrapped[Int(slot.pointee.count)] = item
    slot.pointee.count += 1
    if item.deadline < slot.pointee.earliest { slot.pointee.earliest = item.deadline }
    occupied |= 1 << UInt64(index)
  }

  private mutating func makeSlots() -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: Self.slotCount)
    slots.initialize(repeating: Slot(), count: Self.slotCount)
    self.slots = slots
    return slots
  }

  /// Grows a slot by half: with a million deadlines in large slots, about a sixth of the memory is spare.
  private static func grow(_ slot: UnsafeMutablePointer<Slot>) {
    let count = Int(slot.pointee.count)
    let capacity = max(Int(keptCapacity), count + count / 2)
    let items = UnsafeMutablePointer<WheelItem>.allocate(capacity: capacity)
    if let old = slot.pointee.items {
      items.moveInitialize(from: old, count: count)
      old.deallocate()
    }
    slot.pointee.items = items
    slot.pointee.capacity = Int32(capacity)
  }

  /// Empties a slot and returns its memory, which the caller gives back with `giveBack`. Meanwhile, a large buffer does
  /// not belong to the slot.
  mutating func take(_ index: Int) -> UnsafeMutableBufferPointer<WheelItem> {
    let slot = slots! + index
    let items = UnsafeMutableBufferPointer(start: slot.pointee.items, count: Int(slot.pointee.count))
    let isKept = slot.pointee.capacity <= Self.keptCapacity
    slot.pointee.count = 0
    slot.pointee.earliest = .max
    if !isKept {
      slot.pointee.items = nil
      slot.pointee.capacity = 0
    }
    occupied &= ~(1 << UInt64(index))
    return items
  }

  /// Takes back the memory that `take` returned, after its items have been moved.
  func giveBack(_ items: UnsafeMutableBufferPointer<WheelItem>, to index: Int) {
    if slots![index].items != items.baseAddress { items.baseAddress?.deallocate() }
  }

  /// Releases the entries of canceled deadlines.
  mutating func removeCancelled() {
    var left = occupied
    while left != 0 {
      let index = left.trailingZeroBitCount
      left &= left - 1
      let slot = slots! + index
      var kept = 0
      var earliest = Int64.max
      for item in UnsafeMutableBufferPointer(start: slot.pointee.items, count: Int(slot.pointee.count)) {
        if item.isPending {
          slot.pointee.items![kept] = item
          earliest = min(earliest, item.deadline)
          kept += 1
        } else {
          item.entry.release()
        }
      }
      slot.pointee.count = Int32(kept)
      slot.pointee.earliest = earliest
      if kept == 0 {
        let items = take(index)
        giveBack(items, to: index)
      }
    }
  }

  /// Removes all items and passes each one to `drop`, which releases it.
  mutating func removeAll(_ drop: (WheelItem) -> Void) {
    while occupied != 0 {
      let index = occupied.trailingZeroBitCount
      let items = take(index)
      for item in items { drop(item) }
      giveBack(items, to: index)
    }
  }
}
