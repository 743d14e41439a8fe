/// A queue of deadlines in the order of their times. Equal deadlines keep the order in which they were added.
///
/// A binary heap. Adding and taking are O(log n). Canceling is O(1); canceled entries are removed at the latest when they are half
/// of the heap.
package final class DeadlineQueue {
  /// A pending deadline. Disposing cancels it.
  package final class Entry: Disposable {
    /// The time at which it is due.
    package let deadline: Duration
    fileprivate let sequence: UInt64
    fileprivate var action: (() -> Void)?
    // The queue clears it when the entry leaves the heap, and on its own deallocation.
    fileprivate unowned(unsafe) var queue: DeadlineQueue?

    fileprivate init(_ deadline: Duration, _ sequence: UInt64, _ action: @escaping () -> Void, _ queue: DeadlineQueue) {
      self.deadline = deadline
      self.sequence = sequence
      self.action = action
      self.queue = queue
    }

    /// True if the action has run or was canceled.
    package var isDisposed: Bool { action == nil }

    /// Cancels the deadline.
    package func dispose() {
      guard action != nil else { return }
      // Released last, because its captures can release this queue.
      let action = action.take()
      queue?.didCancel()
      _ = action
    }

    fileprivate func precedes(_ other: Entry) -> Bool {
      deadline == other.deadline ? sequence < other.sequence : deadline < other.deadline
    }
  }

  private var heap: [Entry] = []
  private var cancelled = 0
  private var sequence: UInt64 = 0

  /// Called when the last pending deadline was canceled.
  package var onEmpty: (() -> Void)?

  /// Creates an empty queue.
  package init() {}

  /// A point in the order of adding, for `popDue(at:addedBefore:)`.
  package var mark: UInt64 { sequence }

  /// The number of pending deadlines.
  package var count: Int { heap.count - cancelled }

  /// The earliest pending deadline, or nil.
  package var next: Duration? {
    dropCancelled()
    return heap.first?.deadline
  }

  /// Adds a deadline.
  package func add(_ deadline: Duration, _ action: @escaping () -> Void) -> Entry {
    let entry = Entry(deadline, sequence, action, self)
    sequence += 1
    heap.append(entry)
    siftUp(heap.count - 1)
    return entry
  }

  /// Takes the earliest deadline that is due at `time` and was added before `mark` was read, and returns its action. Returns nil if
  /// there is none.
  package func popDue(at time: Duration, addedBefore mark: UInt64 = .max) -> (() -> Void)? {
    dropCancelled()
    guard let first = heap.first, first.deadline <= time, first.sequence < mark else { return nil }
    removeFirst()
    first.queue = nil
    return first.action.take()
  }

  deinit { removeAll() }

  /// Drops all deadlines.
  package func removeAll() {
    let old = heap
    heap = []
    cancelled = 0
    // All of them first, because releasing an action can run any code and cancel others.
    for entry in old { entry.queue = nil }
    for entry in old { entry.action = nil }
  }

  private func dropCancelled() {
    while let first = heap.first, first.action == nil {
      removeFirst()
      cancelled -= 1
    }
  }

  private func didCancel() {
    cancelled += 1
    if cancelled == heap.count { onEmpty?() }
    guard cancelled > 64, cancelled * 2 > heap.count else { return }
    heap.removeAll { $0.action == nil }
    cancelled = 0
    for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
  }

  private func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    siftDown(0)
  }

  private func siftUp(_ start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      if !heap[index].precedes(heap[parent]) { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  private func siftDown(_ start: Int) {
    var index = start
    while true {
      var smallest = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
        if heap[child].precedes(heap[smallest]) { smallest = child }
      }
      if smallest == index { return }
      heap.swapAt(index, smallest)
      index = smallest
    }
  }
}

@available(*, unavailable)
extension DeadlineQueue: Sendable {}
