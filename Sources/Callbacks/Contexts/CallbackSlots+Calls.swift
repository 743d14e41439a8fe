import Streams
public import Synchronization

/// A running call: its slot and box. The box stays alive until `leave`.
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
  /// Begins a call, or returns why it must be dropped. Call `leave` with the entry on the same thread.
  @inlinable @inline(__always)
  static func enter(_ id: ContextID) -> Result<CallbackEntry, DroppedCalls.Reason> {
    guard let slot = slot(id) else { return .failure(.late) }
    slot.pass()
    if slot.pointee.thread.load(ordering: .relaxed) == currentThread() {
      // Other threads can only set the closed bit now.
      slot.pass()
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
    slot.pass()
    var word = slot.pointee.word.load(ordering: .acquiring)
    while true {
      guard word & ~CallbackSlot.pinMask == id.openWord else { return .failure(.late) }
      slot.pass()
      if slot.pointee.thread.load(ordering: .relaxed) != 0 {
        // The slot belongs to another thread, unless that thread has just freed it.
        slot.pass()
        return .failure(slot.pointee.word.load(ordering: .acquiring) == word ? .foreignThread : .late)
      }
      slot.pass()
      let (exchanged, original) = slot.pointee.word.weakCompareExchange(
        expected: word, desired: word + 1, successOrdering: .acquiring, failureOrdering: .acquiring)
      if exchanged { break }
      word = original
    }
    // A pinned box is not freed.
    let entry = CallbackEntry(slot, slot.pointee.box.unsafelyUnwrapped, id)
    let isMine = entry.box._withUnsafeGuaranteedRef { box in
      if box.threads == .any { return true }
      let me = currentThread()
      slot.pass()
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
      entry.slot.pass()
      if box.depth == 0 { box.owner.store(0, ordering: .releasing) }
    }
    release(entry)
  }

  private static func release(_ entry: CallbackEntry) {
    entry.slot.pass()
    let word = entry.slot.pointee.word.subtract(1, ordering: .acquiringAndReleasing).newValue
    if word & CallbackSlot.closedBit != 0, word & CallbackSlot.pinMask == 0 { free(entry) }
  }

  /// Closes a slot: no call begins afterwards, and the box is freed when no call is running. Returns false if the slot was
  /// closed before. Thread-safe.
  @discardableResult @usableFromInline
  static func close(_ id: ContextID, isGivenBack: Bool = false) -> Bool {
    let bits = CallbackSlot.closedBit | (isGivenBack ? CallbackSlot.givenBackBit : 0)
    guard let slot = slot(id) else { return false }
    slot.pass()
    var word = slot.pointee.word.load(ordering: .acquiring)
    var thread: UInt
    while true {
      guard word & ~CallbackSlot.pinMask == id.openWord else { return false }
      // Read before the exchange, which checks the generation. After it, the last call may have freed the slot, and the
      // thread may belong to its next box.
      slot.pass()
      thread = slot.pointee.thread.load(ordering: .relaxed)
      slot.pass()
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

  /// Closes the slot of an adapter that was deallocated.
  @usableFromInline
  static func release(_ id: ContextID) {
    guard !isClosed(id), let slot = slot(id) else { return }
    slot.pass()
    // Stored before a call can find the slot closed.
    slot.pointee.releasedGeneration.store(id.bits >> 32, ordering: .relaxed)
    close(id)
  }

  /// Returns whether the slot was closed because its adapter was deallocated. The slot remembers its latest such generation.
  static func wasReleased(_ id: ContextID) -> Bool {
    slot(id).map { $0.pointee.releasedGeneration.load(ordering: .relaxed) == id.bits >> 32 } ?? false
  }

  /// Returns whether the slot is closed. Thread-safe.
  static func isClosed(_ id: ContextID) -> Bool {
    guard let slot = slot(id) else { return true }
    slot.pass()
    return slot.pointee.word.load(ordering: .acquiring) & ~CallbackSlot.pinMask != id.openWord
  }

  /// Closes the slot of a context that C has released. Does nothing for nil.
  @usableFromInline
  static func giveBack(_ context: UnsafeMutableRawPointer?) {
    if context != nil { close(ContextID(context), isGivenBack: true) }
  }

  /// Frees a closed slot on the one thread that can call.
  private static func finishClosing(_ slot: UnsafeMutablePointer<CallbackSlot>, _ id: ContextID) {
    guard let box = slot.pointee.box else { return }
    if box._withUnsafeGuaranteedRef({ $0.depth }) == 0 {
      free(slot, id)
    } else {
      box._withUnsafeGuaranteedRef { $0.isClosing = true }
    }
  }

  /// Frees a slot that was closed on another thread, so that the box and its captures are released in the home domain.
  private static func sendHome(_ slot: UnsafeMutablePointer<CallbackSlot>, _ id: ContextID) {
    // Takes no reference, because the last one must be released at home.
    let (home, isMain, thread) = slot.pointee.box.unsafelyUnwrapped._withUnsafeGuaranteedRef { box in
      (box.home, box.isOnMainThread, box.thread)
    }
    // Only the caller that closed the slot frees it.
    nonisolated(unsafe) let slot = slot
    if let home, home.postWhileClosing({ finishClosing(slot, id) }) { return }
    if let thread, !isMain {
      // The loop was shut down. C can still call on its thread, and a call may be running, so the box stays until that
      // thread ends.
      thread.atEnd { finishClosing(slot, id) }
    } else if isMain {
      Task { @MainActor in finishClosing(slot, id) }
    } else {
      fatalError("A scoped callback is ended by the function that made it.")
    }
  }

  /// Takes the box of a `OnceCallback` out of the table. Only one of several callers receives it.
  @usableFromInline
  static func take(_ id: ContextID) -> AnyCallbackBox? {
    guard let slot = slot(id) else { return nil }
    slot.pass()
    let (exchanged, _) = slot.pointee.word.compareExchange(
      expected: id.openWord, desired: id.openWord | CallbackSlot.closedBit, ordering: .acquiringAndReleasing)
    guard exchanged, let box = slot.pointee.box?.takeUnretainedValue() else { return nil }
    free(slot, id)
    return box
  }
}
