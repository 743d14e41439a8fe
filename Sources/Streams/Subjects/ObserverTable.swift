/// The observers of a hot stream in the order of their subscription, with the rules of delivery.
///
/// An observer that is added during a delivery starts with the next element. An observer that is disposed during a delivery receives
/// nothing more. Elements that are sent during a delivery are delivered after it, to all observers in order. The terminal event
/// clears the table. A later observer receives it immediately.
///
/// The entries are adjacent in raw memory and are not copyable. A delivery borrows each closure, so it needs neither a retain nor an
/// exclusivity check. Adding and removing are amortized O(1).
///
/// Ownership: table ===> entry ===> observer's closures and subscription. A subscription refers to the table while it has an entry
/// there, without retaining it.
@usableFromInline
final class ObserverTable<Element, Failure: Error>: HotSource {
  @frozen @usableFromInline
  struct Entry: ~Copyable {
    @usableFromInline let onNext: (Element) -> Void
    @usableFromInline let onTermination: (Termination<Failure>) -> Void
    @usableFromInline let subscription: Subscription

    @inlinable
    init(_ observer: Observer<Element, Failure>) {
      onNext = observer.onNext
      onTermination = observer.onTermination
      subscription = observer.subscription
    }

    /// True if the entry was removed during a delivery and is still here.
    @inlinable
    var isStale: Bool { subscription.hotSource == nil }
  }

  @frozen @usableFromInline
  struct Slot: ~Copyable {
    @usableFromInline var entry: Entry?

    @inlinable
    init(_ entry: consuming Entry?) { self.entry = consume entry }

    /// Takes the entry and leaves a hole. `entry.take()` would look up its type at run time, because a disposal does not know the type
    /// of the table.
    @inlinable @inline(__always)
    mutating func take() -> Entry? {
      let old = consume self
      self = Slot(nil)
      return old.entry
    }
  }

  @usableFromInline static var delivering: UInt8 { 1 }
  @usableFromInline static var terminated: UInt8 { 2 }
  /// Set if there is work after the delivery: queued events, stale entries, or old memory.
  @usableFromInline static var afterwork: UInt8 { 4 }
  /// Set if the sender was deallocated without an end.
  @usableFromInline static var vanished: UInt8 { 8 }
  /// Set if there is a memory. A bit, so that `next` checks it together with the others.
  @usableFromInline static var remembers: UInt8 { 16 }

  @exclusivity(unchecked) @usableFromInline var flags: UInt8 = 0
  @exclusivity(unchecked) @usableFromInline var count = 0
  @exclusivity(unchecked) @usableFromInline var slots: UnsafeMutablePointer<Slot>?
  @exclusivity(unchecked) @usableFromInline var capacity = 0
  /// The number of slots without a live entry.
  @exclusivity(unchecked) @usableFromInline var holes = 0
  @exclusivity(unchecked) @usableFromInline var outgrown: [UnsafeMutablePointer<Slot>] = []
  @exclusivity(unchecked) @usableFromInline var queue = ReentryQueue<Element, Failure>()
  @exclusivity(unchecked) @usableFromInline var termination: Termination<Failure>?
  @exclusivity(unchecked) @usableFromInline var home = Home.unset
  /// The last elements, if late observers receive them.
  @usableFromInline let memory: ReplayMemory<Element>?

  /// Creates a table that replays the last `limit` elements.
  @inlinable
  init(replaying limit: Int = 0) {
    memory = limit > 0 ? ReplayMemory(limit) : nil
    flags = limit > 0 ? Self.remembers : 0
  }

  @inlinable
  deinit {
    removeAll()
    slots?.deallocate()
  }

  /// The number of observers.
  @inlinable
  var observerCount: Int { count - holes }

  // MARK: Home

  /// Traps if the caller is not on the thread of the home, unless the home is not settled.
  @inlinable @inline(__always)
  func checkHome(_ what: StaticString = "A hot stream") { if home.isOtherThread { verifyHome(what) } }

