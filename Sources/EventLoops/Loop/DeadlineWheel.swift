import CUV
import Streams

/// The pending deadlines of a loop, in the order in which they are due. Equal deadlines keep the order in which they
/// were added. Built for a million deadlines as well as for one.
///
/// A hierarchical timing wheel. Time is counted in nanoseconds and divided into ticks of one millisecond. A level has
/// 64 slots, and each slot is as wide as the whole level below. A deadline lies in the level of the highest base-64
/// digit in which its tick differs from the current tick. All deadlines of a tick therefore lie in one slot, in the
/// order of adding. When time reaches a slot, its deadlines move to lower levels, and from the lowest level to `near`,
/// which is sorted by nanosecond.
///
/// A slot is an array of deadlines and references, so moving a deadline down does not touch the deadline's object.
/// Adding and taking are O(levels between); canceling is O(1). Entries of canceled deadlines are reclaimed at the
/// latest when half of the entries are canceled.
///
/// Ownership: wheel ===> Entry (until it has run or been reclaimed), caller ===> Entry, Entry ~~~> wheel.
final class DeadlineWheel {
  /// A pending deadline. Disposing it cancels it.
  final class Entry: Disposable {
    @exclusivity(unchecked) fileprivate var action: (() -> Void)?
    // The wheel clears it when the wheel itself is deallocated.
    @exclusivity(unchecked) fileprivate unowned(unsafe) var wheel: DeadlineWheel?

    fileprivate init(_ action: @escaping () -> Void, _ wheel: DeadlineWheel) {
      self.action = action
      self.wheel = wheel
    }

    /// True once the deadline has run or been canceled.
    var isDisposed: Bool { action == nil }

    /// Cancels the deadline.
    func dispose() {
      guard action != nil else { return }
      wheel?.willCancel()
      // Released last: the action may own the object that disposes of the wheel.
      let action = action.take()
      wheel?.didCancel()
      _ = action
    }
  }

  /// The latest possible deadline, some 292 years away.
  static let never = Int64.max
  static let tick: Int64 = 1_000_000

  // From the lowest level up. A level that was never needed has no memory.
  private let levels: UnsafeMutablePointer<WheelLevel>
  private static let levelCount = 8
  /// How many deadlines ahead of the running one are prefetched from memory.
  private static let lookahead = 8
  /// The tick up to which slots have been emptied.
  @exclusivity(unchecked) private var current: UInt64
  /// The deadlines that are due in the current tick or earlier. Unsorted while `isSorted` is false.
  @exclusivity(unchecked) private var near: [WheelItem] = []
  @exclusivity(unchecked) private var isSorted = true
  /// The number of pending deadlines.
  @exclusivity(unchecked) private(set) var count = 0
  /// The number of entries that belong to canceled deadlines.
  @exclusivity(unchecked) private var cancelled = 0
  @exclusivity(unchecked) private var isFiring = false
  /// The due deadlines that are being run. Those from `firingIndex` on have not run yet.
  @exclusivity(unchecked) private var firing: [WheelItem] = []
  @exclusivity(unchecked) private var firingIndex = 0

  /// Called before a deadline is canceled. Traps if the caller may not cancel it.
  var onCancel: (() -> Void)?
  /// Called when the last pending deadline has been canceled.
  var onEmpty: (() -> Void)?

  /// Makes an empty wheel whose time is `time`.
  init(at time: Int64) {
    current = UInt64(max(0, time) / Self.tick)
    levels = .allocate(capacity: Self.levelCount)
    levels.initialize(repeating: WheelLevel(), count: Self.levelCount)
  }

  deinit {
    removeAll()
    for level in 0..<Self.levelCount { levels[level].deallocate() }
    levels.deallocate()
  }

  /// The tick of a deadline. Tick n holds the deadlines in (n, n + 1] milliseconds, so all are due when it ends.
  @inline(__always)
  private static func tick(of deadline: Int64) -> UInt64 { deadline <= 0 ? 0 : UInt64(deadline - 1) / UInt64(tick) }

  // MARK: Adding

  /// Adds a deadline.
  func add(_ deadline: Int64, _ action: @escaping () -> Void) -> Entry {
    let entry = Entry(action, self)
    insert(WheelItem(deadline: deadline, entry: .passRetained(entry)))
    count += 1
    return entry
  }

  @inline(__always)
  private func insert(_ item: WheelItem) {
    let tick = Self.tick(of: item.deadline)
    if tick <= current {
      if let last = near.last, item.deadline < last.deadline { isSorted = false }
      near.append(item)
    } else {
      let level = (63 - (tick ^ current).leadingZeroBitCount) / WheelLevel.bits
      levels[level].append(item, at: Int((tick >> UInt64(level * WheelLevel.bits)) & WheelLevel.mask))
    }
  }

  // MARK: Serving

