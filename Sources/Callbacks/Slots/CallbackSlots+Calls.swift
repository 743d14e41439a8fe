import Streams
public import Synchronization

/// A call that is under way: the slot and the box in it, which stays until `leave`.
@frozen @usableFromInline
struct CallbackEntry {
  @usableFromInline let slot: UnsafeMutablePointer<CallbackSlot>
  @usableFromInline let box: Unmanaged<AnyCallbackBox>
  @usableFromInline let id: ContextID

  @inlinable
  init(_ slot: UnsafeMutablePointer<CallbackSlot>, _ box: Unmanaged<AnyCallbackBox>, _ id: ContextID) {
    self.slot = slot
    self.box = box
    self.id = id
  }
}

extension CallbackSlots {
  /// Begins a call, or says why there is none. Every entry is left again, on the same thread.
  @inlinable @inline(__always)
  static func enter(_ id: ContextID) -> Result<CallbackEntry, DroppedCalls.Reason> {
    guard let slot = slot(id) else { return .failure(.late) }
    if slot.pointee.thread.load(ordering: .relaxed) == currentThread() {
      // Only this thread changes the slot now, but for the closed bit.
      guard slot.pointee.word.load(ordering: .relaxed) == id.openWord, let box = slot.pointee.box else {
        return .failure(.late)
      }
      box._withUnsafeGuaranteedRef { $0.depth &+= 1 }
      return .success(CallbackEntry(slot, box, id))
    }
    return pin(slot, id)
  }

  @inlinable @inline(__always)
  static func leave(_ entry: CallbackEntry) {
    entry.box._withUnsafeGuaranteedRef { box in
      if box.threads == .one {
        box.depth &-= 1
        if box.depth == 0, box.isClosing { free(entry) }
      } else {
        unpin(entry)
      }
    }
  }

  @usableFromInline
  static func free(_ entry: CallbackEntry) { free(entry.slot, entry.id) }

  @usableFromInline
  static func pin(
    _ slot: UnsafeMutablePointer<CallbackSlot>, _ id: ContextID
  ) -> Result<CallbackEntry, DroppedCalls.Reason> {
    var word = slot.pointee.word.load(ordering: .acquiring)
    while true {
      guard word & ~CallbackSlot.pinMask == id.openWord else { return .failure(.late) }
      if slot.pointee.thread.load(ordering: .relaxed) != 0 {
        // Another thread's. Unless it has gone this very moment.
        return .failure(slot.pointee.word.load(ordering: .acquiring) == word ? .foreignThread : .late)
      }
      let (exchanged, original) = slot.pointee.word.weakCompareExchange(
        expected: word, desired: word + 1, successOrdering: .acquiring, failureOrdering: .acquiring)
      if exchanged { break }
      word = original
    }
    // Nobody frees a box that is pinned.
    let entry = CallbackEntry(slot, slot.pointee.box.unsafelyUnwrapped, id)
    let isMine = entry.box._withUnsafeGuaranteedRef { box in
      if box.threads == .any { return true }
      let me = currentThread()
      let (exchanged, owner) = box.owner.compareExchange(expected: 0, desired: me, ordering: .acquiring)
      guard exchanged || owner == me else { return false }
      box.depth &+= 1
      return true
    }
    if isMine { return .success(entry) }
    release(entry)
    return .failure(.simultaneous)
  }

  @usableFromInline
  static func unpin(_ entry: CallbackEntry) {
    entry.box._withUnsafeGuaranteedRef { box in
      if box.threads == .any { return }
      box.depth &-= 1
      if box.depth == 0 { box.owner.store(0, ordering: .releasing) }
    }
    release(entry)
  }

  private static func release(_ entry: CallbackEntry) {
    let word = entry.slot.pointee.word.subtract(1, ordering: .acquiringAndReleasing).newValue
    if word & CallbackSlot.closedBit != 0, word & CallbackSlot.pinMask == 0 { free(entry) }
  }