  @usableFromInline @inline(never)
  func verifyHome(_ what: StaticString) { home.verify(what) }

  // MARK: Delivering

  @inlinable
  func next(_ element: Element) {
    checkHome()
    #if Tracing
    if Trace.isOn { Trace.sent(element, by: self) }
    #endif
    if flags != 0 {
      nextWithFlags(element)
      return
    }
    flags = Self.delivering
    deliver(element)
    flags &= ~Self.delivering
    if flags != 0 { finishDelivery() }
  }

  @inlinable @inline(__always)
  func deliver(_ element: Element) { deliver(element, to: count) }

  @inlinable @inline(__always)
  func deliver(_ element: Element, to end: Int) {
    // No entry is destroyed and no memory is freed during a delivery, so the borrow below stays valid. Observers that are added
    // meanwhile are after `end`.
    var index = 0
    while index < end {
      switch slots.unsafelyUnwrapped[index].entry {
      case .some(let entry): if !entry.isStale { entry.onNext(element) }
      case .none: break
      }
      index &+= 1
    }
  }

  // Out of line, so that `next` stays short enough to be inlined.
  @inlinable @inline(never)
  func nextWithFlags(_ element: Element) {
    if flags & Self.terminated != 0 { return }
    if flags & Self.delivering == 0 { return storeAndDeliver(element) }
    queue.append(element)
    flags |= Self.afterwork
  }

  @inlinable
  func terminate(_ termination: Termination<Failure>) {
    checkHome()
    if flags & Self.terminated != 0 { return }
    if flags & Self.delivering != 0 {
      queue.append(termination)
      flags |= Self.afterwork
      return
    }
    finish(termination)
  }

  @inlinable @inline(never)
  func finishDelivery() {
    flags |= Self.delivering
    while true {
      if holes == count, memory == nil { queue.dropElements() }
      guard let element = queue.popElement() else { break }
      let end = count
      memory?.add(element)
      deliver(element, to: end)
    }
    let end = queue.takeTermination()
    flags &= ~(Self.delivering | Self.afterwork)
    for memory in outgrown { memory.deallocate() }
    outgrown = []
    if let end {
      finish(end)
    } else if holes > 0 {
      compact()
    }
  }

  @inlinable
  func finish(_ termination: Termination<Failure>) {
    self.termination = termination
    flags |= Self.terminated
    takeAll { entry in entry.onTermination(termination) }
  }

  // MARK: Observers

  @inlinable
  func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable {
    if !home.isThisThread { home.settle(for: "A hot stream") }
    if let termination {
      observer.terminate(termination)
      return .none
    }
    if flags & Self.vanished != 0 {
      observer.subscription.sourceDidVanish()
      return .none
    }
    // The subscription stores the index of its entry, so it can be in only one table.
    if observer.subscription.hotSource != nil {
      misuse(
        """
        An observer is subscribed to two hot streams at once. In a producer observe each with `observe` and send on to \
        the observer; in an operator make a Subscription for each upstream.
        """)
    }
    if count == capacity { makeRoom() }
    observer.subscription.hotSource = .passUnretained(self)
    observer.subscription.tableIndex = UInt32(truncatingIfNeeded: count)
    (slots.unsafelyUnwrapped + count).initialize(to: Slot(Entry(observer)))
    count += 1
    #if DEBUG
    observer.subscription.isLinked(by: { "hot \(Element.self)" })
    #endif
    #if Tracing
    if Trace.isOn { Trace.joined(observer.subscription, self, Element.self) }
    #endif
    // The subscription stores its index itself.
    return observer.subscription
  }

  override package var observerMemory: UnsafeRawBufferPointer? {
    UnsafeRawBufferPointer(start: slots, count: count * MemoryLayout<Slot>.stride)
  }

