import Headwater

/// The processes that are shown: a filtered and sorted list that is derived from a live collection.
final class ProcessTable {
  /// The sort order of the list.
  nonisolated enum Order: String, CaseIterable {
    case memory
    case time
    case pid

    /// Returns whether `one` is shown above `other`. Ties are ordered by process ID, so that no two processes are equal.
    func precedes(_ one: ProcessRow, _ other: ProcessRow) -> Bool {
      switch self {
      case .memory: (other.bytes, one.pid) < (one.bytes, other.pid)
      case .time: (other.seconds, one.pid) < (one.seconds, other.pid)
      case .pid: one.pid < other.pid
      }
    }
  }

  private let processes = CollectionProperty<[Int32: ProcessRow]>([:])
  /// The list, which changes with the processes.
  let rows: AnyCollectionProperty<[ProcessRow]>

  /// Creates an empty table of the processes whose names contain `text`.
  init(containing text: String = "", by order: Order = .memory) {
    rows =
      processes
      .filter { _, row in text.isEmpty || row.name.contains(text) }
      .sorted { order.precedes($0.value, $1.value) }
      .map { $0.value }
  }

  /// Replaces the processes. Observers receive only the differences.
  func refresh(_ current: [Int32: ProcessRow]) { processes.replace(with: current, performDiff: true) }
}