  /// The earliest pending deadline, or nil if there is none. After a cancellation it may be earlier than the earliest
  /// pending deadline, but never later.
  var next: Int64? {
    if count == 0 { return nil }
    sort()
    if let first = near.first { return first.deadline }
    for level in 0..<Self.levelCount where levels[level].occupied != 0 { return levels[level].earliest }
    return nil
  }

  /// Runs the actions that are due at `time`, in order. Deadlines that the actions add wait for the next call, even if
  /// they are due already. `time` must never decrease.
  func fire(at time: Int64) {
    if isFiring || count == 0 { return }
    isFiring = true
    takeDue(at: time)
    // Of a million deadlines added at random, none is in a cache: memory latency dominates.
    for item in firing.prefix(Self.lookahead) { item.prefetch() }
    while firingIndex < firing.count {
      if firingIndex + Self.lookahead < firing.count { firing[firingIndex + Self.lookahead].prefetch() }
      let entry = firing[firingIndex].entry.takeRetainedValue()
      firingIndex += 1
      if let action = entry.action.take() {
        count -= 1
        action()
      } else {
        cancelled -= 1
      }
    }
    firingIndex = 0
    firing.removeAll(keepingCapacity: firing.capacity <= 4096)
    isFiring = false
    if cancelled > 0 { tidy() }
  }

  /// Moves the deadlines that are due at `time` from `near` to `firing`.
  private func takeDue(at time: Int64) {
    advance(to: UInt64(max(0, time) / Self.tick))
    sort()
    if let last = near.last, last.deadline <= time {
      swap(&near, &firing)
    } else {
      // Sorted: finds the first deadline that is not due.
      var low = 0
      var high = near.count
      while low < high {
        let middle = (low + high) / 2
        if near[middle].deadline <= time { low = middle + 1 } else { high = middle }
      }
      firing.append(contentsOf: near[..<low])
      near.removeSubrange(..<low)
    }
  }

  private func sort() {
    if isSorted { return }
    // The sort of the standard library is stable.
    near.sort { $0.deadline < $1.deadline }
    isSorted = true
  }

  /// Empties the slots up to the tick `target`, the earliest first.
  private func advance(to target: UInt64) {
    while let level = (0..<Self.levelCount).first(where: { levels[$0].occupied != 0 }) {
      let slot = levels[level].occupied.trailingZeroBitCount
      let shift = UInt64(level * WheelLevel.bits)
      // All slots of a level share the higher digits with the current tick; the highest level has no higher digits.
      let above = shift + UInt64(WheelLevel.bits)
      let start = ((current >> above) << above) | (UInt64(slot) << shift)
      if start > target { break }
      current = start
      let items = levels[level].take(slot)
      for item in items { insert(item) }
      levels[level].giveBack(items, to: slot)
    }
    current = max(current, target)
  }

  // MARK: Canceling

  fileprivate func willCancel() { onCancel?() }

  fileprivate func didCancel() {
    count -= 1
    cancelled += 1
    if !isFiring { tidy() }
    if count == 0 { onEmpty?() }
  }

  /// Reclaims the entries of canceled deadlines if there are enough of them.
  private func tidy() {
    guard cancelled > count, count == 0 || cancelled > 64 else { return }
    for level in 0..<Self.levelCount { levels[level].removeCancelled() }
    near.removeAll { item in
      if item.isPending { return false }
      item.entry.release()
      return true
    }
    if near.isEmpty { isSorted = true }
    cancelled = 0
  }

  /// Drops all deadlines, including due ones that have not run yet when an action calls this.
  func removeAll() {
    var dropped: [Entry] = []
    dropped.reserveCapacity(count)
    func drop(_ item: WheelItem) {
      let entry = item.entry.takeRetainedValue()
      entry.wheel = nil
      dropped.append(entry)
    }
    for level in 0..<Self.levelCount { levels[level].removeAll(drop) }
    for item in near { drop(item) }
    near = []
    isSorted = true
    for item in firing[firingIndex...] { drop(item) }
    firing.removeLast(firing.count - firingIndex)
    count = 0
    cancelled = 0
    // Releasing an action may run any code, and may cancel other deadlines.
    for entry in dropped { entry.action = nil }
  }
}

/// An entry of the wheel: a deadline and its object. It moves down the levels as time passes.
struct WheelItem {
  let deadline: Int64
  let entry: Unmanaged<DeadlineWheel.Entry>

  /// As a rule, the closure's captures were allocated right before the entry.
  func prefetch() {
    let address = UnsafeRawPointer(entry.toOpaque())
    headwater_prefetch(address)
    headwater_prefetch(address - 64)
  }

  var isPending: Bool { entry._withUnsafeGuaranteedRef { !$0.isDisposed } }
}

@available(*, unavailable)
extension DeadlineWheel: Sendable {}