  /// Lets no call begin any more, and frees the box: now, or when those that are in it have left. False when it was closed
  /// before, by whomever. From any thread.
  @discardableResult @usableFromInline
  static func close(_ id: ContextID, isGivenBack: Bool = false) -> Bool {
    let bits = CallbackSlot.closedBit | (isGivenBack ? CallbackSlot.givenBackBit : 0)
    guard let slot = slot(id) else { return false }
    var word = slot.pointee.word.load(ordering: .acquiring)
    var thread: UInt
    while true {
      guard word & ~CallbackSlot.pinMask == id.openWord else { return false }
      // Before the exchange, which holds it to this generation: afterwards the last call may have freed the slot already,
      // and the thread may be that of its next box.
      thread = slot.pointee.thread.load(ordering: .relaxed)
      let (exchanged, original) = slot.pointee.word.weakCompareExchange(
        expected: word, desired: word | bits, successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
      if exchanged { break }
      word = original
    }
    if thread == 0 {
      if word & CallbackSlot.pinMask == 0 { free(slot, id) }
    } else if thread == currentThread() {
      finishClosing(slot, id)
    } else {
      sendHome(slot, id)
    }
    return true
  }

  /// The adapter has been deallocated: nothing held it.
  @usableFromInline
  static func release(_ id: ContextID) {
    guard !isClosed(id), let slot = slot(id) else { return }
    // Before a call can find it closed.
    slot.pointee.releasedGeneration.store(id.bits >> 32, ordering: .relaxed)
    close(id)
  }

  /// Whether it was closed because its adapter was deallocated, as far as is remembered.
  static func wasReleased(_ id: ContextID) -> Bool {
    slot(id).map { $0.pointee.releasedGeneration.load(ordering: .relaxed) == id.bits >> 32 } ?? false
  }

  /// Whether it has been closed. From any thread.
  static func isClosed(_ id: ContextID) -> Bool {
    guard let slot = slot(id) else { return true }
    return slot.pointee.word.load(ordering: .acquiring) & ~CallbackSlot.pinMask != id.openWord
  }

  /// C has let go of a context, or of none.
  @usableFromInline
  static func giveBack(_ context: UnsafeMutableRawPointer?) {
    if context != nil { close(ContextID(context), isGivenBack: true) }
  }

  /// On the one thread that may call.
  private static func finishClosing(_ slot: UnsafeMutablePointer<CallbackSlot>, _ id: ContextID) {
    guard let box = slot.pointee.box else { return }
    if box._withUnsafeGuaranteedRef({ $0.depth }) == 0 {
      free(slot, id)
    } else {
      box._withUnsafeGuaranteedRef { $0.isClosing = true }
    }
  }

  /// The last owner has gone on another thread: the box, and what its handler captured, is released at home.
  private static func sendHome(_ slot: UnsafeMutablePointer<CallbackSlot>, _ id: ContextID) {
    // Without a reference of our own: the last one is let go of at home.
    let (home, isMain, thread) = slot.pointee.box.unsafelyUnwrapped._withUnsafeGuaranteedRef { box in
      (box.home, box.isOnMainThread, box.thread)
    }
    // Nobody else frees what has been closed here.
    nonisolated(unsafe) let slot = slot
    if let home, home.postWhileClosing({ finishClosing(slot, id) }) { return }
    if let thread, !isMain {
      // The loop has been shut down. C may still call on its thread, and be inside of a call now: nothing is freed before
      // that thread ends.
      thread.atEnd { finishClosing(slot, id) }
    } else if isMain {
      Task { @MainActor in finishClosing(slot, id) }
    } else {
      fatalError("A scoped callback is ended by the function that made it.")
    }
  }

  /// Takes the box of a callback that comes once out of the table. One of several callers gets it.
  @usableFromInline
  static func take(_ id: ContextID) -> AnyCallbackBox? {
    guard let slot = slot(id) else { return nil }
    let (exchanged, _) = slot.pointee.word.compareExchange(
      expected: id.openWord, desired: id.openWord | CallbackSlot.closedBit, ordering: .acquiringAndReleasing)
    guard exchanged, let box = slot.pointee.box?.takeUnretainedValue() else { return nil }
    free(slot, id)
    return box
  }
}