  @inlinable
  override func remove(_ subscription: Subscription) {
    guard subscription.hotSource != nil else { return }
    checkHome()
    subscription.hotSource = nil
    // `takeAll` is running, and skips this entry.
    guard let slots else { return }
    holes += 1
    if flags & Self.delivering != 0 {
      flags |= Self.afterwork
      return
    }
    // Released at the end of this function, because a deinit can run any code.
    let removed = slots[Int(subscription.tableIndex)].take()
    // A hole needs no deinitialization.
    while count > 0, isHole(count - 1) {
      count -= 1
      holes -= 1
    }
    if holes > 32, holes * 2 > count { compact() }
    withExtendedLifetime(removed) {}
  }

  /// Handles the deallocation of the sender: neither present nor later observers receive anything more.
  @usableFromInline
  func vanish() {
    flags |= Self.vanished
    removeAll()
  }

  /// Releases all observers without an end.
  @inlinable
  func removeAll() {
    if flags & Self.delivering == 0 {
      takeAll { entry in
        let subscription = entry.subscription
        withExtendedLifetime(subscription) { subscription.sourceDidVanish() }
      }
      return
    }
    // The stream was deallocated during a delivery, after which the entries are released.
    flags |= Self.afterwork
    for index in 0..<count {
      switch slots.unsafelyUnwrapped[index].entry {
      case .some(let entry):
        if entry.isStale { break }
        entry.subscription.hotSource = nil
        holes += 1
        entry.subscription.sourceDidVanish()
      case .none: break
      }
    }
  }

  /// Empties the table, then passes each entry on, in order.
  @inlinable
  func takeAll(_ body: (borrowing Entry) -> Void) {
    guard let old = slots else { return }
    let end = count
    slots = nil
    count = 0
    capacity = 0
    holes = 0
    for index in 0..<end {
      // An entry that was disposed by a previous one is stale.
      guard let entry = old[index].take(), !entry.isStale else { continue }
      entry.subscription.hotSource = nil
      body(entry)
    }
    old.deallocate()
  }

  // MARK: Memory

  @inlinable
  func isHole(_ index: Int) -> Bool {
    switch slots.unsafelyUnwrapped[index].entry {
    case .some: false
    case .none: true
    }
  }

  @inlinable
  func makeRoom() {
    if holes * 2 > count, flags & Self.delivering == 0 {
      compact()
      if count < capacity { return }
    }
    let larger = max(1, capacity * 2)
    let memory = UnsafeMutablePointer<Slot>.allocate(capacity: larger)
    if let old = slots {
      memory.moveInitialize(from: old, count: count)
      // A delivery can be reading the old memory, so its bits stay unchanged until that delivery has ended.
      if flags & Self.delivering != 0 {
        outgrown.append(old)
        flags |= Self.afterwork
      } else {
        old.deallocate()
      }
    }
    slots = memory
    capacity = larger
  }

  /// Closes the holes and keeps the order.
  @inlinable
  func compact() {
    guard let slots else { return }
    let removed = UnsafeMutablePointer<Slot>.allocate(capacity: holes)
    var removedCount = 0
    var target = 0
    for index in 0..<count {
      let slot = slots + index
      let state: Int
      switch slot.pointee.entry {
      case .some(let entry): state = entry.isStale ? 1 : 2
      case .none: state = 0
      }
      switch state {
      case 0: slot.deinitialize(count: 1)
      case 1:
        (removed + removedCount).moveInitialize(from: slot, count: 1)
        removedCount += 1
      default:
        if target != index { (slots + target).moveInitialize(from: slot, count: 1) }
        setIndex(target)
        target += 1
      }
    }
    count = target
    holes = 0
    // Last, because releasing the captures of observers can run any code.
    removed.deinitialize(count: removedCount)
    removed.deallocate()
  }

  @inlinable
  func setIndex(_ index: Int) {
    switch slots.unsafelyUnwrapped[index].entry {
    case .some(let entry): entry.subscription.tableIndex = UInt32(truncatingIfNeeded: index)
    case .none: break
    }
  }
}
